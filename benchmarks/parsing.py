"""What parsing costs beside the bare library: pages a second of PDFs, and documents a second of plain text.

    .venv/bin/python benchmarks/parsing.py FOLDER [--runs 3]

FOLDER holds PDF files, at any depth. The plain script opens each with pypdfium2 and takes each page's text. Ours is the
parser `auto`, with a process of its own for the files, page spans, labels and notes. Each side is a process, in turn;
the best of the runs counts, in seconds of the processor over it and its children.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.parser_pool import POOL
from bakeoff.knowledge.parsing import Parser, SourceDocument
from bakeoff.knowledge.registries import parsers

TEXT = b"The mole is made of granite, and the light on the pier is green. " * 6
TEXTS = 100_000


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--side", choices=SIDES)
    given = arguments.parse_args()
    if given.side:
        work = SIDES[given.side](given.folder)
        before = _spent()  # what was imported is no matter of pages
        print(work(), _spent() - before)
        return
    best: dict[str, float] = {}
    done: dict[str, int] = {}
    for _ in range(given.runs):
        for side in SIDES:
            command = [sys.executable, __file__, str(given.folder), "--side", side]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            done[side], seconds = int(told[0]), float(told[1])
            best[side] = min(best.get(side, seconds), seconds)
    assert done["parsed"] == done["bare"], f"{done['parsed']} pages instead of {done['bare']}"
    speed, bare = done["parsed"] / best["parsed"], done["bare"] / best["bare"]
    print(f"pages: {speed:,.0f} a second of the processor, bare {bare:,.0f}: {speed / bare:.0%}")
    print(f"plain texts: {done['texts'] / best['texts']:,.0f} a second of the processor")


def _bare(folder: Path) -> Callable[[], int]:
    import pypdfium2

    def work() -> int:
        pages = 0
        for path in _files(folder):
            document = pypdfium2.PdfDocument(path.read_bytes())
            for page in document:
                page.get_textpage().get_text_range()
                pages += 1
        return pages

    return work


def _parsed(folder: Path) -> Callable[[], int]:
    parse = _auto()

    def work() -> int:
        documents = [parse(SourceDocument(path.name, path.read_bytes())) for path in _files(folder)]
        POOL.close()  # the time of children counts when they have ended
        return sum(len(document.page_spans or ()) for document in documents)

    return work


def _texts(_: Path) -> Callable[[], int]:
    parse = _auto()
    return lambda: sum(bool(parse(SourceDocument(str(number), TEXT)).text) for number in range(TEXTS))


def _auto() -> Parser:
    return parsers.load().make(ComponentSpec("auto"))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.pdf"))


def _spent() -> float:
    """Return the seconds of the processor that this process and its children that have ended took."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


SIDES: dict[str, Callable[[Path], Callable[[], int]]] = {
    "bare": _bare,
    "parsed": _parsed,
    "texts": _texts,
}

if __name__ == "__main__":
    main()
