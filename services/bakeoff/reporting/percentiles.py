"""How times are spread: nearest-rank percentiles and the maximum."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentiles(name: str, values: Sequence[float], ranks: Sequence[int]) -> dict[str, float]:
    """Return nearest-rank percentiles and the maximum of some values.

    Args:
        name: What they are; stands before each key, as in `retrieve_p50`.
        values: In any order.
        ranks: Percentiles in (0, 100].

    Returns:
        The values by `<name>_p<rank>`, and `<name>_max`; empty when there are no values.
    """
    if not values:
        return {}
    ordered = sorted(values)
    found = {f"{name}_p{rank}": ordered[math.ceil(rank / 100 * len(ordered)) - 1] for rank in ranks}
    return found | {f"{name}_max": ordered[-1]}
