"""Charts as inline SVG: dots with interval whiskers, and differences around zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

ROW = 30
LEFT, RIGHT, WIDTH = 165, 66, 520
LEAST = 1e-6
"""Range below which values are equal but for rounding."""
TICKS = 5
LONGEST_LABEL = 20


@dataclass(frozen=True, slots=True)
class Point:
    """One entrant's value."""

    label: str
    value: float
    low: float
    high: float
    text: str
    """The value as it is written beside the dot."""
    colour: int
    """Number of the entrant's colour, from 0."""


def dot_chart(title: str, points: Sequence[Point], lowest: float, highest: float | None) -> Markup:
    """Return a chart with a dot and a whisker for each entrant, one below the other.

    The axis covers what is shown, not 0 to 1: differences are what a reader looks for, and its ends are labelled.

    Args:
        title: What the chart shows, for readers that do not see it.
        points: At least one.
        lowest: Least possible value.
        highest: Greatest possible value; None when there is no bound.
    """
    ticks = _ticks(min(point.low for point in points), max(point.high for point in points), lowest, highest)
    height = ROW * len(points) + 30
    parts = [_axis(ticks, height)]
    for number, point in enumerate(points):
        parts.append(_row(point, ROW * number + ROW // 2 + 4, ticks))
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, title, Markup("").join(parts)
    )


def _ticks(low: float, high: float, lowest: float, highest: float | None) -> list[float]:
    """Return about five round numbers that enclose a range, within the possible values."""
    margin = (high - low) * 0.08 if high - low > LEAST else 0.05
    low = max(low - margin, lowest)
    high = min(high + margin, math.inf if highest is None else highest)
    if high - low < LEAST:
        high = low + 0.1
    step = _round_step((high - low) / TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)


def _x(value: float, ticks: Sequence[float]) -> float:
    share = (value - ticks[0]) / (ticks[-1] - ticks[0])
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _axis(ticks: Sequence[float], height: int) -> Markup:
    lines = [
        Markup(
            '<line class="grid" x1="{0}" x2="{0}" y1="4" y2="{1}"/><text class="tick" x="{0}" y="{2}">{3}</text>'
        ).format(_x(tick, ticks), height - 22, height - 6, f"{tick:g}")
        for tick in ticks
    ]
    return Markup("").join(lines)


def _row(point: Point, y: int, ticks: Sequence[float]) -> Markup:
    label = point.label if len(point.label) <= LONGEST_LABEL else point.label[: LONGEST_LABEL - 1] + "…"
    return Markup(
        '<g class="c{colour}"><title>{title}</title><text class="name" x="{name_x}" y="{text_y}">{label}</text>'
        '<line class="whisker" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
        '<path class="whisker" d="M{low} {top}V{bottom}M{high} {top}V{bottom}"/>'
        '<circle class="dot" cx="{x}" cy="{y}" r="5"/>'
        '<text class="value" x="{value_x}" y="{text_y}">{text}</text></g>'
    ).format(
        colour=point.colour,
        title=f"{point.label}: {point.text}",
        name_x=LEFT - 12,
        text_y=y + 4,
        label=label,
        low=_x(point.low, ticks),
        high=_x(point.high, ticks),
        y=y,
        top=y - 5,
        bottom=y + 5,
        x=_x(point.value, ticks),
        value_x=WIDTH - RIGHT + 14,
        text=point.text,
    )


def difference_bar(value: float, low: float, high: float, widest: float) -> Markup:
    """Return a small picture of a difference with its interval around zero.

    Args:
        value: The difference.
        low: Lower end of its interval.
        high: Upper end of its interval.
        widest: Greatest magnitude over all differences that it is to be compared with.
    """
    width, height = 130, 18

    def place(number: float) -> float:
        return round(width / 2 + number / (widest or 1.0) * (width / 2 - 6), 1)

    return Markup(
        '<svg class="bar" viewBox="0 0 {w} {h}" aria-hidden="true">'
        '<line class="zero" x1="{z}" x2="{z}" y1="0" y2="{h}"/>'
        '<line class="whisker" x1="{low}" x2="{high}" y1="9" y2="9"/><circle class="dot" cx="{x}" cy="9" r="4"/></svg>'
    ).format(w=width, h=height, z=width / 2, low=place(low), high=place(high), x=place(value))


def share_bar(share: float) -> Markup:
    """Return a small bar that fills a share of its width."""
    width = f"{max(0.0, min(share, 1.0)) * 100:.1f}"
    return Markup(
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="fill" width="{}" height="8"/></svg>'
    ).format(width)
