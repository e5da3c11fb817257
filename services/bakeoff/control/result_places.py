"""Where the result of an item is stored, as control needs it when the bus has lost who told it."""

from __future__ import annotations

from bakeoff.contract import object_keys
from bakeoff.domain.work import BuildTask, InferTask, IngestTask, PrepareTask, ReportTask, ScoreTask, Task


def result_key(task: Task, answers_of: str = "") -> str:
    """Return the key of an item's result; each service stores its own under the same.

    Args:
        task: The item.
        answers_of: Evaluation that asked the questions; empty means the item's own.
    """
    match task.body:
        case PrepareTask():
            return object_keys.prepare_result(task.evaluation_id, task.item)
        case IngestTask(prepared=prepared, part=part):
            return object_keys.ingested_part(prepared.key.split("/")[1], part)
        case BuildTask(kb_id=kb_id):
            return object_keys.kb_manifest(kb_id)
        case InferTask():
            return object_keys.answers(answers_of or task.evaluation_id, task.item)
        case ScoreTask():
            return object_keys.scores(task.evaluation_id, task.item)
        case ReportTask():
            return object_keys.report(task.evaluation_id, object_keys.REPORT_FILE, task.item)
