"""Parser: a PPTX."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.formats.slides import read_pptx
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

VERSION = "1"
LIBRARIES = ["lxml", "python-pptx"]


@parsers.register("pptx", version=VERSION, facts={"libraries": LIBRARIES})
def pptx(
    *,
    speaker_notes: Annotated[bool, Is("whether a slide's notes stand behind its text")] = True,
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Take the text of slides, each a page."""
    return isolated(read_pptx, {"speaker_notes": speaker_notes}, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
