"""Parser: a JSON object with a title and a text, such as a line of a BEIR `corpus.jsonl`."""

from __future__ import annotations

from typing import Annotated

import msgspec

from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

VERSION = "1"
LIBRARIES = ["msgspec"]
BOM = b"\xef\xbb\xbf"


class _Record(msgspec.Struct):
    text: str = ""
    title: str | None = None


@parsers.register("record", version=VERSION, facts={"libraries": LIBRARIES})
def record(*, title_separator: Annotated[str, Is("what stands between the title and the text")] = " ") -> Parser:
    """Join the title and the text of a JSON record.

    Source: Thakur et al. 2021, "BEIR", arXiv:2104.08663; its BM25 baseline indexes `title + " " + text`.
    """
    decoder = msgspec.json.Decoder(_Record)

    def parse(source: SourceDocument) -> ParsedDocument:
        try:
            found = decoder.decode(source.data.removeprefix(BOM))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UnreadableDocumentError(f"no record with a text: {error}") from error
        return ParsedDocument(title_separator.join(part for part in (found.title, found.text) if part))

    return parse
