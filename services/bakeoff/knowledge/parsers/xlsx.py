"""Parser: an XLSX."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.formats.sheets import read_xlsx
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

VERSION = "1"
LIBRARIES = ["lxml", "openpyxl"]


@parsers.register("xlsx", version=VERSION, facts={"libraries": LIBRARIES})
def xlsx(
    *,
    header: Annotated[bool, Is("whether the first row that holds anything names the columns")] = True,
    named: Annotated[bool, Is("whether each value stands behind its column's name")] = True,
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Take the values of sheets, each a table."""
    return isolated(read_xlsx, {"header": header, "named": named}, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
