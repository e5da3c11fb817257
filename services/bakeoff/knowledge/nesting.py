"""How deep a page nests: the work of reading one grows with the square of it, so hostile ones are refused at once."""

from __future__ import annotations

import re
from collections import Counter

from bakeoff.knowledge.parsing import UnreadableDocumentError

# fmt: off
BLOCKS = (
    "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "fieldset",
    "figcaption", "figure", "footer", "header", "hgroup", "main", "menu", "nav", "ol", "pre", "section", "summary",
    "ul",
)
# fmt: on
"""For each of these the HTML standard has a parser look up through all open elements; other elements are cheap."""
TAG = re.compile(rf"<(/?)({'|'.join(BLOCKS)})(?=[\s/>])", re.IGNORECASE)
DEEP = 512
"""Elements that browsers nest at most; nobody writes such a page, and up to here nothing counts."""
MOST_STEPS = 250_000_000
"""Looks at open elements beyond that depth, of all tags together: some seconds, and 22,000 elements in each other."""


def check_nesting(html: str) -> None:
    """Refuse a page that would take far too long to read.

    Args:
        html: The page. Its tags are counted as they stand, also in comments and scripts.

    Raises:
        UnreadableDocumentError: so it is; tells how deep it nests.
    """
    if html.count("<") < (2 * MOST_STEPS) ** 0.5:  # too few tags to be too much, as in nearly all pages
        return
    opened: list[str] = []
    known: Counter[str] = Counter()
    deepest = steps = 0
    for match in TAG.finditer(html):
        name = match[2].lower()
        if not match[1]:
            opened.append(name)
            known[name] += 1
            deepest = max(deepest, len(opened))
        elif known[name]:
            while (last := opened.pop()) != name:  # what was left open inside ends too
                known[last] -= 1
            known[name] -= 1
        steps += max(0, len(opened) - DEEP)
    if steps > MOST_STEPS:
        raise UnreadableDocumentError(
            f"its elements nest {deepest:,} deep, which would take too long to read; pages are read up to about "
            f"{round((2 * MOST_STEPS) ** 0.5, -3):,.0f}"
        )
