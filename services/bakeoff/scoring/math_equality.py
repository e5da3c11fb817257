"""Whether two pieces of mathematics are equal: math-verify, and what it gets wrong put right."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from bakeoff.scoring.extras import library
from bakeoff.scoring.math_reading import clock, readable, stated, word_of
from bakeoff.scoring.normalisation import squeezed

RELATIVE = 1e-5
"""Relative difference up to which a decimal number equals another value: 0.33333 is a third, 1e-11 is not 2e-11."""
RELATIVE_EXACT = 1e-12
DIGITS = 40
"""Digits of numeric comparisons."""


@dataclass(frozen=True, slots=True)
class MathComparison:
    """What came of a comparison."""

    equal: bool | None
    """None when no mathematics was found in the answer."""
    gold: str = ""
    """The gold answer as it was read: the one that is equal, else the first."""
    answer: str = ""
    """The answer as it was read."""
    assumed: str = ""
    """What the equality takes for granted; empty for nothing."""


@cache
def warm_up() -> None:
    """Import what comparisons need and use it once, so that no comparison's time goes into it."""
    _equal(_parsed("$x+1$")[0], _parsed("$1+x$")[0])


def official_comparison(golds: Sequence[str], answer: str) -> MathComparison:
    """Compare as math-verify does by itself, gold first. Call it in a process with a deadline.

    Source: math-verify 0.9, `verify(parse(gold), parse(answer))`, its own time limits turned off.
    """
    found = _parsed(answer)
    read = [_parsed(gold) for gold in golds]
    equal = [gold for gold in read if _verify(gold, found)]
    return MathComparison(bool(equal), _shown((equal or read)[0]), _shown(found))


def strict_comparison(golds: Sequence[str], answer: str) -> MathComparison:
    """Compare as a careful reader does, gold first. Call it in a process with a deadline.

    Beyond math-verify: mathematics without dollars is read whole; numbers must be close for their size, however small
    they are; the right side of an equation in x is no value; an interval equals its inequality whichever is the gold;
    12:00 is a time. What is equal only when all variables are positive is equal, and says so.

    Args:
        golds: Gold answers, any of them right; at least one.
        answer: What was said.
    """
    found = _parsed(readable(answer))
    first: MathComparison | None = None
    for gold in golds:
        comparison = _compared(gold, answer, found)
        if comparison.equal:
            return comparison
        first = first or comparison
    return first or MathComparison(None)


def _compared(gold: str, answer: str, found: list[Any]) -> MathComparison:
    if (wanted_clock := clock(gold)) is not None:
        said = clock(answer)
        return MathComparison(None if said is None and not found else said == wanted_clock, gold, said or "")
    wanted = _parsed(readable(gold))
    word = word_of(gold) or (None if wanted else gold)
    if word is not None and _is_word(word, answer):
        return MathComparison(True, gold, answer)
    if not wanted:
        return MathComparison(False, gold, answer)
    if not found:
        return MathComparison(None, _shown(wanted))
    assumed = ""
    equal = any(_equal(left, right) for left, right in product(wanted, found))
    if not equal:
        equal = any(_equal_if_positive(left, right) for left, right in product(wanted, found))
        assumed = "every variable is positive" if equal else ""
    return MathComparison(equal, _shown(wanted), _shown(found), assumed)


def _is_word(word: str, answer: str) -> bool:
    said = (stated(answer), answer)
    return squeezed(word) in (squeezed(word_of(text) or text).rstrip(".") for text in said)


def _parsed(text: str) -> list[Any]:
    # It warns at each call that time limits are off, which is what is wanted here.
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    return list(library("math_verify").parse(text, parsing_timeout=None))


def _verify(gold: object, answer: object, *, sets: bool = False) -> bool:
    verify = library("math_verify").verify
    return bool(verify(gold, answer, allow_set_relation_comp=sets, timeout_seconds=None))


def _shown(read: list[Any]) -> str:
    return str(read[-1]) if read else ""


def _equal(gold: Any, answer: Any) -> bool:
    if isinstance(gold, str) or isinstance(answer, str):
        # Texts beside the expressions, as math-verify keeps them.
        return (
            isinstance(gold, str) and isinstance(answer, str) and bool(gold.strip()) and gold.strip() == answer.strip()
        )
    if _is_unsolved(answer) and not _is_relation(gold):
        return False
    return _verify(gold, answer, sets=True) and not _contradicts(gold, answer)


def _is_relation(value: Any) -> bool:
    return isinstance(value, library("sympy").core.relational.Relational)


def _is_unsolved(value: Any) -> bool:
    """Whether it is an equation such as 2x + 1 = 5, whose right side is not what x is."""
    sympy = library("sympy")
    if not isinstance(value, sympy.Eq) or not value.lhs.free_symbols:
        return False
    only_symbols = library("latex2sympy2_extended").is_expr_of_only_symbols
    return not (only_symbols(value.lhs) or isinstance(value.lhs, sympy.core.function.AppliedUndef))


def _contradicts(gold: Any, answer: Any) -> bool:
    """Whether numbers are too far apart for their size: math-verify compares to an absolute precision."""
    sympy = library("sympy")
    parts = [_parts(gold), _parts(answer)]
    if all(part is not None for part in parts):
        return len(parts[0]) == len(parts[1]) and any(map(_contradicts, *parts))
    if not (isinstance(gold, sympy.Expr) and isinstance(answer, sympy.Expr)):
        return False
    symbols = sorted(gold.free_symbols | answer.free_symbols, key=str)
    if gold.free_symbols != answer.free_symbols:
        return False  # such as y = 5 for 5: not a question of size
    # Any values will do; these are no special points of what people ask.
    point = {symbol: sympy.Rational(97 + 10 * place, 89) for place, symbol in enumerate(symbols)}
    tolerance = RELATIVE if gold.has(sympy.Float) or answer.has(sympy.Float) else RELATIVE_EXACT
    pairs = product(_values(gold, point), _values(answer, point))
    return not any(_close(left, right, tolerance) for left, right in pairs)


def _parts(value: Any) -> Any:
    sympy = library("sympy")
    if isinstance(value, sympy.Interval):
        return [value.start, value.end]
    if isinstance(value, sympy.FiniteSet):
        return sorted(value.args, key=lambda part: sympy.default_sort_key(part.evalf()))
    if isinstance(value, sympy.Tuple):
        return list(value.args)
    return list(value.flat()) if isinstance(value, sympy.MatrixBase) else None


def _values(expression: Any, point: dict[Any, Any]) -> list[Any]:
    sympy = library("sympy")
    whole = [expression.doit()]
    hundredth = sympy.UnevaluatedExpr(sympy.Rational(1, 100))
    if isinstance(expression, sympy.Mul) and hundredth in expression.args:
        # 50 % is 0.5, and also 50 to whoever was asked for per cent.
        whole.append(sympy.Mul(*(part for part in expression.args if part != hundredth)))
    return [value.subs(point).evalf(DIGITS) for value in whole]


def _close(left: Any, right: Any, tolerance: float) -> bool:
    if not (left.is_number and right.is_number) or left.has(*_nowhere()) or right.has(*_nowhere()):
        return True  # cannot be told by numbers: math-verify's word stands
    size = max(abs(left), abs(right))
    return bool(abs(left - right) <= tolerance * size)


def _nowhere() -> tuple[Any, ...]:
    sympy = library("sympy")
    return sympy.nan, sympy.zoo, sympy.oo, -sympy.oo


def _equal_if_positive(gold: Any, answer: Any) -> bool:
    sympy = library("sympy")
    if not (isinstance(gold, sympy.Expr) and isinstance(answer, sympy.Expr)):
        return False
    symbols = gold.free_symbols
    if not symbols or symbols != answer.free_symbols or (gold - answer).has(sympy.Abs, sympy.sign):
        return False
    positive = {symbol: sympy.Symbol(symbol.name, positive=True) for symbol in symbols}
    return bool(sympy.simplify(gold.subs(positive) - answer.subs(positive)) == 0)
