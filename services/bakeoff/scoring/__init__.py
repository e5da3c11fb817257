"""The scoring service: says how good answers are, metric by metric and case by case."""
