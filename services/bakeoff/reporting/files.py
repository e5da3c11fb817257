"""The files of a report by their names in the store."""

from __future__ import annotations

from bakeoff.contract import object_keys

REPORT_FILE = object_keys.REPORT_FILE
PAGE_FILE = "report.html"
CSV_FILE = "cases.csv"
PARQUET_FILE = "cases.parquet"
TREC_FILE = "trec.zip"
AGBENCHMARK_FILE = "agbenchmark.zip"
"""Only of evaluations with challenges for agents."""
