"""The visible text of HTML: blocks as paragraphs, white space as a browser shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# fmt: off
HIDDEN = frozenset((
    "script", "style", "noscript", "template", "head", "title", "nav", "header", "footer", "iframe", "object", "svg",
    "math", "select", "button",
))
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "main", "ol", "p",
    "pre", "section", "summary", "table", "ul",
))
# fmt: on
LINES = frozenset(("br", "tr"))
CELLS = frozenset(("td", "th"))
SPACE = re.compile(r"[^\S\n]+")
AROUND_LINE = re.compile(r" ?\n ?")
LINE_FEED = re.compile(r"[\r\n]")
MANY_LINES = re.compile(r"\n{3,}")


def visible_text(html: str) -> str:
    """Return the text that a reader sees, blocks apart by an empty line, lines and table rows by a line feed.

    Script, style, navigation, header and footer are left out; inline markup leaves no trace; cells are apart by ` | `.
    """
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    parts: list[str] = []
    # Own stack, since a page may nest deeper than Python recurses. True: inside of `pre`, where line feeds count.
    stack: list[tuple[LexborNode | str, bool]] = [(body, False)]
    while stack:
        node, verbatim = stack.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.tag == "-text":
            text = node.text_content or ""
            parts.append(text if verbatim else LINE_FEED.sub(" ", text))
        elif node.tag and node.tag[0].isalpha() and node.tag not in HIDDEN:
            before, after = _around(node)
            verbatim = verbatim or node.tag == "pre"
            children = [(child, verbatim) for child in node.iter(include_text=True)]
            stack += [(after, False), *reversed(children), (before, False)]
    return MANY_LINES.sub("\n\n", AROUND_LINE.sub("\n", SPACE.sub(" ", "".join(parts)))).strip()


def _around(node: LexborNode) -> tuple[str, str]:
    """Return what stands before and behind an element's text."""
    if node.tag in BLOCKS:
        return "\n\n", "\n\n"
    if node.tag in LINES:
        return "", "\n"
    if node.tag in CELLS:
        return ("", " | ") if node.next is not None and _has_cell_behind(node) else ("", "")
    return "", ""


def _has_cell_behind(node: LexborNode) -> bool:
    behind = node.next
    while behind is not None:
        if behind.tag in CELLS:
            return True
        behind = behind.next
    return False
