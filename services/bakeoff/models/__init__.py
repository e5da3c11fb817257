"""Asking models behind OpenAI-compatible endpoints: answers, likelihoods, embeddings."""
