"""Errors of indexes whose data lie outside of a knowledge base's files."""

from __future__ import annotations

from bakeoff.domain.errors import UnavailableError


class IndexUnavailableError(UnavailableError):
    """What holds an index does not answer now: nothing is wrong with the question, so it is asked again later."""
