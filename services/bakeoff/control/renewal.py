"""Doing again what failed: the plan made anew, in which failed items and all that came of them have new names.

Facts and results stay what they are for ever: under a new name there are none yet, so nothing has to be taken back, and
whoever is late with an old item does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from bakeoff.control.planning import items_to_do, report_name
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.work import BuildTask, DoneFact, InferTask, ItemOutcome, Plan, PlanItem, ScoreTask, TaskBody

FAILED_CASES = "failed_cases"
"""Count, in the fact of an item with a result, of its cases that failed."""
WITH_CASES = (Stage.INFER, Stage.SCORE)
_NOWHERE = ObjectRef("", "", 0)
_ATTEMPT = re.compile(r"-attempt\d+$")


def failed_items(plan: Plan, facts: Mapping[str, DoneFact], *, failed_cases: bool = False) -> frozenset[str]:
    """Return the items of a plan that ended without a result, by `<stage>/<item>`; the report may be among them.

    Args:
        plan: The plan.
        facts: How items ended, by name.
        failed_cases: Whether items count as well that have a result in which cases failed.
    """
    own = [item for item in items_to_do(plan, _NOWHERE) if item.name in facts]
    return frozenset(item.name for item in own if _failed(facts[item.name], failed_cases=failed_cases))


def _failed(fact: DoneFact, *, failed_cases: bool) -> bool:
    if fact.outcome is ItemOutcome.FAILED:
        return True
    return failed_cases and fact.stage in WITH_CASES and fact.counts.get(FAILED_CASES, 0) > 0


def renewed(plan: Plan, names: Collection[str], attempt: int) -> tuple[Plan, frozenset[str]]:
    """Return a plan in which some items, and all that need them, are new; and the new names, without the report's.

    Args:
        plan: As it was.
        names: The items, `<stage>/<item>`.
        attempt: Of the evaluation, from 2: makes the names new.
    """
    stale = set(names)
    for item in plan.items:  # planned in the order of their stages: what is needed comes first
        if not stale.isdisjoint(item.needs):
            stale.add(item.name)
    fresh = {name: f"{_ATTEMPT.sub('', name)}-attempt{attempt}" for name in stale}
    items = tuple(_item(item, fresh) for item in plan.items)
    new = frozenset(fresh[item.name] for item in plan.items if item.name in stale)
    return replace(plan, items=items, attempt=attempt), new


def _item(item: PlanItem, fresh: Mapping[str, str]) -> PlanItem:
    name = fresh.get(item.name, item.name)
    needs = tuple(fresh.get(need, need) for need in item.needs)
    task = replace(item.task, item=name.partition("/")[2], body=_body(item.task.body, fresh))
    return replace(item, task=task, needs=needs)


def _body(body: TaskBody, fresh: Mapping[str, str]) -> TaskBody:
    """Return a task's body that names the items it reads as they are called now."""

    def now_called(stage: Stage, item: str) -> str:
        return fresh.get(f"{stage.value}/{item}", f"{stage.value}/{item}").partition("/")[2]

    match body:
        case BuildTask():
            return replace(body, ingest_items=tuple(now_called(Stage.INGEST, item) for item in body.ingest_items))
        case InferTask():
            return replace(body, build_item=now_called(Stage.BUILD, body.build_item))
        case ScoreTask():
            opponents = {who: now_called(Stage.INFER, item) for who, item in body.opponents.items()}
            return replace(body, infer_item=now_called(Stage.INFER, body.infer_item), opponents=opponents)
        case _:
            return body


def is_current(plan: Plan, name: str) -> bool:
    """Say whether an item, `<stage>/<item>`, is one of a plan or its report, rather than of an earlier attempt."""
    return name == report_name(plan) or any(item.name == name for item in plan.items)
