"""What evidence points at: judgements of documents that are not there, and how high metrics can get without them."""

from __future__ import annotations

import math
from collections.abc import Container

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.evidence_texts import EvidenceTexts
from bakeoff.preparation.findings import Findings

CUTOFF = 10
"""Rank at which the ceiling of nDCG is given: that of BEIR's headline."""


class JudgementAudit:
    """Looks at the evidence of each case."""

    def __init__(self, document_ids: Container[str], findings: Findings) -> None:
        """Start with no case.

        Args:
            document_ids: All documents of the benchmark.
            findings: Where faults are noted.
        """
        self._known = document_ids
        self._findings = findings
        self._judged = 0
        self._reachable = 0
        self._recall: list[float] = []
        self._ndcg: list[float] = []
        self._without_evidence: list[str] = []
        self.texts = EvidenceTexts()
        """The words that evidence says are in documents."""
        self.judgements = 0
        """Pieces of evidence so far."""
        self.needs_texts = False
        """Whether some evidence is told by its words."""

    def add(self, case: Case) -> None:
        """Look at one case."""
        evidence = case.expected.evidence
        self.judgements += len(evidence)
        self.needs_texts = self.needs_texts or any(piece.text for piece in evidence)
        self.texts.add(case)
        grades: dict[str, int] = {}
        for piece in evidence:
            document_id = piece.locator.get("document_id")
            if isinstance(document_id, str):
                grades[document_id] = max(piece.relevance, grades.get(document_id, piece.relevance))
        if not evidence:
            self._without_evidence.append(case.case_id)
        # SQuAD's gold answer of a question without one is "", and right.
        if any(answer and not answer.strip() for answer in case.expected.answers):
            self._findings.note("empty_answer", "gold answers without a word; nothing equals them", case.case_id)
        if not self._expects(case):
            self._findings.note(
                "nothing_expected", "cases with no answer and no evidence cannot be scored", case.case_id
            )
        if grades:
            self._add(case.case_id, grades)

    def ceiling(self) -> dict[str, float]:
        """Return the highest mean that recall and nDCG@10 can reach; empty when that is 1."""
        ceilings = {"recall": self._recall, f"ndcg@{CUTOFF}": self._ndcg}
        means = {name: math.fsum(values) / len(values) for name, values in ceilings.items() if values}
        return {name: mean for name, mean in means.items() if mean < 1.0}

    def check(self) -> None:
        """Note cases without evidence among those with it, once all are there; refuse judgements of another corpus.

        Raises:
            InvalidInputError: so it is.
        """
        message = "cases without evidence, among others with it; metrics of retrieval do not apply to them"
        for case_id in self._without_evidence if self.judgements else ():
            self._findings.note("case_without_evidence", message, case_id)
        if self._judged and not self._reachable:
            raise InvalidInputError(
                f"0 of {self._judged} judged cases have a judged document that is there; are the ids of another corpus?"
            )

    @staticmethod
    def _expects(case: Case) -> bool:
        """Return whether something is expected of a case, or can be said of its text without a gold answer."""
        expected = case.expected
        if expected.evidence or expected.answers or expected.metadata or expected.value is not None:
            return True
        return case.metadata.get("eval_type") == "key1_text_score"

    def _add(self, case_id: str, grades: dict[str, int]) -> None:
        self._judged += 1
        there = {document_id: grade for document_id, grade in grades.items() if document_id in self._known}
        self._reachable += bool(there)
        message = "judgements of documents that are not in the corpus; what they ask for cannot be found"
        for document_id in grades:
            if document_id not in there:
                self._findings.note("dangling_judgement", message, f"{case_id} {document_id}")
        relevant = sum(grade >= 1 for grade in grades.values())
        if not relevant:
            note = "cases whose judgements are all below 1 score 0 whatever is found"
            self._findings.note("no_relevant_document", note, case_id)
            return
        self._recall.append(sum(grade >= 1 for grade in there.values()) / relevant)
        self._ndcg.append(_best_gain(there) / _best_gain(grades))


def _best_gain(grades: dict[str, int]) -> float:
    """Return the discounted gain of the best ranking: gain = grade, discount log2(rank + 1), as trec_eval."""
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:CUTOFF]
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))
