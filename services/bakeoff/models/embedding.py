"""Vectors of texts: in batches, of which a bad text fails alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.failing import failure_of
from bakeoff.models.refusals import EndpointTroubleError, RefusedRequestError
from bakeoff.models.replies import Vectors

Vector = tuple[float, ...]
EmbedBatch = Callable[[Sequence[str]], Awaitable[Vectors]]


async def embedded(texts: Sequence[str], embed: EmbedBatch) -> list[Vector | Failure]:
    """Return the vector of each text, or why it has none, in the texts' order.

    A batch that the endpoint refuses is halved until the texts to blame are found.

    Args:
        texts: One batch.
        embed: Asks for the vectors of texts.

    Raises:
        UnavailableError: the endpoint does not answer.
        InvalidInputError, NotFoundError: it refuses whatever is asked.
    """
    if not texts:
        return []
    try:
        return list(_in_order(await embed(texts), len(texts)))
    except RefusedRequestError as error:
        if len(texts) == 1:
            return [failure_of(error, FailureKind.INPUT)]
    half = len(texts) // 2
    return [*await embedded(texts[:half], embed), *await embedded(texts[half:], embed)]


def _in_order(vectors: Vectors, wanted: int) -> list[Vector]:
    ordered = sorted(vectors.data, key=lambda vector: vector.index)
    # Some endpoints number nothing: then all have index 0 and come in order, which sorting keeps.
    numbered = [vector.index for vector in ordered] == list(range(wanted)) or not any(v.index for v in ordered)
    if len(ordered) != wanted or not numbered:
        raise EndpointTroubleError(f"the endpoint returns {len(ordered)} vectors for {wanted} texts")
    if len({len(vector.embedding) for vector in ordered}) > 1 or not ordered[0].embedding:
        raise EndpointTroubleError("the endpoint returns vectors of different lengths, or empty ones")
    return [tuple(vector.embedding) for vector in ordered]
