"""The files of a report, one file each."""
