"""The work of the stage `report`: everything that was found becomes the files of a report."""

from __future__ import annotations

from bakeoff.contract import object_keys
from bakeoff.contract.stored import decode
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import Plan, ReportTask, Task
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.files import REPORT_FILE
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile
from bakeoff.runtime.items import ItemContext, Result, StageHandler


def make_handler() -> StageHandler:
    """Return the handler of the stage."""
    return StageHandler(
        Stage.REPORT, lambda task: object_keys.report(task.evaluation_id, REPORT_FILE, task.item), report
    )


def report(task: Task, context: ItemContext) -> Result:
    """Make all files of a report; the report itself is the result, and so is stored last.

    Raises:
        InvalidInputError: what was stored does not fit the plan.
        NotFoundError: an object that a fact names is not there.
    """
    body = task.body
    if not isinstance(body, ReportTask):
        raise TypeError(f"a report task has a {type(body).__name__}")
    plan = decode(context.objects.read(body.plan), Plan)
    material = gather(plan, context)
    finished = Finished(assemble(material), material)
    files = {file.name: file for file in render_all(finished)}
    result = files.pop(REPORT_FILE)
    for file in files.values():
        context.begin()
        key = object_keys.report(task.evaluation_id, file.name, task.item)
        context.objects.create(key, file.data, media_type=file.media_type)
    cases = sum(len(benchmark.cases) * len(benchmark.entrants) for benchmark in material.benchmarks)
    return Result(result.data, result.media_type, {"cases": cases})


def render_all(finished: Finished) -> list[RenderedFile]:
    """Return every file of a report, by the renderers' names."""
    rendered = (renderers.make(ComponentSpec(name)).render(finished) for name in renderers.names())
    return [file for file in rendered if file is not None]
