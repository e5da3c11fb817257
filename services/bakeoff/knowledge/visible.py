"""The visible text of HTML: blocks as paragraphs, white space as a browser shows it, headings and tables by place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.knowledge.nesting import check_nesting
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.visible_writer import VisibleWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    Step = Callable[[], None]
    Pending = tuple[LexborNode | str | Step, bool]
    """What is to be written or done, and whether it stands in `pre`, where line feeds count."""

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
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LINES = frozenset(("br", "tr"))
CELLS = frozenset(("td", "th"))


def visible_text(html: str) -> str:
    """Return the text of `visible_document`."""
    return visible_document(html).text


def visible_document(html: str) -> ParsedDocument:
    """Return the text that a reader sees, blocks apart by an empty line, lines and table rows by a line feed.

    Script, style, navigation, header and footer are left out; inline markup leaves no trace; cells are apart by ` | `.

    Raises:
        UnreadableDocumentError: it nests so deep that reading it would take too long.
    """
    from selectolax.lexbor import LexborHTMLParser

    check_nesting(html)
    body = LexborHTMLParser(html).body
    if body is None:
        return ParsedDocument("")
    writer = VisibleWriter()
    # Own stack, since a page may nest deeper than Python recurses.
    stack: list[Pending] = [(body, False)]
    while stack:
        node, verbatim = stack.pop()
        if isinstance(node, str):
            writer.write(node)
        elif callable(node):
            node()
        elif node.tag == "-text":
            text = node.text_content or ""
            writer.write(text if verbatim else text.replace("\n", " ").replace("\r", " "))
        elif node.tag and node.tag[0].isalpha() and node.tag not in HIDDEN:
            before, after = _around(node)
            enter, leave = _places(node, writer)
            verbatim = verbatim or node.tag == "pre"
            children = [(child, verbatim) for child in node.iter(include_text=True)]
            stack += [(after, False), *leave, *reversed(children), *enter, (before, False)]
    return writer.document()


def _places(node: LexborNode, writer: VisibleWriter) -> tuple[list[Pending], list[Pending]]:
    """Return what is noted before and behind an element's text."""
    if node.tag in HEADINGS:
        level = HEADINGS[node.tag]
        return [(lambda: writer.heading(level), False)], [(lambda: writer.heading(0), False)]
    if node.tag == "table":
        return [(writer.begin_table, False)], [(writer.end_table, False)]
    if node.tag == "tr":
        return [(writer.begin_row, False)], [(writer.end_row, False)]
    if node.tag in CELLS:
        names, width = node.tag == "th", node.attributes.get("colspan") or "1"
        span = min(int(width), 1000) if width.isascii() and width.isdigit() else 1
        return [(lambda: writer.begin_cell(names=names, span=span), False)], [(writer.end_cell, False)]
    return [], []


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
