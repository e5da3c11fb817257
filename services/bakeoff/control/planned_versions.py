"""The versions of components that each item of a plan is done with, so that no evaluation has results of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bakeoff.domain.component import ComponentKind
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import BuildTask, PlanItem, TaskBody

KINDS = {
    Stage.INFER: (
        ComponentKind.EXAMPLE_RETRIEVER,
        ComponentKind.GENERATOR,
        ComponentKind.QUERY_ENGINE,
        ComponentKind.RERANKER,
    ),
    Stage.SCORE: (ComponentKind.EVALUATOR,),
}
"""What the workers of a stage run; a build names its own, with which its knowledge base is named."""


def with_versions(items: Iterable[PlanItem], versions: Mapping[str, str]) -> Iterator[PlanItem]:
    """Yield items whose tasks say which versions of components they are done with.

    Of questions and scores these are all of their kinds in the evaluation, those within other components among them:
    a worker that lacks one of them is not the one for any.

    Args:
        items: Of one plan.
        versions: Of every component of the plan, by `kind:name`.
    """
    of_stage = {
        stage: {name: version for name, version in versions.items() if name.partition(":")[0] in kinds}
        for stage, kinds in KINDS.items()
    }
    for item in items:
        needed = _of_build(item.task.body) or of_stage.get(item.task.stage)
        yield replace(item, task=replace(item.task, versions=needed)) if needed else item


def _of_build(body: TaskBody) -> dict[str, str]:
    return body.versions if isinstance(body, BuildTask) else {}
