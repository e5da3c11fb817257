"""The contract as Python: generated from `proto/bakeoff/v1` by `proto/generate`; never edited by hand."""
