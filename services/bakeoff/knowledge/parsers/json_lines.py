"""Parser: JSON lines."""

from __future__ import annotations

from bakeoff.knowledge.formats.json_lines import read_json_lines
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "1"
INLINE_BYTES = 256 << 10
"""Reading is linear in the size."""


@parsers.register("json_lines", version=VERSION)
def json_lines(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take records, each a row of a table; a single record with title and text is better read by `record`."""
    return isolated(read_json_lines, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb, inline_bytes=INLINE_BYTES)
