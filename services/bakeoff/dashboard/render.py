"""Pages as HTML: templates that escape whatever they are given."""

from __future__ import annotations

from importlib.resources import files

import jinja2

from bakeoff.dashboard import views

ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("bakeoff.dashboard", "pages"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
for _words in (
    views.stage_share,
    views.stage_words,
    views.overall_words,
    views.mean_words,
    views.pages_words,
    views.value_words,
):
    ENVIRONMENT.filters[_words.__name__] = _words
STATIC = {"page.css": "text/css", "live.js": "text/javascript"}
"""Files that pages refer to, and their types."""


def render(template: str, /, **facts: object) -> str:
    """Return a page, or a part of one.

    Args:
        template: Its file among the pages.
        facts: What it shows.
    """
    return ENVIRONMENT.get_template(template).render(**facts)


def static(name: str) -> bytes:
    """Return a file that pages refer to."""
    return (files("bakeoff.dashboard") / "pages" / name).read_bytes()
