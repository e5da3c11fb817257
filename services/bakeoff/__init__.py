"""Bakeoff: bake-offs between knowledge recipes."""

__version__ = "0.1.0"
