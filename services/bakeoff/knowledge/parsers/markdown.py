"""Parser: Markdown as its reader sees it.

The parsed text is the rendered text: headings, emphasis, links and code keep their words and lose their signs. Evidence
is quoted in words, so a passage that holds a bold word or a link must still hold the quoted sentence. Spans count in
the rendered text; who wants the source itself takes the parser `text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, decode_text
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.visible import visible_text

if TYPE_CHECKING:
    from markdown_it.token import Token

VERSION = "1"
LIBRARIES = ["markdown-it-py", "selectolax"]


@parsers.register("markdown", version=VERSION, facts={"libraries": LIBRARIES})
def markdown() -> Parser:
    """Take the text of CommonMark with tables, without its markup.

    Source: CommonMark 0.31; tables as GitHub writes them.
    """
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark").enable("table")

    def parse(source: SourceDocument) -> ParsedDocument:
        tokens = renderer.parse(decode_text(source.data, source.media_type))
        return ParsedDocument(_text(tokens))

    return parse


def _text(tokens: list[Token]) -> str:
    """Return blocks apart by an empty line, table rows by a line feed, cells by ` | `."""
    blocks: list[str] = []
    cells: list[str] | None = None
    rows: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            rows.append(" | ".join(cells))
            cells = None
        elif token.type == "table_close":
            blocks.append("\n".join(rows))
            rows = []
        elif token.type == "inline":
            (blocks if cells is None else cells).append(_inline(token.children or []))
        elif token.type in ("fence", "code_block"):
            blocks.append(token.content.rstrip("\n"))
        elif token.type == "html_block":
            blocks.append(visible_text(token.content))
    return "\n\n".join(block for block in blocks if block.strip())


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
