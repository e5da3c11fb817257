"""Having every lot of a build parsed and chunked, by this builder or another one, many at a time and in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count, repeat
from pathlib import Path

from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.cutting import CutLot, chunk_lot, cut_lot, parse_lot, read_cut
from bakeoff.knowledge.lots import Lot, Origin
from bakeoff.knowledge.stages import ClaimedElsewhereError, Stages, Step, Tally, chunk_key, parse_key
from bakeoff.knowledge.workers import Workers


@dataclass(frozen=True, slots=True)
class Cut:
    """A lot that was cut, and whose it is."""

    key: str
    """Of the chunked lot."""
    documents: int
    """Documents of the lot, those without chunks too."""
    origins: tuple[Origin, ...]
    """One a document."""
    lot: CutLot

    def without_origins(self) -> Cut:
        """Return it without what a million documents would take memory for."""
        return replace(self, origins=(), lot=replace(self.lot, kept=(), faults={}, remarks={}))


_Found = tuple[str, str, Path | None]
"""Keys of a parsed and chunked lot, and its file; None when another builder is making it."""


class Cutter:
    """Cuts the lots of one build."""

    def __init__(
        self,
        part: BuildPart,
        versions: dict[str, str],
        stages: Stages,
        workers: Workers,
        tally: Tally,
        scratch: Path,
        step: Callable[[], None],
    ) -> None:
        """Prepare to cut.

        Args:
            part: With all settings filled in.
            versions: Of its components, by `kind:name`.
            stages: Where artefacts are.
            workers: Compute.
            tally: Counts.
            scratch: A folder of the build's own.
            step: Called before each lot; what it raises ends everything.
        """
        self._part = part
        self._parser_version = versions[f"parser:{part.parser.name}"]
        self._chunker_version = versions[f"chunker:{part.chunker.name}"]
        self._stages, self._workers, self._tally = stages, workers, tally
        self._scratch, self._step = scratch, step
        self._numbers = count()

    def cut(self, lots: Iterable[Lot]) -> Iterator[Cut]:
        """Yield all lots in order.

        What another builder is cutting is left for later, so that two builders of one corpus share the work.
        """
        found: Iterable[_Found | None] = repeat(None)
        if self._stages.shared:
            found = list(self._workers.ordered(self._cut_unclaimed, lots, step=self._step))

        def last(each: tuple[Lot, _Found | None]) -> Cut:
            lot, known = each
            parsed, key, path = known or (*self._keys(lot), None)
            path = path or self._obtain(lot, parsed, key, wait=True)
            return Cut(key, len(lot.origins), lot.origins, read_cut(path))

        yield from self._workers.ordered(last, zip(lots, found, strict=False), step=self._step)

    def _cut_unclaimed(self, lot: Lot) -> _Found:
        parsed, key = self._keys(lot)
        try:
            return parsed, key, self._obtain(lot, parsed, key, wait=False)
        except ClaimedElsewhereError:
            return parsed, key, None

    def _keys(self, lot: Lot) -> tuple[str, str]:
        parsed = parse_key(lot.contents, self._part.parser, self._parser_version)
        return parsed, chunk_key(parsed, self._part.chunker, self._chunker_version)

    def _obtain(self, lot: Lot, parsed: str, key: str, *, wait: bool) -> Path:
        """Have a lot chunked; what it is made of is obtained only when nobody has chunked it."""
        path = self._new("chunk")
        found_parsed = None

        def make(out: Path) -> None:
            nonlocal found_parsed
            if not self._stages.shared:
                self._workers.call(cut_lot, self._part.parser, self._part.chunker, lot.read(), out)
                found_parsed = True
                return
            text = self._new("parse")
            found_parsed = self._stages.obtain(Step.PARSE, parsed, text, lambda to: self._parse(lot, to), wait=wait)
            self._workers.call(chunk_lot, self._part.chunker, text, out)
            text.unlink()

        made = self._stages.obtain(Step.CHUNK, key, path, make, wait=wait)
        self._tally.add(Step.PARSE, len(lot.origins), made=bool(found_parsed))
        self._tally.add(Step.CHUNK, len(lot.origins), made=made)
        return path

    def _parse(self, lot: Lot, out: Path) -> None:
        self._workers.call(parse_lot, self._part.parser, lot.read(), out)

    def _new(self, kind: str) -> Path:
        return self._scratch / f"{kind}-{next(self._numbers)}"
