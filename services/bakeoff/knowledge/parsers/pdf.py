"""Parser: the text layer of a PDF."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.knowledge.formats.pdf import read_pdf
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

VERSION = "1"
LIBRARIES = ["pypdfium2"]


@parsers.register("pdf", version=VERSION, facts={"libraries": LIBRARIES})
def pdf(
    *,
    cut_off: Annotated[Literal["refuse", "read"], Is("what happens to a file whose end is missing")] = "refuse",
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Take the text of a PDF page by page, with the labels that are printed on its pages."""
    return isolated(read_pdf, {"cut_off": cut_off}, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
