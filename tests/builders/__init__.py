"""Small builders of domain nouns: name what the test is about, the rest is filled in."""

from tests.builders.answer import a_passage, a_score, an_answer
from tests.builders.benchmark import a_benchmark, a_case, a_document, some_evidence
from tests.builders.evaluation import a_request
from tests.builders.recipe import a_mode, a_recipe

__all__ = [
    "a_benchmark",
    "a_case",
    "a_document",
    "a_mode",
    "a_passage",
    "a_recipe",
    "a_request",
    "a_score",
    "an_answer",
    "some_evidence",
]
