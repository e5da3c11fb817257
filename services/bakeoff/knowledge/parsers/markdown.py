"""Parser: Markdown as its reader sees it."""

from __future__ import annotations

from bakeoff.knowledge.formats.rendered_markdown import read_markdown
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "3"
LIBRARIES = ["markdown-it-py", "selectolax"]
INLINE_BYTES = 16 << 10
"""Brackets without end take time that grows faster than the text, and are a second at this size."""


@parsers.register("markdown", version=VERSION, facts={"libraries": LIBRARIES})
def markdown(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take the text of CommonMark with tables, without its markup.

    Source: CommonMark 0.31; tables as GitHub writes them.
    """
    return isolated(read_markdown, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb, inline_bytes=INLINE_BYTES)
