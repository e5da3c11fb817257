"""Parsers, one a file."""
