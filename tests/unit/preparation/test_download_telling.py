"""What those who follow an evaluation are told of its downloads."""

from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.evaluation import Download
from bakeoff.preparation.download_telling import DownloadTelling, shown_address

SET = BenchmarkResource("archive", "https://data.example/sets/scifact.zip")
OTHER = BenchmarkResource("archive", "https://data.example/sets/nfcorpus.zip")


def told(*steps: tuple[float, BenchmarkResource, int, int | None]) -> list[tuple[str, int, int | None]]:
    """Return what is told of progress at some seconds."""
    said: list[Download] = []
    now = [0.0]
    telling = DownloadTelling("scifact", said.append, lambda: now[0])
    for at, resource, there, total in steps:
        now[0] = at
        telling.progress(resource, there, total)
    assert {each.benchmark for each in said} <= {"scifact"}
    return [(each.address[-12:], each.received_bytes, each.total_bytes) for each in said]


def test_it_is_told_at_most_once_a_second() -> None:
    steps = [(at / 10, SET, at, 1000) for at in range(25)]
    assert told(*steps) == [("/scifact.zip", 0, 1000), ("/scifact.zip", 10, 1000), ("/scifact.zip", 20, 1000)]


def test_that_a_download_is_complete_is_told_at_once() -> None:
    steps = [(0.0, SET, 1, None), (0.1, SET, 9, None), (0.2, SET, 9, 9), (0.3, SET, 9, 9)]
    assert told(*steps) == [("/scifact.zip", 1, None), ("/scifact.zip", 9, 9)]


def test_of_many_small_files_only_one_a_second_is_told() -> None:
    steps = [(0.0, SET, 9, 9), (0.1, OTHER, 9, 9), (0.2, SET, 9, 9), (1.1, OTHER, 8, 8)]
    assert told(*steps) == [("/scifact.zip", 9, 9), ("nfcorpus.zip", 8, 8)]


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("https://me:secret@data.example:8443/a/b.zip?token=secret#secret", "https://data.example:8443/a/b.zip"),
        ("s3://sets/a/b.zip", "s3://sets/a/b.zip"),
    ],
)
def test_secrets_of_an_address_are_not_told(uri: str, shown: str) -> None:
    assert shown_address(uri) == shown


def test_an_address_that_is_told_is_not_too_long_for_a_message() -> None:
    assert len(shown_address("https://data.example/" + "a" * 100_000)) == 500
