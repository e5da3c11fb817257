"""What a renderer is: it turns a finished report into one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bakeoff.reporting.material import Finished


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file of a report."""

    name: str
    """As it is stored, such as `report.html`."""
    media_type: str
    data: bytes


class Renderer(Protocol):
    """One kind of file; the same bytes for the same report."""

    def render(self, finished: Finished) -> RenderedFile | None:
        """Return the file; None when the evaluation has nothing for it."""
