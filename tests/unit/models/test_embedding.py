from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.models.embedding import embedded
from bakeoff.models.refusals import EndpointTroubleError, RefusedKeyError, RefusedRequestError
from bakeoff.models.replies import Vector, Vectors


class Endpoint:
    """Gives each text its length as vector, in the order of `order`, and refuses batches with a bad text."""

    def __init__(self, *, numbered: bool = True, backwards: bool = False) -> None:
        self.numbered, self.backwards = numbered, backwards
        self.calls = 0

    async def __call__(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if any(text.startswith("bad") for text in texts):
            raise RefusedRequestError("400: too long", "too long")
        data = [Vector([float(len(text))], n if self.numbered else 0) for n, text in enumerate(texts)]
        return Vectors(data[::-1] if self.backwards else data)


def test_vectors_come_in_the_order_of_the_texts() -> None:
    for endpoint in (Endpoint(), Endpoint(backwards=True), Endpoint(numbered=False)):
        assert asyncio.run(embedded(["a", "bbb", "cc"], endpoint)) == [(1.0,), (3.0,), (2.0,)]


@pytest.mark.parametrize("bad", [{0}, {7}, {3, 4}, set(range(8))])
def test_a_bad_text_fails_alone(bad: set[int]) -> None:
    texts = [f"{'bad' if n in bad else 'good'} {n}" for n in range(8)]
    endpoint = Endpoint()

    found = asyncio.run(embedded(texts, endpoint))

    assert {n for n, vector in enumerate(found) if isinstance(vector, Failure)} == bad
    assert all(vector.kind is FailureKind.INPUT for vector in found if isinstance(vector, Failure))
    # A binary tree over 8 texts has 15 nodes; each bad text has 3 ancestors with 2 children.
    assert endpoint.calls <= min(15, 1 + 6 * len(bad))


def test_what_is_no_matter_of_a_text_is_raised() -> None:
    async def refuse(texts: Sequence[str]) -> Vectors:
        raise RefusedKeyError("401")

    with pytest.raises(RefusedKeyError):
        asyncio.run(embedded(["a", "b"], refuse))


@pytest.mark.parametrize(
    "vectors",
    [
        Vectors([Vector([1.0], 0)]),
        Vectors([Vector([1.0], 0), Vector([1.0], 2)]),
        Vectors([Vector([1.0], 0), Vector([1.0, 2.0], 1)]),
        Vectors([Vector([], 0), Vector([], 1)]),
    ],
)
def test_vectors_that_cannot_be_told_apart_are_refused(vectors: Vectors) -> None:
    async def reply(texts: Sequence[str]) -> Vectors:
        return vectors

    with pytest.raises(EndpointTroubleError):
        asyncio.run(embedded(["a", "b"], reply))


def test_no_texts_need_no_call() -> None:
    endpoint = Endpoint()

    assert asyncio.run(embedded([], endpoint)) == []
    assert endpoint.calls == 0
