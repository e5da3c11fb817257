from __future__ import annotations

import pytest

from bakeoff.models.pricing import Prices


def test_tokens_are_paid_per_million() -> None:
    assert Prices(3.0, 15.0).cost(1_000_000, 200_000) == pytest.approx(3.0 + 3.0)


def test_kept_tokens_have_their_own_price_where_there_is_one() -> None:
    # 600 k at 3, 400 k at 0.3
    assert Prices(3.0, 15.0, 0.3).cost(1_000_000, 0, 400_000) == pytest.approx(1.8 + 0.12)
    assert Prices(3.0, 15.0).cost(1_000_000, 0, 400_000) == pytest.approx(3.0)


def test_no_more_tokens_are_kept_than_there_are() -> None:
    assert Prices(3.0, 15.0, 0.0).cost(10, 0, 99) == 0.0


def test_the_cost_of_unknown_tokens_is_not_known() -> None:
    assert Prices(3.0, 15.0).cost(None, 5) is None
    assert Prices(3.0, 15.0).cost(5, None) is None
