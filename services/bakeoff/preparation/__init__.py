"""The preparation service: turns somebody's data into prepared documents, cases and units."""
