"""What every engine that searches in hops may be told."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.runtime.registry import Is

Hops = Annotated[int, Is("searches of a case at most", minimum=1, maximum=20)]
Passages = Annotated[int, Is("first passages of each hop that the next query is made from", minimum=1)]
MergeName = Annotated[
    Literal["best_rank", "rrf"],
    Is("how the hops become one ranking: by the best rank in any hop, or by reciprocal rank fusion"),
]
RrfK = Annotated[int, Is("of `rrf`: how little the first ranks stand out", minimum=0)]
