"""Rerankers that ask a model: one a file."""
