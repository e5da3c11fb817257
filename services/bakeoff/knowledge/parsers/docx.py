"""Parser: a DOCX."""

from __future__ import annotations

from bakeoff.knowledge.formats.word import read_docx
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "1"
LIBRARIES = ["lxml", "python-docx"]


@parsers.register("docx", version=VERSION, facts={"libraries": LIBRARIES})
def docx(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take the body of a DOCX with its headings and tables."""
    return isolated(read_docx, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
