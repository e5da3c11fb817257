"""Markdown as its reader sees it.

The parsed text is the rendered text: headings, emphasis, links and code keep their words and lose their signs. Evidence
is quoted in words, so a passage that holds a bold word or a link must still hold the quoted sentence. Spans count in
the rendered text; who wants the source itself takes the parser `text`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from bakeoff.knowledge.composing import Composer, Row
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, decode_or_guess
from bakeoff.knowledge.structure import HEADER
from bakeoff.knowledge.visible import visible_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


def read_markdown(source: SourceDocument) -> ParsedDocument:
    """Return blocks apart by an empty line, table rows by a line feed, cells by ` | `.

    Raises:
        UnreadableDocumentError: no encoding fits.
    """
    text, notes = decode_or_guess(source.data, source.media_type)
    composer = Composer()
    composer.notes.extend(notes)
    _compose(_renderer().parse(text), composer)
    return composer.parsed()


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _compose(tokens: list[Token], composer: Composer) -> None:
    rows: list[Row] = []
    cells: list[str] | None = None
    heading = 0
    for token in tokens:
        if token.type == "heading_open":
            heading = int(token.tag[1:])
        elif token.type == "heading_close":
            heading = 0
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            rows.append((len(rows) + HEADER, cells))  # the first row names the columns
            cells = None
        elif token.type == "table_close":
            composer.table(rows, names=rows[0][1] if rows else ())
            rows = []
        elif token.type == "inline":
            text = _inline(token.children or [])
            if cells is not None:
                cells.append(text)
            elif heading:
                composer.heading(text, heading)
            else:
                composer.block(text)
        elif token.type in ("fence", "code_block"):
            composer.block(token.content.rstrip("\n"))
        elif token.type == "html_block":
            composer.block(visible_text(token.content))


def _inline(tokens: list[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            parts.append(token.content)
        elif token.type == "softbreak":
            parts.append(" ")
        elif token.type == "hardbreak":
            parts.append("\n")
        elif token.type == "image":
            parts.append(_inline(token.children or []))
    return "".join(parts).strip()
