"""Macro averages: every subject counts alike, however many questions it has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.benchmark import BenchmarkManifest
from bakeoff.reporting.groups import groups_of, macro_mean
from tests.builders import a_case


def test_every_group_counts_alike_and_failed_cases_count_as_zero() -> None:
    # law: 1 of 4 right, one of them failed; art: 1 of 1. Micro 2/5, macro (1/4 + 1) / 2.
    assert macro_mean(["law"] * 4 + ["art"], [1.0, 0.0, 0.0, 0.0, 1.0]) == 0.625


def test_what_is_not_applicable_counts_in_no_group() -> None:
    assert macro_mean(["law", "law", "art"], [1.0, None, None]) == 1.0
    assert macro_mean(["law"], [None]) is None


def test_without_a_grouping_there_is_no_macro_average() -> None:
    assert macro_mean([], [1.0]) is None


@pytest.mark.parametrize(("metadata", "groups"), [({"macro_by": "subject"}, ("law", "")), ({}, ())])
def test_the_benchmark_names_the_label(metadata: dict[str, object], groups: tuple[str, ...]) -> None:
    cases = [replace(a_case("a"), labels={"subject": "law"}), replace(a_case("b"), labels={})]
    manifest = BenchmarkManifest("exam", "1", "test", "multiple_choice", metadata=metadata)
    assert groups_of(manifest, cases) == groups
