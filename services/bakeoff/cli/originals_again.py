"""Checking traced passages against their originals: fetched, parsed again, and compared."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.client import Client
from bakeoff.domain.answer import Passage
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.trace import TracedAnswer, TracedDocument
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.rebuilding import parsed_again, rebuilt, source_of


class OriginalsAgain:
    """Reads each original and parses each document once."""

    def __init__(self, client: Client, plugins: Sequence[str] = ()) -> None:
        """Fetch originals from a platform; `plugins` are modules that bring further parsers."""
        self._client = client
        self._plugins = plugins
        self._originals: dict[str, bytes] = {}
        self._parsed: dict[tuple[str, str, str], ParsedDocument] = {}

    def problem(self, traced: TracedAnswer, passage: Passage) -> str:
        """Return what is wrong with a passage; empty when its text is what its original says, or was not kept."""
        documents = {each.document_id: each for each in traced.documents}
        if passage.document_id not in documents:
            return f"the benchmark has no document {passage.document_id!r}"
        try:
            again = rebuilt(passage, self._document(traced, passage, documents[passage.document_id]))
        except BakeoffError as error:
            return str(error)
        if passage.text is not None and again.text != passage.text:
            return "the original, parsed again, says something else there"
        if passage.pages is not None and list(again.pages) != list(range(passage.pages.start, passage.pages.stop)):
            return f"the original, parsed again, has it on the pages {[page + 1 for page in again.pages]}"
        return ""

    def _document(self, traced: TracedAnswer, passage: Passage, document: TracedDocument) -> ParsedDocument:
        key = (traced.parser, passage.raw_key, passage.document_id)
        if key not in self._parsed:
            if passage.raw_key not in self._originals:
                self._originals[passage.raw_key] = b"".join(self._client.original(passage.raw_key))
            original = self._originals[passage.raw_key]
            source = source_of(passage, original, document.name, document.media_type)
            self._parsed[key] = parsed_again(ComponentSpec.parse(traced.parser), source, self._plugins)
        return self._parsed[key]
