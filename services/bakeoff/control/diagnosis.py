"""Why an evaluation does not go on: what each stage waits for, told from what is known. Knows no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.contract.bus_permissions import STAGES
from bakeoff.control.frontier import StageCounts
from bakeoff.control.renewal import FAILED_CASES, WITH_CASES
from bakeoff.domain.diagnosis import Diagnosis
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState, Stage
from bakeoff.domain.work import DoneFact, ItemOutcome
from bakeoff.runtime.bus import Standing

SERVICE = {stage: service for service, stage in STAGES.items()}
"""The service that works on a stage."""
SHOWN = 3
"""Reasons that are told; the most frequent ones."""


@dataclass(frozen=True, slots=True)
class StageSight:
    """What can be seen of a stage of an evaluation."""

    counts: StageCounts
    queued: int
    """Tasks of the evaluation that are queued or in hand."""
    ready: int
    """Items that nothing stands in the way of and that are not released."""
    limit: int
    """Items that the evaluation may have released."""
    standing: Standing | None
    """How the consumer of the stage stands; None when it is not there."""
    others: tuple[str, ...] = ()
    """Components that the newest process of the service has in another version than the plan, in words."""


def diagnose(
    record: EvaluationRecord,
    stages: Mapping[Stage, StageSight],
    facts: Sequence[DoneFact],
    reasons: Iterable[str] = (),
) -> list[Diagnosis]:
    """Return what can be said of an evaluation; what is in the way is not `ok`.

    Args:
        record: How it stands.
        stages: What can be seen of each stage.
        facts: How its items ended, of the attempt that counts.
        reasons: Why cases failed, one for each case that was looked at.
    """
    found = [_state(record)]
    if not record.state.ended and record.state is not EvaluationState.PAUSED:
        found += [_stage(stage, sight, record) for stage, sight in stages.items() if _is_due(sight)]
    found += _failed_items(record, facts)
    found += _failed_cases(record, facts, reasons)
    return found


def others(planned: Mapping[str, str], there: Mapping[str, str]) -> tuple[str, ...]:
    """Return the components that are there in another version than planned, in words; versions by `kind:name`."""
    return tuple(
        f"{name} {there[name]}, not {version}"
        for name, version in sorted(planned.items())
        if there.get(name, version) != version
    )


def _state(record: EvaluationRecord) -> Diagnosis:
    words = f"{record.state.value}{f': {record.reason}' if record.reason else ''}"
    match record.state:
        case EvaluationState.PAUSED:
            return Diagnosis("state", False, words, f"bakeoff resume {record.evaluation_id}")
        case EvaluationState.FAILED:
            return Diagnosis("state", False, words, f"mend the cause, then: bakeoff dead replay {record.evaluation_id}")
        case EvaluationState.CANCELLED:
            return Diagnosis("state", False, words, "submit it again to take it up")
        case _:
            return Diagnosis("state", True, words)


def _is_due(sight: StageSight) -> bool:
    return bool(sight.counts.planned > sight.counts.done and (sight.queued or sight.ready or sight.counts.released))


def _stage(stage: Stage, sight: StageSight, record: EvaluationRecord) -> Diagnosis:
    name, service = f"stage {stage.value}", SERVICE[stage]
    counts, standing = sight.counts, sight.standing
    done = f"{counts.done} of {counts.planned} items have ended"
    if standing is None:
        return Diagnosis(
            name, False, f"{done}; its consumer is missing", "start a service or run `bakeoff streams`, which make it"
        )
    if sight.queued and not standing.in_hand and not standing.waiting:
        return Diagnosis(
            name,
            False,
            f"{done}; {sight.queued} queued tasks are delivered to nobody any more: all their deliveries are used",
            "the control service ends them within moments; if not, look at its log",
        )
    if standing.waiting and not standing.in_hand and not standing.pulls:
        return Diagnosis(
            name,
            False,
            f"{done}; {sight.queued} are queued and no worker takes any",
            f"start one with `bakeoff serve {service}`, or look at the logs of those that should run",
        )
    if not sight.queued and sight.ready and counts.released >= sight.limit:
        return Diagnosis(
            name, True, f"{done}; {sight.ready} wait for the window of {sight.limit}, which the platform shares out"
        )
    if sight.others:
        return Diagnosis(
            name,
            False,
            f"{done}; they were planned with other versions than the newest {service} has: {', '.join(sight.others)}",
            f"a {service} of the version that was planned with does them; if none is left, submit again with --fresh",
        )
    if standing.redelivered:
        return Diagnosis(
            name,
            False,
            f"{done}; {sight.queued} are queued or in hand, and {standing.redelivered} of all that are in hand were "
            "given out before: their workers died or gave no sign of life",
            f"look at the logs of {service}: it may be short of memory, or out of reach of the bus or the object store",
        )
    bound = f", at most {record.concurrency} at once" if record.concurrency else ""
    return Diagnosis(
        name,
        True,
        f"{done}; {sight.queued} are queued or in hand{bound} (over all evaluations {standing.waiting} wait, "
        f"{standing.in_hand} are in hand)",
    )


def _failed_items(record: EvaluationRecord, facts: Sequence[DoneFact]) -> Iterator[Diagnosis]:
    for stage in Stage:
        failed = [fact for fact in facts if fact.stage is stage and fact.outcome is ItemOutcome.FAILED]
        if failed:
            told = _told(fact.failure.reason for fact in failed if fact.failure)
            yield Diagnosis(
                f"failed items of {stage.value}",
                False,
                f"{len(failed)} were given up: {told}",
                f"bakeoff dead list {record.evaluation_id}; with the cause mended, when it has ended: "
                f"bakeoff dead replay {record.evaluation_id}",
            )


def _failed_cases(record: EvaluationRecord, facts: Sequence[DoneFact], reasons: Iterable[str]) -> Iterator[Diagnosis]:
    for stage in WITH_CASES:
        counts = [fact.counts.get(FAILED_CASES, 0) for fact in facts if fact.stage is stage]
        if not sum(counts):
            # What was not asked cannot be scored: its cases fail in the later stage as well.
            if any(fact.stage is stage and fact.outcome is ItemOutcome.FAILED for fact in facts):
                return
            continue
        told = _told(reasons) if stage is Stage.INFER else ""
        yield Diagnosis(
            f"failed cases of {stage.value}",
            False,
            f"{sum(counts)} in {sum(count > 0 for count in counts)} items{f': {told}' if told else ''}",
            f"with the cause mended, when it has ended: bakeoff dead replay {record.evaluation_id} --failed-cases",
        )
        return  # those of the later stage come of these


def _told(reasons: Iterable[str]) -> str:
    """Return the most frequent reasons with how often each is."""
    counted = Counter(reasons)
    told = [f"{reason} ({count}×)" if count > 1 else reason for reason, count in counted.most_common(SHOWN)]
    return "; ".join(told) + ("; …" if len(counted) > SHOWN else "")
