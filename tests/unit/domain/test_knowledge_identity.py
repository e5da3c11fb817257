"""Rows F4 and F12 of the replayable cases: whatever changes a knowledge base gives it another id."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.knowledge import KnowledgeBaseIdentity
from tests.builders import a_recipe

BUILD = a_recipe(chunker="tokens(size=200, overlap=20)", embedder="hashing", indexes=["dense"]).build
IDENTITY = KnowledgeBaseIdentity("0" * 64, BUILD, {"chunker:tokens": "1"})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(IDENTITY, documents_digest="1" * 64), id="documents"),
        pytest.param(replace(IDENTITY, build=replace(BUILD, parser=ComponentSpec("markdown"))), id="parser"),
        pytest.param(
            replace(IDENTITY, build=replace(BUILD, chunker=ComponentSpec("tokens", {"size": 100, "overlap": 20}))),
            id="chunk size",
        ),
        pytest.param(replace(IDENTITY, build=replace(BUILD, embedder=ComponentSpec("static"))), id="embedder"),
        pytest.param(replace(IDENTITY, build=replace(BUILD, embedder=None)), id="no embedder"),
        pytest.param(replace(IDENTITY, build=replace(BUILD, indexes=(ComponentSpec("bm25"),))), id="index"),
        pytest.param(
            replace(IDENTITY, build=replace(BUILD, indexes=(ComponentSpec("dense", {"metric": "dot"}),))),
            id="parameter of the index",
        ),
        pytest.param(replace(IDENTITY, versions={"chunker:tokens": "2"}), id="version of a component"),
    ],
)
def test_rows_f4_and_f12_whatever_changes_a_knowledge_base_gives_it_another_id(other: KnowledgeBaseIdentity) -> None:
    assert other.kb_id != IDENTITY.kb_id


def test_the_same_parts_are_one_knowledge_base() -> None:
    assert replace(IDENTITY, build=replace(BUILD)).kb_id == IDENTITY.kb_id
