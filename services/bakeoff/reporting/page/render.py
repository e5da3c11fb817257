"""The HTML page: template, style and script put together into one file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from bakeoff.reporting import wording
from bakeoff.reporting.material import Finished
from bakeoff.reporting.page.case_views import EMBEDDED_CASES
from bakeoff.reporting.page.view import page_view

PACKAGE = "bakeoff.reporting.page"


def render_page(finished: Finished) -> str:
    """Return the page of a report.

    It holds everything it shows. Its content security policy allows no connection at all, and no script but its own.
    """
    style, script = _text("page.css"), _text("page.js")
    return _template().render(
        page=page_view(finished),
        style=Markup(style),  # our own file
        script=Markup(script),  # our own file
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        embedded_cases=EMBEDDED_CASES,
    )


def _text(name: str) -> str:
    return files(PACKAGE).joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader(PACKAGE, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = (
        wording.number,
        wording.signed,
        wording.interval,
        wording.p_number,
        wording.size,
        wording.seconds,
        wording.milliseconds,
    )
    environment.filters |= {word.__name__: word for word in words}
    return environment.get_template("page.html.j2")
