"""Charts of values that hardly differ."""

from __future__ import annotations

import pytest

from bakeoff.reporting.page.charts import Point, dot_chart


@pytest.mark.parametrize("high", [0.75, 0.75 + 1e-16, 0.75 + 1e-11, 0.75 + 1e-7, 0.76])
@pytest.mark.parametrize("bound", [None, 1.0, 0.75])
def test_values_that_are_equal_but_for_rounding_have_an_axis(high: float, bound: float | None) -> None:
    chart = dot_chart("metric", [Point("one", 0.75, 0.75, high, "0.75", 0)], 0.0, bound)
    assert chart.count("<svg") == 1
    assert "nan" not in chart
