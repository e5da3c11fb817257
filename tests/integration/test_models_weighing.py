"""Many likelihoods at once, from an endpoint on a socket: kept, failing one by one, given up where none come."""

from __future__ import annotations

import pytest

from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import CancelledItemError
from bakeoff.models.likelihood import Weighed, Weighing
from bakeoff.models.model import Model
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.models.pricing import Prices
from bakeoff.models.responses import ResponseStore
from bakeoff.models.weighing import weigh_all
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.e2e.likelihood_model import NEW, REPEATED, LikelihoodEndpoint, a_likelihood_endpoint

TEXTS = [Weighing(f"one two {number}", f" two {number} three") for number in range(20)]
SUM = 2 * REPEATED + NEW


def a_model(endpoint: LikelihoodEndpoint, responses: ResponseStore | None = None) -> Model:
    settings = ModelSettings(endpoint.base_url, "m", prices=Prices(1e6, 1e6), bounds=Bounds(most_at_once=4))
    return Model(settings, responses=responses)


def test_every_text_has_its_likelihood_and_a_second_run_makes_no_call() -> None:
    store = ResponseStore(MemoryObjects())
    with a_likelihood_endpoint() as endpoint:
        first, second = dict[int, Weighed | Failure](), dict[int, Weighed | Failure]()
        assert weigh_all(a_model(endpoint, store), TEXTS, first.__setitem__) == ""
        calls = len(endpoint.weighed)
        assert weigh_all(a_model(endpoint, store), TEXTS, second.__setitem__) == ""
        assert (calls, len(endpoint.weighed)) == (20, 20)
    weighed = [first[number] for number in range(20)]
    assert all(isinstance(each, Weighed) and each.likelihood.logprob == SUM for each in weighed)
    usages = [each.usage for each in weighed if isinstance(each, Weighed)]
    assert {(usage.tokens_in, usage.cost, usage.attempts) for usage in usages} == {(6, 6.0, 1)}
    assert all(usage.latency_ms for usage in usages)
    again = [each.usage for each in second.values() if isinstance(each, Weighed)]
    assert {(usage.tokens_in, usage.cost, usage.attempts) for usage in again} == {(6, 6.0, 0)}


def test_a_text_that_is_refused_fails_alone_wherever_it_stands() -> None:
    for place in (0, 7):
        texts = [*TEXTS]
        texts[place] = Weighing("this is", " too long")
        outcomes = dict[int, Weighed | Failure]()
        with a_likelihood_endpoint() as endpoint:
            assert weigh_all(a_model(endpoint), texts, outcomes.__setitem__) == ""
        failed = [number for number, outcome in outcomes.items() if isinstance(outcome, Failure)]
        assert (failed, len(outcomes)) == ([place], 20)
        assert "too long" in str(outcomes[place])


def test_an_endpoint_that_weighs_nothing_is_asked_no_more_than_it_takes_to_know() -> None:
    outcomes = dict[int, Weighed | Failure]()
    with a_likelihood_endpoint(echoes=False) as endpoint:
        reason = weigh_all(a_model(endpoint), TEXTS, outcomes.__setitem__)
        assert "does not repeat the prompt" in reason
        assert len(endpoint.weighed) == 2, "the text, and one that any endpoint can weigh"
    assert outcomes == {}


def test_who_is_told_may_end_the_weighing() -> None:
    def stop(number: int, outcome: Weighed | Failure) -> None:
        if number:
            raise CancelledItemError("stopped")

    with a_likelihood_endpoint() as endpoint:
        with pytest.raises(CancelledItemError):
            weigh_all(a_model(endpoint), TEXTS, stop)
        assert len(endpoint.weighed) < 20


def test_nothing_to_weigh_asks_nobody() -> None:
    with a_likelihood_endpoint() as endpoint:
        assert weigh_all(a_model(endpoint), [], lambda number, outcome: None) == ""
        assert endpoint.weighed == []
