"""Runs and judgements are read as trec_eval reads them, and what is wrong is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.scoring.scored_run import score_run
from bakeoff.scoring.trec_files import Notes, read_run, read_trec_qrels

NDCG = [ComponentSpec("ndcg")]


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "file"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_run_is_read_by_its_scores_and_ends_of_lines_are_reserved(tmp_path: Path) -> None:
    text = "# a comment\nq1 Q0 b 9 0.5 tag more junk\r\n\nq1\tQ0\ta  1\t2e-1 tag\nq2 Q0 a 1 -3 tag"
    assert read_run(written(tmp_path, text), Notes()) == {"q1": {"b": 0.5, "a": 0.2}, "q2": {"a": -3.0}}


def test_a_byte_order_mark_is_no_part_of_the_first_query(tmp_path: Path) -> None:
    assert read_trec_qrels(written(tmp_path, b"\xef\xbb\xbfq1 0 a 1\n"), Notes()) == {"q1": {"a": 1}}


def test_g12_a_hash_within_an_id_is_a_mark_like_any_other(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 0 msmarco_doc#1 1\n#q1 0 x 1\n")
    assert read_trec_qrels(path, Notes()) == {"q1": {"msmarco_doc#1": 1}}


def test_white_space_beyond_ascii_is_part_of_an_id(tmp_path: Path) -> None:
    assert read_trec_qrels(written(tmp_path, "q1 0 a\u2003b 1\n"), Notes()) == {"q1": {"a\u2003b": 1}}


@pytest.mark.parametrize("score", ["NaN", "nan", "inf", "-Infinity", "high", "1e999"])
def test_a26_a_score_that_cannot_be_ranked_is_refused_with_its_line(tmp_path: Path, score: str) -> None:
    with pytest.raises(InvalidInputError, match=f"line 2: score must be a finite number, not '{score}'"):
        read_run(written(tmp_path, f"q Q0 a 1 1.0 t\nq Q0 b 2 {score} t\n"), Notes())


@pytest.mark.parametrize("grade", ["0.2", "x", "1.0"])
def test_a_grade_that_is_no_whole_number_is_refused_with_its_line(tmp_path: Path, grade: str) -> None:
    with pytest.raises(InvalidInputError, match="line 1: grade must be a whole number"):
        read_trec_qrels(written(tmp_path, f"q 0 a {grade}\n"), Notes())


@pytest.mark.parametrize("line", ["q Q0 a 1", "q"])
def test_too_few_columns_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match="line 1: must be `query Q0 document rank score tag`"):
        read_run(written(tmp_path, line), Notes())


@pytest.mark.parametrize("line", ["q 0 a", "q 0 a 1 2"])
def test_judgements_have_four_columns(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match="line 1: must be `query 0 document grade`"):
        read_trec_qrels(written(tmp_path, line), Notes())


def test_bytes_that_are_no_text_and_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="line 1: is no UTF-8"):
        read_run(written(tmp_path, b"q Q0 \xff 1 1.0 t\n"), Notes())
    with pytest.raises(InvalidInputError, match="cannot be read: No such file"):
        read_run(tmp_path / "none", Notes())


def test_a23_repeated_judgements_keep_the_higher_grade_and_conflicts_are_listed(tmp_path: Path) -> None:
    notes = Notes()
    found = read_trec_qrels(written(tmp_path, "q 0 a 1\nq 0 a 0\nq 0 b 2\nq 0 b 2\n"), notes)
    assert found == {"q": {"a": 1, "b": 2}}
    assert notes.told() == [
        "2 pairs are judged more than once; the higher grade counts, such as q a, q b",
        "1 pairs are judged twice with different grades; the higher one counts, such as q a: 1 and 0",
    ]


def test_a_document_that_stands_twice_in_a_ranking_counts_once(tmp_path: Path) -> None:
    notes = Notes()
    found = read_run(written(tmp_path, "q Q0 a 1 1.0 t\nq Q0 b 2 0.9 t\nq Q0 a 3 0.5 t\n"), notes)
    assert found == {"q": {"a": 1.0, "b": 0.9}}
    assert notes.told() == ["1 documents stand twice in a ranking; the higher score counts, such as q a"]


def test_a16_no_query_in_common_is_an_error_and_not_zeros() -> None:
    with pytest.raises(InvalidInputError, match=r"0 of 2 judged queries are in the run: .*'q1', 'q2', the run has 'x'"):
        score_run({"x": {"a": 1.0}}, {"q1": {"a": 1}, "q2": {"a": 1}}, NDCG)


def test_a17_queries_of_the_run_that_are_not_judged_do_not_count_and_are_counted() -> None:
    found = score_run({"q1": {"a": 1.0}, "x": {"a": 1.0}, "e": {"a": 1.0}}, {"q1": {"a": 1}, "e": {}}, NDCG)
    assert (found.means, found.unjudged) == ({"ndcg@10": 1.0}, ("x", "e"))


def test_a12_a_query_without_judgements_changes_nothing_of_the_others() -> None:
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"b": 1.0, "a": 0.5}}
    qrels = {"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}}
    found = score_run(run, qrels, [ComponentSpec("reciprocal_rank")])
    assert found.values == {"mrr": {"q1": 1.0, "q3": 0.5}}
    assert found.unjudged == ("q2",)


def test_judged_queries_that_the_run_lacks_count_as_zero() -> None:
    found = score_run({"q1": {"a": 1.0}}, {"q1": {"a": 1}, "q2": {"a": 1}}, NDCG)
    assert (found.means, found.missing) == ({"ndcg@10": 0.5}, ("q2",))


def test_a14_measures_at_several_cuts_are_the_same_when_they_are_asked_for_again() -> None:
    specs = [ComponentSpec("ndcg", {"k": k}) for k in (10, 20)]
    run = {"q": {f"d{number}": float(-number) for number in range(30)}}
    qrels = {"q": {"d3": 2, "d15": 1, "d40": 1}}
    first = score_run(run, qrels, specs)
    assert score_run(run, qrels, specs) == first
    assert 0 < first.means["ndcg@10"] < first.means["ndcg@20"] < 1


def test_relevance_from_a_higher_grade_on() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}
    specs = [ComponentSpec("average_precision"), ComponentSpec("reciprocal_rank"), ComponentSpec("ndcg")]
    found = score_run(run, qrels, specs, relevance_level=2)
    assert found.means == pytest.approx({"map": 0.5, "mrr": 0.5, "ndcg@10": 0.8597186998521972})


@pytest.mark.parametrize("name", ["exact_match", "evidence_recall", "page_recall"])
def test_only_measures_of_rankings_of_documents_can_score_a_run(name: str) -> None:
    with pytest.raises(InvalidInputError, match="is no measure of a ranking of documents"):
        score_run({"q": {"a": 1.0}}, {"q": {"a": 1}}, [ComponentSpec(name)])


def test_an_unknown_measure_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="nope"):
        score_run({"q": {"a": 1.0}}, {"q": {"a": 1}}, [ComponentSpec("nope")])
