"""Query engines, one a file."""
