"""Bakeoff for other people's Python: a platform's services as methods, nouns in and out, errors by what to do."""

from bakeoff.client.asynchronous import AsyncClient
from bakeoff.client.evaluation_calls import Submitted
from bakeoff.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "Submitted"]
