"""What became of each piece of evidence, as a reader sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SHOWN_REFERENCE = 80


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One piece of evidence and one entrant."""

    reference: str
    found: bool
    told: str
    """Where it was found and what matched; or which passage is nearest, and what does not fit."""


def evidence_views(details: Mapping[str, object]) -> tuple[EvidenceView, ...]:
    """Return the pieces of evidence that evaluators looked for, in the case's order; empty when none looked."""
    return tuple(
        EvidenceView(str(piece.get("reference") or "")[:SHOWN_REFERENCE], _rank(piece) is not None, _told(piece))
        for piece in _pieces(details)
    )


def matched_passages(details: Mapping[str, object]) -> dict[int, list[str]]:
    """Return, by rank, for each piece of evidence that was first found there: what matched."""
    found: dict[int, list[str]] = {}
    for piece in _pieces(details):
        rank = _rank(piece)
        if rank is not None:
            found.setdefault(rank, []).append(f"evidence matched by {_words(piece.get('by'))}")
    return found


def _pieces(details: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    pieces = details.get("evidence")
    return (piece for piece in pieces if isinstance(piece, dict)) if isinstance(pieces, list) else iter(())


def _rank(piece: Mapping[str, object]) -> int | None:
    rank = piece.get("rank")
    return rank if isinstance(rank, int) else None


def _told(piece: Mapping[str, object]) -> str:
    ignored = f"; not compared: {_words(piece['ignored'])}" if piece.get("ignored") else ""
    rank = _rank(piece)
    if rank is not None:
        return f"passage {rank}, matched by {_words(piece.get('by'))}{ignored}"
    nearest = piece.get("nearest")
    if not isinstance(nearest, dict):
        return f"not found{ignored}"
    return (
        f"not found; nearest is passage {nearest.get('rank')}, which fits {_words(nearest.get('by'))} and not "
        f"{_words(nearest.get('not'))}{ignored}"
    )


def _words(names: object) -> str:
    return ", ".join(map(str, names)) if isinstance(names, list) else ""
