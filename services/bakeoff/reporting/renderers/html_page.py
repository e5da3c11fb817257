"""The report as one page for people."""

from __future__ import annotations

from bakeoff.reporting.files import PAGE_FILE
from bakeoff.reporting.material import Finished
from bakeoff.reporting.page.render import render_page
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile


class HtmlRenderer:
    """Writes `report.html`."""

    def render(self, finished: Finished) -> RenderedFile:
        """Return the page; it needs no network, and no script for its tables."""
        return RenderedFile(PAGE_FILE, "text/html; charset=utf-8", render_page(finished).encode())


@renderers.register("html")
def html_page() -> HtmlRenderer:
    """Write the report as one self-contained HTML page."""
    return HtmlRenderer()
