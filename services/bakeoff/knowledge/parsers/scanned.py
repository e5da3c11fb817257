"""Parser: documents of which some are scanned, by Tesseract. Optional: its library is not installed by default."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Literal

from bakeoff.domain import media_types
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.formats.scanned import image_type, read_scanned
from bakeoff.knowledge.model_files import find_model
from bakeoff.knowledge.parser_pool import MEMORY_MB, CpuLimit, MemoryLimit, isolated
from bakeoff.knowledge.parsers import auto
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.model_pins import MODEL_FILES, WHOLE_FOLDER
from bakeoff.runtime.registry import Is

VERSION = f"1+auto-{auto.VERSION}"
LIBRARIES = sorted({"kreuzberg", *auto.LIBRARIES})
CPU_S = 3600.0
"""A page takes some seconds, a long report an hour."""
ENDING = ".traineddata"


@parsers.register("scanned", version=VERSION, facts={MODEL_FILES: WHOLE_FOLDER, "libraries": LIBRARIES})
def scanned(
    *,
    directory: Annotated[str, Is("folder with Tesseract's LANGUAGE.traineddata files", path=True)] = "",
    package: Annotated[str, Is("instead of it, an installed package and the folder in it")] = "",
    sha256: Annotated[str, Is("digest of the folder's files; filled in where they are at hand")] = "",
    languages: Annotated[str, Is("languages of the words, such as eng, or eng+deu")] = "eng",
    dpi: Annotated[int, Is("pixels to the inch that pages are drawn with", minimum=72, maximum=600)] = 300,
    cut_off: Annotated[
        Literal["refuse", "read"], Is("what becomes of a PDF whose end is missing; some pages may be there")
    ] = "refuse",
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Take the words that scanned pages of PDFs and images show; everything else is read as by auto.

    Raises:
        InvalidInputError: the library is not installed, or a language's file is not there.
    """
    if find_spec("kreuzberg") is None:
        raise InvalidInputError("the parser scanned needs its library: pip install 'bakeoff[kreuzberg]'")
    files = find_model("the parser scanned", directory=directory, package=package, file=None)
    for language in languages.split("+"):
        if language + ENDING not in files.names:
            there = ", ".join(name.removesuffix(ENDING) for name in files.names if name.endswith(ENDING)) or "none"
            raise InvalidInputError(
                f"the parser scanned: {str(files.folder)!r} has no language {language!r}; there are: {there}"
            )
    files.check(sha256, "the parser scanned")
    settings = {"languages": languages, "folder": str(files.folder.absolute()), "dpi": dpi, "cut_off": cut_off}
    shown = isolated(read_scanned, settings, cpu_s=cpu_limit_s, memory_mb=memory_limit_mb)
    other = parsers.make(ComponentSpec("auto", {"memory_limit_mb": memory_limit_mb}))

    def parse(source: SourceDocument) -> ParsedDocument:
        seen = media_types.sniff(source.data, "") == media_types.PDF or image_type(source.data)
        return shown(source) if seen else other(source)

    return parse
