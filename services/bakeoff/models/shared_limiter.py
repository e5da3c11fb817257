"""The limiter of all workers that use an endpoint: they share one allowance over a bucket of the bus."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
import uuid
from collections.abc import Callable
from typing import Protocol

from bakeoff.contract.stored import decode, encode
from bakeoff.contract.subjects import LIMITS_BUCKET
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.identity import digest_of
from bakeoff.models.gate import Gate
from bakeoff.models.limiter import Outcome, Turn
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.models.pace import SETTLE_S, Allowance
from bakeoff.models.shares import Report, Sheet, beaten, fair_share, without
from bakeoff.models.witness import Witness
from bakeoff.runtime import logs
from bakeoff.runtime.bus import Entry

log = logs.get("models")
BEAT_S = 0.25
HURRIED_BEAT_S = 0.1
"""While much changes: at the start, after a refusal, and until the own share is fair."""
LEASE_S = 3.0
"""Seconds without a beat after which a worker's share is given to the others, and it takes no more itself."""
TRIES = 20
"""Races that are lost in a row before a beat is skipped: with sixteen workers a win comes long before."""


class Buckets(Protocol):
    """The part of the bus that is needed."""

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key; None when it has none."""

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value; None when it has one already."""

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one; None when it has moved on."""


def sheet_key(settings: ModelSettings) -> str:
    """Return the key under which all who use an endpoint agree: one for each address, whatever the model."""
    return "endpoint-" + digest_of(settings.base_url)[:32]


class SharedLimiter:
    """One worker's part of an allowance that all workers adapt together."""

    def __init__(
        self,
        buckets: Buckets,
        key: str,
        bounds: Bounds,
        *,
        bucket: str = LIMITS_BUCKET,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take no part yet; that begins with the first request.

        Args:
            buckets: Where the sheet is.
            key: Of the sheet.
            bounds: Where to start, and what not to exceed; the same for all workers.
            bucket: In which the sheet is; it must exist.
            clock: Seconds since 1970.
        """
        self._buckets, self._bucket, self._key = buckets, bucket, key
        self._bounds = bounds
        self._clock = clock
        self.name = uuid.uuid4().hex
        """Of this worker, on the sheet."""
        self._gate = Gate()
        self._witness = Witness()
        self._sheet = Sheet(Allowance.at_start(bounds))
        self._beats: dict[str, tuple[int, float]] = {}
        self._beaten_s = 0.0
        self._settled_s = 0.0
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def sheet(self) -> Sheet:
        """What was agreed when this worker last looked."""
        return self._sheet

    async def enter(self) -> Turn:
        """Wait until this worker may make one more request."""
        if self._task is None or self._task.done():
            self._begin()
        await self._gate.enter()
        now_s = asyncio.get_running_loop().time()
        if now_s < self._settled_s:
            return Turn(self._sheet.epoch - 1, now_s)
        self._witness.sent()
        return Turn(self._sheet.epoch, now_s)

    def leave(self, turn: Turn, outcome: Outcome) -> None:
        """Say that a request has ended, and how; a refusal is told to the others at once."""
        if outcome is Outcome.ANSWERED:
            self._witness.answered(asyncio.get_running_loop().time() - turn.began_s)
        elif outcome is Outcome.REFUSED and turn.epoch == self._sheet.epoch:
            self._witness.refused()
            self._hurry.set()
        self._gate.leave()

    async def close(self) -> None:
        """Give back the share."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        self._gate.allow(0, 0)
        with contextlib.suppress(OutOfReachError):  # then the others wait for the lease to end
            await self._change(lambda sheet: without(sheet, self.name))

    def _begin(self) -> None:
        now_s = asyncio.get_running_loop().time()
        self._gate.allow(0, 0)
        self._witness.begin(now_s)
        self._beaten_s = now_s
        self._hurry = asyncio.Event()
        self._task = asyncio.create_task(self._beat_on())

    async def _beat_on(self) -> None:
        while self._gate.wanted:
            while self._gate.wanted:
                await self._beat_if_possible()
                if asyncio.get_running_loop().time() - self._beaten_s > LEASE_S:
                    self._gate.allow(0, 0)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self._pause_s())
                self._hurry.clear()
            self._gate.allow(0, 0)
            with contextlib.suppress(OutOfReachError):
                await self._change(lambda sheet: without(sheet, self.name))
            # Who came meanwhile found a task that was not done, and waits for its next beat.

    async def _beat_if_possible(self) -> None:
        try:
            await self._beat()
        except OutOfReachError:
            pass
        except Exception:  # whatever it is, those who wait for a turn depend on the next beat
            log.exception("a beat of a shared limit failed", key=self._key)

    async def _beat(self) -> None:
        now_s = asyncio.get_running_loop().time()
        seen = self._witness.take(now_s, self._gate.take_pressure())
        report = Report(self._gate.wanted, seen, self._sheet.epoch)
        await self._change(
            lambda sheet: beaten(
                sheet, self.name, report, gone=self._gone(sheet, now_s), now_s=self._clock(), bounds=self._bounds
            )
        )
        if self._sheet.epoch != report.epoch:
            self._witness.forget()
            self._settled_s = now_s + SETTLE_S
        self._beaten_s = now_s
        share = self._sheet.members[self.name].share
        self._gate.allow(self._sheet.allowance.per_s * share, self._sheet.allowance.at_once * share)

    async def _change(self, change: Callable[[Sheet], Sheet]) -> None:
        for lost in range(TRIES):
            entry = await self._buckets.kv_get(self._bucket, self._key)
            sheet = change(self._read(entry))
            data = encode(sheet)
            if entry is None:
                revision = await self._buckets.kv_create(self._bucket, self._key, data)
            else:
                revision = await self._buckets.kv_update(self._bucket, self._key, data, entry.revision)
            if revision is not None:
                self._sheet = sheet
                return
            await asyncio.sleep(random.uniform(0, 0.002 * (lost + 1)))
        raise OutOfReachError(f"{TRIES} races for the sheet {self._key} were lost in a row")

    def _read(self, entry: Entry | None) -> Sheet:
        """Return what is agreed: nothing when nobody can read it, as after another version has written it."""
        if entry is not None:
            try:
                return decode(entry.value, Sheet)
            except InvalidInputError as error:
                log.warning("the sheet of a limit cannot be read and begins anew", key=self._key, reason=str(error))
        return Sheet(Allowance.at_start(self._bounds))

    def _gone(self, sheet: Sheet, now_s: float) -> set[str]:
        """Return the members whose beat has stood still for a lease by the own clock: no clocks are compared."""
        self._beats = {
            name: known if (known := self._beats.get(name)) and known[0] == member.beat else (member.beat, now_s)
            for name, member in sheet.members.items()
        }
        return {name for name, (_, since_s) in self._beats.items() if now_s - since_s > LEASE_S}

    def _pause_s(self) -> float:
        mine = self._sheet.members.get(self.name)
        if mine is None:
            return HURRIED_BEAT_S
        others = [member for name, member in self._sheet.members.items() if name != self.name]
        starting = self._sheet.allowance.bearable_per_s is None and not self._sheet.allowance.was_full
        hurried = starting or mine.share < 0.9 * fair_share(mine, others)
        return HURRIED_BEAT_S if hurried else BEAT_S
