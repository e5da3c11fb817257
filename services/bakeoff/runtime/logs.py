"""Structured logs: one JSON object a line, with the evaluation, service, item and trace it belongs to."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

from bakeoff.runtime.settings import Settings

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(settings: Settings, stream: TextIO | None = None) -> None:
    """Set up logging for the process.

    Args:
        settings: Level and format; the secrets in them are masked wherever they would appear.
        stream: Where to write; None means standard error.
    """
    secrets = [text for text in settings.secrets if len(text) > 3]

    def mask(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        for key, value in event.items():
            if isinstance(value, str):
                for secret in secrets:
                    value = value.replace(secret, "***")
                event[key] = value
        return event

    renderer: Any = structlog.processors.JSONRenderer()
    if settings.log_format == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            mask,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[settings.log_level]),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )


def get(service: str) -> Any:
    """Return a logger that says which service it speaks for."""
    return structlog.get_logger(service=service)
