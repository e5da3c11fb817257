"""Benchmark adapters, one file each."""
