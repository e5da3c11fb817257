"""The ingestion service: original documents in raw storage."""
