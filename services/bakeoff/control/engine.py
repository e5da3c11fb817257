"""Moving evaluations forward, level-triggered: look at what is, do what is missing, then write the state.

Any number of control processes may do this at the same time: every effect is idempotent and comes before the state
that tells of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.codec import now
from bakeoff.contract.stored import JSON, decode, encode
from bakeoff.contract.work_codec import task_to_bytes
from bakeoff.control.announcer import Announcer, status_of
from bakeoff.control.catalogue import Catalogue
from bakeoff.control.downloads import downloads_of
from bakeoff.control.endings import tell_end
from bakeoff.control.frontier import window_of
from bakeoff.control.plan_making import PlanMaker
from bakeoff.control.planning import items_to_do
from bakeoff.control.states import States
from bakeoff.control.tracker import Tracker, View
from bakeoff.control.trackers import Trackers
from bakeoff.control.trial import TryMethods, untried
from bakeoff.domain.errors import BakeoffError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import (
    Download,
    EvaluationRecord,
    EvaluationState,
    EvaluationStatus,
    ObjectRef,
    Stage,
)
from bakeoff.domain.work import DoneFact, Plan, PlanItem
from bakeoff.runtime import logs
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.envelope import evaluation_trace, headers
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.objects import ObjectStore

PROGRESS_S = 1.0
log = logs.get("control")


class Engine:
    """The evaluations of a bus, as one control process moves them."""

    def __init__(self, bus: Bus, objects: ObjectStore, window: int, try_methods: TryMethods = untried) -> None:
        """Start knowing nothing; everything is looked up.

        Args:
            bus: Tasks, facts, states.
            objects: Requests and plans.
            window: Items of one stage that are kept released over all evaluations.
            try_methods: Tells what is wrong with the methods that a plan would have.
        """
        self._bus = bus
        self._objects = objects
        self._window = window
        self._trackers = Trackers(bus, objects)
        self._locks: dict[str, asyncio.Lock] = {}
        self._changed = asyncio.Condition()
        self._said_progress: dict[str, float] = {}
        self.states = States(bus)
        self.announcer = Announcer(bus)
        self.catalogue = Catalogue(bus)
        self._plans = PlanMaker(bus, objects, self.states, self.catalogue, Holdings(objects), try_methods)

    async def note(self, fact: DoneFact) -> None:
        """Take note of a fact and move its evaluation on."""
        tracker = self._trackers.get(fact.evaluation_id)
        if tracker is None:
            await self.advance(fact.evaluation_id, look=True)
        elif tracker.add(fact):
            await self.advance(fact.evaluation_id)

    async def sweep(self) -> None:
        """Look at every evaluation that has not ended, mend what was lost, move it on."""
        for record in await self.states.all():
            if record.state.ended:
                self._trackers.forget(record.evaluation_id)
            else:
                await self._mend(record.evaluation_id)

    async def _mend(self, evaluation_id: str) -> None:
        try:
            await self.advance(evaluation_id, look=True)
        except OutOfReachError:
            raise
        except Exception:
            # Whatever is wrong with one evaluation, those after it are looked at.
            log.exception("evaluation cannot be moved on", evaluation_id=evaluation_id)

    async def advance(self, evaluation_id: str, *, look: bool = False) -> None:
        """Do what is due for an evaluation; an error of it fails it, one of the platform leaves it for the next sweep.

        Args:
            evaluation_id: Whose turn it is.
            look: Whether to look up facts and queued tasks rather than trust what is known.
        """
        async with self._locks.setdefault(evaluation_id, asyncio.Lock()):
            record = await self.states.get(evaluation_id)
            if record is None:
                return
            try:
                record = await self._step(record, look)
            except UnavailableError as error:
                log.warning("evaluation waits", evaluation_id=evaluation_id, reason=str(error))
            except BakeoffError as error:
                record = await self._end(record, EvaluationState.FAILED, str(error))
            if record.state.ended:
                self._trackers.forget(evaluation_id)
        async with self._changed:
            self._changed.notify_all()

    async def _step(self, record: EvaluationRecord, look: bool) -> EvaluationRecord:
        if record.state.ended:
            return record
        tracker = await self._trackers.of(record, look=look)
        if record.state is EvaluationState.PAUSED:
            return record
        if record.plan is None:
            record = await self._prepare(record, tracker)
            if record.state.ended:
                return record
            if record.plan is None:
                await self._say_downloads(record, tracker)
                return record
        await self._release(record, tracker)
        await self._say_progress(record, tracker)
        report = tracker.facts.get(tracker.report)
        if report is None:
            return record
        if report.result is None:
            reason = report.failure.reason if report.failure else "the report could not be made"
            return await self._end(record, EvaluationState.FAILED, reason)
        return await self._end(record, EvaluationState.COMPLETED, "", report.result)

    async def _prepare(self, record: EvaluationRecord, tracker: Tracker) -> EvaluationRecord:
        await self._release(record, tracker)
        if record.state is EvaluationState.SUBMITTED:
            record = await self._change(record, state=EvaluationState.PREPARING)
        facts = [tracker.facts.get(item.name) for item in tracker.prepare]
        failed = [fact.failure.reason for fact in facts if fact is not None and fact.failure is not None]
        if failed:
            return await self._end(record, EvaluationState.FAILED, "; ".join(failed))
        if any(fact is None for fact in facts):
            return record
        plan = await self._plans.make(record, [fact.result for fact in facts if fact is not None and fact.result])
        created = await asyncio.to_thread(
            partial(self._objects.create, object_keys.plan(record.evaluation_id), encode(plan), media_type=JSON)
        )
        if not created.created:
            plan = decode(await self._read(created.ref), Plan)
        await self.announcer.say("prepared", record, tracker.progress())
        tracker.plan(items_to_do(plan, created.ref), created.ref)
        return await self._change(record, state=EvaluationState.RUNNING, plan=created.ref)

    async def _release(self, record: EvaluationRecord, tracker: Tracker) -> None:
        limit = self._limit(record)
        items = [item for stage in Stage for item in tracker.frontier.take(stage, limit)]
        trace = evaluation_trace(record.evaluation_id, record.attempt, record.trace)
        await asyncio.gather(*(self._publish(item, trace) for item in items))

    async def _publish(self, item: PlanItem, trace: str) -> None:
        task = item.task
        # A refusal means that it is queued or in hand already, which is what was wanted.
        await self._bus.publish(
            subjects.task(task.stage, task.evaluation_id, task.item),
            task_to_bytes(task),
            headers=headers("bakeoff.v1.Task", "control", task.evaluation_id, item.name, trace),
        )

    async def _say_progress(self, record: EvaluationRecord, tracker: Tracker) -> None:
        build = tracker.frontier.counts[Stage.BUILD]
        if not tracker.said_built and build.planned and build.done == build.planned:
            tracker.said_built = True
            await self.announcer.say("built", record, tracker.progress())
        if self._progress_is_due(record):
            await self._tell_progress(record, tracker)

    async def _say_downloads(self, record: EvaluationRecord, tracker: Tracker) -> None:
        if self._progress_is_due(record) and (downloads := await downloads_of(record, tracker, self._bus)):
            await self._tell_progress(record, tracker, downloads)

    def _progress_is_due(self, record: EvaluationRecord) -> bool:
        since = self._said_progress.get(record.evaluation_id, 0.0)
        return asyncio.get_running_loop().time() - since >= PROGRESS_S

    async def _tell_progress(
        self, record: EvaluationRecord, tracker: Tracker, downloads: Sequence[Download] = ()
    ) -> None:
        self._said_progress[record.evaluation_id] = asyncio.get_running_loop().time()
        await self.announcer.say("progress", record, tracker.progress(), downloads)

    async def _end(
        self, record: EvaluationRecord, state: EvaluationState, reason: str, report: ObjectRef | None = None
    ) -> EvaluationRecord:
        ended = replace(record, state=state, reason=reason, ended_at=now(), report=report)
        tracker = self._trackers.get(record.evaluation_id)
        if state is not EvaluationState.COMPLETED:
            await self._bus.purge(subjects.tasks_of(record.evaluation_id))
        await self.announcer.say(state.value, ended, tracker.progress() if tracker else ())
        log.info("evaluation ended", evaluation_id=record.evaluation_id, state=state.value, reason=reason)
        changed = await self._change(record, state=state, reason=reason, ended_at=ended.ended_at, report=report)
        if changed.ended_at == ended.ended_at:  # of several that saw it end, the one whose word counts
            tell_end(changed)
        return changed

    async def _change(self, record: EvaluationRecord, **values: object) -> EvaluationRecord:
        def step(current: EvaluationRecord) -> EvaluationRecord | None:
            # Somebody cancelled or paused it meanwhile: their word counts, the next look goes on from there.
            if (current.state, current.attempt) != (record.state, record.attempt):
                return None
            return replace(current, **values)  # type: ignore[arg-type]

        return await self.states.change(record.evaluation_id, step)

    async def _read(self, ref: ObjectRef) -> bytes:
        return await asyncio.to_thread(self._objects.read, ref)

    def _limit(self, record: EvaluationRecord) -> int:
        """Return how many items of a stage an evaluation may have released."""
        # It may have ended, and been let go of, while it was looked up.
        tenants = {**self._trackers.tenants, record.evaluation_id: record.tenant}
        return window_of(record.evaluation_id, tenants, self._window, record.concurrency)

    async def take_back(self, evaluation_id: str) -> None:
        """Take the queued tasks of an evaluation back, once nothing is being released for it."""
        async with self._locks.setdefault(evaluation_id, asyncio.Lock()):
            await self._bus.purge(subjects.tasks_of(evaluation_id))

    async def status(self, evaluation_id: str) -> EvaluationStatus:
        """Return an evaluation as it stands.

        Raises:
            NotFoundError: there is none.
        """
        record = await self.states.need(evaluation_id)
        tracker = self._trackers.get(evaluation_id)
        if tracker is None:
            async with self._locks.setdefault(evaluation_id, asyncio.Lock()):
                tracker = await self._trackers.of(record, look=True)
                if record.state.ended:
                    self._trackers.forget(evaluation_id)
        return status_of(record, tracker.progress(), await downloads_of(record, tracker, self._bus))

    async def view(self, evaluation_id: str) -> View:
        """Return what can be seen of an evaluation, looked up anew.

        Raises:
            NotFoundError: there is none.
        """
        record = await self.states.need(evaluation_id)
        async with self._locks.setdefault(evaluation_id, asyncio.Lock()):
            tracker = await self._trackers.of(record, look=True)
            limit = self._limit(record)
            if record.state.ended:
                self._trackers.forget(evaluation_id)
        return tracker.view(limit)

    async def watch(self, evaluation_id: str) -> AsyncIterator[EvaluationStatus]:
        """Yield an evaluation as it stands, then at each change, until it has ended.

        Raises:
            NotFoundError: there is none.
        """
        last: EvaluationStatus | None = None
        while True:
            try:
                status = await self.status(evaluation_id)
            except OutOfReachError:
                await asyncio.sleep(0.5)
                continue
            if status != last:
                yield status
                last = status
            if status.state.ended:
                return
            async with self._changed:
                try:
                    await asyncio.wait_for(self._changed.wait(), 1.0)
                except TimeoutError:
                    continue
