"""The client of the platform that the command calls: everybody's."""

from bakeoff.client import Client

__all__ = ["Client"]
