"""Prompts: templates with named slots, read from plain files, filled in one pass."""
