"""Parser: the visible text of an HTML page."""

from __future__ import annotations

from bakeoff.knowledge.formats.web import read_html
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "3"
LIBRARIES = ["selectolax"]
INLINE_BYTES = 64 << 10
"""A page of this size takes a moment whatever is in it."""


@parsers.register("html", version=VERSION, facts={"libraries": LIBRARIES})
def html(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take the text that a reader of the page sees, without navigation, header and footer."""
    return isolated(read_html, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb, inline_bytes=INLINE_BYTES)
