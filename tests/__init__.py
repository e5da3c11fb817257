"""The tests; a package so that `tests.builders` is found whatever else is installed."""
