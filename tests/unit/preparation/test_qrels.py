"""Files of judgements."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.qrels import Judgements, read_qrels


def read(tmp_path: Path, data: bytes, findings: Findings | None = None) -> Judgements:
    path = tmp_path / "test.tsv"
    path.write_bytes(data)
    return read_qrels(path, findings or Findings())


@pytest.mark.parametrize("header", [b"", b"query-id\tcorpus-id\tscore\n", b"qid\tdocid\trelevance\n"])
def test_g4_the_first_judgement_counts_with_and_without_a_header(tmp_path: Path, header: bytes) -> None:
    assert read(tmp_path, header + b"1\t2\t1\n1\t3\t0\n") == {"1": {"2": 1, "3": 0}}


def test_grades_may_be_negative(tmp_path: Path) -> None:
    assert read(tmp_path, b"q\ta\t-1\nq\tb\t+2\n") == {"q": {"a": -1, "b": 2}}


@pytest.mark.parametrize("grade", ["0.2", "1.0", "1e1", "nan", "one", ""])
@pytest.mark.parametrize("first", [b"query-id\tcorpus-id\tscore\n", b"q\ta\t1\n"])
def test_a_grade_that_is_no_whole_number_is_refused_with_its_line(tmp_path: Path, grade: str, first: bytes) -> None:
    with pytest.raises(InvalidInputError, match=rf"test\.tsv:2: score: must be a whole number, not '{grade}'"):
        read(tmp_path, first + f"q\td\t{grade}\n".encode())


def test_a_fraction_on_the_first_line_is_no_header(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"test\.tsv:1: score: .*'0\.2'"):
        read(tmp_path, b"q\td\t0.2\n")


def test_a_line_without_three_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"test\.tsv:2: must be .*, not 'q 0 d 1'"):
        read(tmp_path, b"q\td\t1\nq 0 d 1\n")


def test_of_a_pair_judged_twice_the_higher_grade_counts(tmp_path: Path) -> None:
    findings = Findings()
    assert read(tmp_path, b"q\ta\t1\nq\ta\t0\nq\tb\t1\nq\tb\t1\n", findings) == {"q": {"a": 1, "b": 1}}
    counts = {finding.code: finding.count for finding in findings.all()}
    assert counts == {"duplicate_judgement": 2, "conflicting_judgement": 1}
    assert findings.all()[1].examples == ("q a: 1 and 0",)


def test_judgements_keep_the_order_of_the_file(tmp_path: Path) -> None:
    assert list(read(tmp_path, b"q\tz\t1\nq\ta\t1\nq\tm\t1\n")["q"]) == ["z", "a", "m"]
