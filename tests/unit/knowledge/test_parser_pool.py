"""Parsing in other processes: what happens to one document happens to no other one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from bakeoff.domain.answer import Span
from bakeoff.knowledge import parser_pool
from bakeoff.knowledge.parser_child import Order
from bakeoff.knowledge.parser_pool import FaultyParserError, ParserPool, isolated
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from tests.unit.knowledge.hostile_readers import read
from tests.unit.knowledge.office_files import an_xlsx


def source(text: str) -> SourceDocument:
    return SourceDocument("d1", text.encode(), "text/plain", "name", "key", "ab" * 32, Span(1, 2))


def order(text: str) -> Order:
    return Order(read.__module__, read.__qualname__, source(text))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("spin", "parsing it takes more than 1 s of CPU time"),
        ("fill", "parsing it takes more than 512 MiB of memory"),
        ("kill", r"it killed the process that parsed it \(signal SIGKILL\)"),
        ("exit", r"it killed the process that parsed it \(exit status 3\)"),
        ("refuse", "it says so"),
    ],
)
def test_what_a_document_does_to_its_process_is_the_reason_why_it_cannot_be_read(said: str, words: str) -> None:
    parse = isolated(read, cpu_s=1, memory_mb=512)

    with pytest.raises(UnreadableDocumentError, match=words):
        parse(source(said))
    assert parse(source("fine")).text == "fine"


def test_a_process_that_waits_for_ever_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_pool, "WALL_PER_CPU", 1)

    with pytest.raises(UnreadableDocumentError, match="took more than 2 s on the clock"):
        isolated(read, cpu_s=2)(source("wait"))


def test_a_fault_of_a_reader_keeps_its_class_and_words() -> None:
    with pytest.raises(FaultyParserError, match="ZeroDivisionError: a fault of the reader"):
        isolated(read)(source("fault"))


def test_what_a_library_prints_is_no_answer() -> None:
    assert isolated(read)(source("print")).text == "print"


def test_settings_reach_the_reader() -> None:
    with pytest.raises(UnreadableDocumentError, match="it says so"):
        isolated(read, {"how": "refuse"})(source("fine"))


def test_a_reader_that_another_process_cannot_find_is_refused() -> None:
    with pytest.raises(ValueError, match="at the top of a module that can be imported"):
        isolated(lambda source: ParsedDocument(""))


def test_small_documents_may_be_read_here() -> None:
    parse = isolated(read, inline_bytes=4)

    assert parse(source("fine")).notes == (str(os.getpid()),)
    assert parse(source("finer")).notes != (str(os.getpid()),)


def test_a_process_is_used_again_and_replaced_when_it_dies() -> None:
    pool = ParserPool(keep=1)
    try:
        first, second = pool.run(order("a")), pool.run(order("b"))
        assert first.parsed is not None
        assert second.parsed is not None
        assert first.parsed.notes == second.parsed.notes
        assert pool.run(order("kill")).parsed is None
        third = pool.run(order("c")).parsed
        assert third is not None
        assert third.notes != first.parsed.notes
    finally:
        pool.close()


def test_threads_do_not_get_each_others_documents() -> None:
    parse = isolated(read)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda number: parse(source(f"text {number}")).text, range(40)))

    assert found == [f"text {number}" for number in range(40)]


def test_a_document_that_another_process_reads_is_the_same() -> None:
    from bakeoff.knowledge.formats.sheets import read_xlsx

    book = SourceDocument("d1", an_xlsx({"s": [["a", "b"], ["1", "ü"]]}))
    here = read_xlsx(book)

    assert isinstance(here, ParsedDocument)
    assert isolated(read_xlsx)(book) == here
