"""Rerankers, one a file."""
