"""The HTML report: its template, its style, its script, and what they show."""
