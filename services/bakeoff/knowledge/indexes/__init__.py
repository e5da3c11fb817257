"""Indexes, one a file."""
