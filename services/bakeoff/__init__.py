"""Bakeoff: bake-offs between knowledge recipes."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
CLIENTS = ("Client", "AsyncClient")


def __getattr__(name: str) -> Any:
    """Load the clients when they are asked for: every module of Bakeoff passes through here, and few need them."""
    if name in CLIENTS:
        return getattr(import_module("bakeoff.client"), name)
    raise AttributeError(f"module 'bakeoff' has no attribute {name!r}")
