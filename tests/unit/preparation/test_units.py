"""Run units: their cases, their documents, and digests of these."""

from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case, RunUnit
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import PreparedDocument
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.units import DocumentDigests, lay_out
from tests.builders.benchmark import a_case


def laid_out(units: list[RunUnit], cases: list[Case], findings: Findings | None = None) -> dict[str, list[str]]:
    found = lay_out(units, iter(cases), findings or Findings())
    return {each.unit.unit_id: [case.case_id for case in each.cases] for each in found}


def a_prepared_document(document_id: str, sha256: str = "0" * 64) -> PreparedDocument:
    return PreparedDocument(document_id, "d.txt", "text/plain", document_id, None, sha256, 1)


def digest(units: list[RunUnit], unit: RunUnit, *documents: PreparedDocument, original: str = "f" * 64) -> str:
    digests = DocumentDigests("harbour", "test", units)
    for document in documents:
        digests.add(document, original)
    return digests.of(unit)[0]


CASES = [a_case("a"), a_case("b"), a_case("c")]


def test_no_case_ids_means_all_cases() -> None:
    assert laid_out([RunUnit("all")], CASES) == {"all": ["a", "b", "c"]}


def test_the_cases_of_a_unit_are_adjacent_and_in_the_benchmarks_order() -> None:
    units = [RunUnit("one", case_ids=("c", "a")), RunUnit("two", case_ids=("b",))]
    assert laid_out(units, CASES) == {"one": ["a", "c"], "two": ["b"]}


def test_a_case_may_be_asked_of_two_units() -> None:
    units = [RunUnit("one"), RunUnit("two", case_ids=("b",))]
    assert laid_out(units, CASES) == {"one": ["a", "b", "c"], "two": ["b"]}


def test_a_case_in_no_unit_is_an_error_and_does_not_vanish() -> None:
    with pytest.raises(InvalidInputError, match="1 cases are in no unit: c"):
        laid_out([RunUnit("one", case_ids=("a",)), RunUnit("two", case_ids=("b",))], CASES)


def test_units_of_which_nothing_is_asked_are_left_out_and_noted() -> None:
    findings = Findings()
    units = [RunUnit("one", case_ids=("a",)), RunUnit("two", case_ids=("beyond-the-limit",))]
    assert laid_out(units, [a_case("a")], findings) == {"one": ["a"]}
    assert [finding.code for finding in findings.all()] == ["unit_without_cases"]


@pytest.mark.parametrize("units", [[], [RunUnit("")], [RunUnit("u"), RunUnit("u")]])
def test_units_must_be_there_and_have_ids_of_their_own(units: list[RunUnit]) -> None:
    with pytest.raises(InvalidInputError):
        laid_out(units, CASES)


def test_a_unit_that_names_all_documents_has_the_digest_of_all() -> None:
    documents = a_prepared_document("d1"), a_prepared_document("d2")
    every, named = RunUnit("every"), RunUnit("named", document_ids=("d2", "d1"))
    assert digest([every, named], every, *documents) == digest([every, named], named, *documents)


def test_the_digest_depends_on_bytes_order_and_original_and_on_nothing_of_other_units() -> None:
    unit = RunUnit("u", document_ids=("d1",))
    one, two = a_prepared_document("d1"), a_prepared_document("d2")
    base = digest([unit], unit, one)
    assert digest([unit], unit, two, one) == base
    assert digest([unit], unit, a_prepared_document("d1", "1" * 64)) != base
    assert digest([unit], unit, one, original="e" * 64) != base
    every = RunUnit("u")
    assert digest([every], every, one, two) != digest([every], every, two, one)


def test_a_unit_with_a_document_that_is_not_there_is_refused() -> None:
    unit = RunUnit("u", document_ids=("d1", "d9"))
    with pytest.raises(InvalidInputError, match=r"unit 'u' names documents that are not there: \['d9'\]"):
        digest([unit], unit, a_prepared_document("d1"))
