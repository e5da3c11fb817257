"""Parser: whatever the library kreuzberg reads. Optional: the library is not installed by default."""

from __future__ import annotations

from importlib.util import find_spec

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.formats.with_kreuzberg import read_with_kreuzberg
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "1"
LIBRARIES = ["kreuzberg"]


@parsers.register("kreuzberg", version=VERSION, facts={"libraries": LIBRARIES})
def kreuzberg(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take the text of nearly any format, pages of PDF and PPTX apart.

    Raises:
        InvalidInputError: the library is not installed.
    """
    if find_spec("kreuzberg") is None:
        raise InvalidInputError("the parser kreuzberg needs its library: pip install 'bakeoff[kreuzberg]'")
    return isolated(read_with_kreuzberg, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
