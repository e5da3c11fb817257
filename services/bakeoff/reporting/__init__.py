"""The reporting service: turns scores into a report, and reports into pages, tables and runs."""
