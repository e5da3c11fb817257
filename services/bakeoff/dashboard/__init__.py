"""The dashboard service: the web page of evaluations and reports. Nothing of it is there yet."""
