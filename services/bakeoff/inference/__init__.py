"""Inference: asking an entrant its questions, and making answers of what was retrieved."""
