"""Numbers as people write them: thousands separators, currencies, percent, words of scale, accounting parentheses."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

SCALES = {
    "hundred": Decimal(100),
    "thousand": Decimal(1000),
    "k": Decimal(1000),
    "million": Decimal(10) ** 6,
    "mn": Decimal(10) ** 6,
    "billion": Decimal(10) ** 9,
    "bn": Decimal(10) ** 9,
    "trillion": Decimal(10) ** 12,
    "tn": Decimal(10) ** 12,
    "百万": Decimal(10) ** 6,
    "万": Decimal(10) ** 4,
    "萬": Decimal(10) ** 4,
    "亿": Decimal(10) ** 8,
    "億": Decimal(10) ** 8,
}
"""`m` and `b` are left out: they are metres and bytes as often."""
CURRENCY = r"(?:US\$|[$€£¥₹]|USD|EUR|GBP|RMB)"
DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?!\d|\.\d)"
SCALE = r"(?P<scale>hundred|thousand|million|billion|trillion|mn|bn|tn|k)s?(?![a-z])|(?P<cjk>百万|[万萬亿億])"
# White space only behind a sign, and little of it: otherwise a long run of it would be tried in every way.
QUANTITY = re.compile(
    rf"""(?<![\w.])(?:(?P<open>\()\s{{0,2}})?(?:(?P<sign>[-+])\s{{0,2}})?(?:(?P<currency>{CURRENCY})\s{{0,2}})?
    (?P<inner>[-+])?(?P<digits>{DIGITS})(?P<exponent>e[-+]?\d{{1,3}}(?!\d))?(?:/(?P<below>\d+(?:\.\d+)?))?
    (?P<close>\))?\s{{0,2}}(?P<percent>%|percent\b|per\ cent\b)?\s{{0,2}}(?P<late>\))?\s{{0,2}}(?:{SCALE})?""",
    re.IGNORECASE | re.VERBOSE,
)
BARE_INTEGER = re.compile(r"\(\d{1,4}\)")
"""`(5)` counts things or refers to one; it is no loss of five."""
MINUS = str.maketrans({"−": "-", "–": "-", "‐": "-", "﹣": "-"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text."""

    digits: Decimal
    """As written, with its sign, before percent and scale: 5 of `5 million`."""
    percent: bool
    scale: Decimal
    """What a word of scale multiplies by; 1 when there is none."""
    parentheses: bool
    """Whether accounting parentheses make it negative."""
    text: str
    start: int
    """Place of its first and behind its last character in the folded text."""
    stop: int

    @property
    def value(self) -> Decimal:
        """What it stands for: 0.27 for `27%`, 5,000,000 for `5 million`."""
        return self.digits * self.scale / (100 if self.percent else 1)


def folded(text: str) -> str:
    """Return a text with width folded and every minus as a hyphen: what the places in a Quantity count."""
    return unicodedata.normalize("NFKC", text).translate(MINUS)


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text in their order; a fraction such as `1/2` is one number.

    Digits inside a word (`H2O`) are none, and a hyphen between two numbers (`1990-1995`) is no sign.
    """
    found = []
    for match in QUANTITY.finditer(folded(text)):
        quantity = _quantity(match)
        if quantity:
            found.append(quantity)
    return found


def _quantity(match: re.Match[str]) -> Quantity | None:
    number = Decimal(match["digits"].replace(",", "") + (match["exponent"] or ""))
    if match["below"]:
        below = Decimal(match["below"])
        if not below:
            return None
        number /= below
    written = match.group().strip()
    closed = bool(match["open"]) and bool(match["close"] or match["late"])
    parentheses = closed and not BARE_INTEGER.fullmatch(written)
    negative = "-" in (match["sign"], match["inner"])
    word = (match["scale"] or match["cjk"] or "").lower()
    return Quantity(
        digits=-number if negative or parentheses else number,
        percent=bool(match["percent"]),
        scale=SCALES[word] if word else Decimal(1),
        parentheses=parentheses,
        text=written,
        start=match.start(),
        stop=match.end(),
    )


def whole_quantity(text: str) -> Quantity | None:
    """Return the number that a text is, but for white space and a full stop at its end; None when it is more."""
    stripped = folded(text).strip().rstrip(".").strip()
    found = quantities(stripped)
    if len(found) == 1 and not stripped[: found[0].start].strip() and not stripped[found[0].stop :].strip():
        return found[0]
    return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two quantities are the same, and what had to be overlooked."""

    equal: bool
    percent_mismatch: bool = False
    """Whether only one of them has a percent sign."""
    scale_mismatch: bool = False
    """Whether their words of scale differ."""


def compare(found: Quantity, gold: Quantity, *, tolerance: float, percent: bool, scale: bool) -> Comparison:
    """Compare what two quantities stand for; 2 is not 12, and 5 is not −5.

    Args:
        found: The answer's.
        gold: The expected one.
        tolerance: Largest difference, as a share of the gold value, from 0; 0 means exactly equal.
        percent: Whether a percent sign counts; if not, 27, 27% and 0.27 are one.
        scale: Whether a word of scale counts; if not, 5 and 5 million are one.
    """
    percent_mismatch = found.percent != gold.percent
    scale_mismatch = found.scale != gold.scale
    pairs = [(found.value, gold.value)]
    if not percent and percent_mismatch:
        pairs.append((_scaled(found), _scaled(gold)))
    if not scale and scale_mismatch:
        pairs.append((found.digits / (100 if found.percent else 1), gold.digits / (100 if gold.percent else 1)))
    equal = any(abs(left - right) <= abs(right) * Decimal(str(tolerance)) for left, right in pairs)
    return Comparison(equal, percent_mismatch, scale_mismatch)


def _scaled(quantity: Quantity) -> Decimal:
    return quantity.digits * quantity.scale


def quantity_of(number: float | int) -> Quantity:
    """Return a number as a quantity without percent and scale."""
    return Quantity(Decimal(str(number)), False, Decimal(1), False, str(number), 0, len(str(number)))
