"""A report names the libraries that made its numbers, and no others."""

from __future__ import annotations

from bakeoff.scoring.handlers import library_versions


def test_a_library_that_computed_nothing_is_not_named_even_when_it_is_installed() -> None:
    # Otherwise two machines with other extras would give the same report different digests.
    assert set(library_versions(["ndcg", "exact_match"])) == {"pytrec_eval-terrier"}
    assert set(library_versions(["ndcg", "bleu"])) == {"pytrec_eval-terrier", "sacrebleu"}
