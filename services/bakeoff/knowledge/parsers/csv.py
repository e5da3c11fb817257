"""Parser: CSV and its relatives."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.formats.delimited import read_delimited
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

VERSION = "1"
INLINE_BYTES = 256 << 10
"""Reading is linear in the size."""


@parsers.register("csv", version=VERSION)
def csv(
    *,
    delimiter: Annotated[str, Is("what divides cells; empty: comma, semicolon, tab or bar, as the file shows")] = "",
    quote: Annotated[str, Is("what stands around a cell that holds a delimiter; empty: nothing does")] = '"',
    header: Annotated[bool, Is("whether the first row names the columns")] = True,
    named: Annotated[bool, Is("whether each cell stands behind its column's name")] = True,
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Take the rows of a table whose cells are apart by a character.

    Raises:
        InvalidInputError: the delimiter or the quote is more than one character.
    """
    _one_character("delimiter", delimiter)
    _one_character("quote", quote)
    settings = {"delimiter": delimiter, "quote": quote, "header": header, "named": named}
    return isolated(read_delimited, settings, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb, inline_bytes=INLINE_BYTES)


def _one_character(name: str, value: str) -> None:
    """Check a setting.

    Raises:
        InvalidInputError: it is more than one character, or one that ends lines.
    """
    if len(value) > 1 or value in ("\n", "\r"):
        raise InvalidInputError(f"csv.{name} must be one character or empty, not {value!r}")
