"""What models took to retrieve: apart from what they took to answer, from stored answers to the report."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.contract import codec
from bakeoff.contract.stored_answers import decode_answers, encode_answers
from bakeoff.domain.answer import AnswerBatch, CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.prompt import Usage
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.text import render_summary, render_text
from bakeoff.reporting.usage_tables import sums
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [a_case(f"c{number}") for number in range(3)]
REWRITES, WORDS = "rewrites/full_text_search", "words/full_text_search"
FELL_BACK: dict[str, object] = {
    "retrieval": {"engine": "rerank", "first": [{"engine": "rewrite", "fallback": {"kind": "parse"}}]}
}


def retrieved(number: int) -> CaseAnswer:
    """Of three cases the first was stored, and the last went on without the model's word."""
    took = Usage(100, 10, None, 0.5, number, 2000.0)
    answer = replace(an_answer(f"c{number}", text="Oslo"), usage=Usage(7, 1, None, 0.25, 1, 1000.0))
    return replace(answer, retrieval_usage=took, metadata=FELL_BACK if number == 2 else {})


def reported() -> EvaluationReport:
    def says(entrant: str, case: Case) -> CaseAnswer:
        return retrieved(CASES.index(case)) if entrant == REWRITES else an_answer(case.case_id)

    request = a_request(recipes=[a_recipe("rewrites", answer="extractive"), a_recipe("words")])
    found = evaluate(request, CASES, says, methods=["hit(k=1)"])
    return assemble(gather(found.plan, found.context))


def test_what_retrieval_took_is_summed_beside_what_answers_took() -> None:
    usage = reported().run.usage
    assert set(usage) == {REWRITES}
    facts = usage[REWRITES]
    assert (facts["tokens_in"], facts["cost"], facts["calls"]) == (3 * 7, 3 * 0.25, 3)
    assert (facts["retrieval_tokens_in"], facts["retrieval_tokens_out"]) == (3 * 100, 3 * 10)
    assert (facts["retrieval_cost"], facts["retrieval_latency_average"]) == (3 * 0.5, 2000.0)
    assert (facts["retrieval_asked"], facts["retrieval_stored"], facts["retrieval_calls"]) == (3, 1, 0 + 1 + 2)
    assert facts["retrieval_fallbacks"] == 1, "the one that an inner engine tells of"


def test_the_table_of_what_models_took_has_columns_of_retrieval() -> None:
    report = reported()
    table = sums(report)
    (row,) = table.rows
    cells = dict(zip(table.header, row, strict=True))
    assert (cells["retrievals"], cells["their tokens in"], cells["without the model's word"]) == ("3", "300", "1")
    assert "retrievals" in render_text(report)


def embedded(number: int) -> CaseAnswer:
    """Of three cases the question of the first had its vector; each has twelve tokens."""
    return replace(an_answer(f"c{number}"), embedding_usage=Usage(12, 0, None, 0.5, min(number, 1)))


def embedding_reported(paid_by: str = WORDS) -> EvaluationReport:
    def says(entrant: str, case: Case) -> CaseAnswer:
        return embedded(CASES.index(case)) if entrant == paid_by else an_answer(case.case_id)

    found = evaluate(a_request(recipes=[a_recipe("words")]), CASES, says, methods=["hit(k=1)"])
    return assemble(gather(found.plan, found.context))


def test_what_embedding_the_questions_took_is_summed_and_no_part_of_the_digest() -> None:
    report = embedding_reported()
    assert report.run.usage == {
        WORDS: {
            "embedding_asked": 3,
            "embedding_stored": 1,
            "embedding_tokens_in": 3 * 12,
            "embedding_cost": 3 * 0.5,
        }
    }
    assert report.digest == embedding_reported(paid_by="nobody").digest


def test_the_terminal_shows_what_embedding_the_questions_took() -> None:
    report = embedding_reported()
    (row,) = sums(report).rows
    assert row[1:] == ("3", "1", "36", "1.5000")
    assert "cost to embed questions" in render_summary(report)
    assert "those of 1 were, and cost nothing this time" in " ".join(render_text(report).split())


def test_usage_travels_with_the_answer() -> None:
    for answer in (retrieved(1), embedded(0), embedded(1)):
        again = codec.case_answer_from_wire(codec.case_answer_to_wire(answer))
        assert again.retrieval_usage == answer.retrieval_usage
        assert again.embedding_usage == answer.embedding_usage
        batch = AnswerBatch("b", "u", WORDS, "kb", (answer,))
        assert decode_answers(encode_answers(batch)).answers[0].embedding_usage == answer.embedding_usage
