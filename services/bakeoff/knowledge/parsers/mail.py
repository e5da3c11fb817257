"""Parser: an e-mail."""

from __future__ import annotations

from bakeoff.knowledge.formats.mail import read_mail
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.registries import parsers

VERSION = "2"
LIBRARIES = ["selectolax"]


@parsers.register("mail", version=VERSION, facts={"libraries": LIBRARIES})
def mail(*, cpu_limit_s: CpuLimit = CPU_S, memory_limit_mb: MemoryLimit = MEMORY_MB) -> Parser:
    """Take the subject, the head and the body of an e-mail, and name what is attached."""
    return isolated(read_mail, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
