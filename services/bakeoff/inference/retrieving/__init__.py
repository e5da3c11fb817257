"""Retrieval in several steps: what engines and rerankers of models are made of."""
