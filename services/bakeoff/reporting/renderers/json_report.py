"""The report itself, for machines."""

from __future__ import annotations

from bakeoff.contract.stored import JSON
from bakeoff.reporting.files import REPORT_FILE
from bakeoff.reporting.load import dump_report
from bakeoff.reporting.material import Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile


class JsonRenderer:
    """Writes `report.json`."""

    def render(self, finished: Finished) -> RenderedFile:
        """Return the report as indented JSON."""
        return RenderedFile(REPORT_FILE, JSON, dump_report(finished.report))


@renderers.register("json")
def json_report() -> JsonRenderer:
    """Write the report as JSON with its schema version."""
    return JsonRenderer()
