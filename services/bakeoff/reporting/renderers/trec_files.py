"""Runs and judgements for trec_eval, zipped."""

from __future__ import annotations

import io
import json
import zipfile

from bakeoff.domain.identity import key_segment
from bakeoff.domain.retrieval import judged_documents, judged_pages
from bakeoff.reporting.files import TREC_FILE
from bakeoff.reporting.material import BenchmarkMaterial, EntrantMaterial, Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile
from bakeoff.reporting.trec import changed_ids, qrels_lines, trec_id

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can tell: the same files give the same bytes."""
README = """Runs and judgements behind the ranking measures of a report.

  qrels/<benchmark>.qrels          query 0 document relevance
  runs/<benchmark>/<recipe>/<mode>.run   query Q0 document rank score tag
  qrels/<benchmark>.pages.qrels, runs/<benchmark>/<recipe>/<mode>.pages.run
                                   the same over pages, where evidence names them: <document>:p<page from 0>
  ids.json                         how ids are written here, where they had to be changed

`bakeoff score-run --run RUN --qrels QRELS --metrics 'ndcg(k=10)' …` gives the report's numbers again; over the files of
pages, `recall(k=10)` is the report's page_recall@10, and so on.

To check a report's numbers with trec_eval (-c counts queries that are not in the run as 0):

  trec_eval -c -m map -m ndcg_cut.10 -m recall.100 qrels/B.qrels runs/B/R/M.run

or in Python, where a query that is not in the run is missing from the result, and counts as 0 in the mean:

  import pytrec_eval
  qrels = pytrec_eval.parse_qrel(open("qrels/B.qrels", encoding="utf-8"))
  run = pytrec_eval.parse_run(open("runs/B/R/M.run", encoding="utf-8"))
  found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)
  print(sum(found.get(query, {"ndcg_cut_10": 0.0})["ndcg_cut_10"] for query in qrels) / len(qrels))

Passages are merged to documents, and to the pages that they touch, by the highest score. Ranks are trec_eval's own: by
score as a 32-bit float, then by id, both descending. Where a benchmark leaves out documents with the query's own id,
they are not in the runs.
A case that failed, or that found nothing, has no lines in the run.

White space and every character up to `#` in an id is written as `!` and another character, so that a line has six
fields and ids keep their order; `ids.json` maps each id that is written otherwise to what it was. Where a case
belongs to several units, every case is named by its unit, a space, and its id.
"""


class TrecRenderer:
    """Writes `trec.zip`."""

    def render(self, finished: Finished) -> RenderedFile:
        """Return the zip: qrels, one run for each benchmark and entrant, and how to check the numbers."""
        ids: dict[str, str] = {}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            _add(archive, "README.txt", README.encode())
            for benchmark in finished.material.benchmarks:
                ids |= _changed_ids(benchmark)
                _add(archive, f"qrels/{key_segment(benchmark.name)}.qrels", _qrels(benchmark).encode())
                for entrant in benchmark.entrants:
                    _add(archive, _run_name(benchmark, entrant), entrant.run)
                if paged := _pages_qrels(benchmark):
                    _add(archive, f"qrels/{key_segment(benchmark.name)}.pages.qrels", paged.encode())
                    for entrant in benchmark.entrants:
                        _add(archive, _run_name(benchmark, entrant, ".pages"), entrant.pages_run)
            if ids:
                _add(archive, "ids.json", json.dumps(ids, ensure_ascii=False, indent=1, sort_keys=True).encode())
        return RenderedFile(TREC_FILE, "application/zip", buffer.getvalue())


def _run_name(benchmark: BenchmarkMaterial, entrant: EntrantMaterial, kind: str = "") -> str:
    folder = f"runs/{key_segment(benchmark.name)}/{key_segment(entrant.recipe.name)}"
    return f"{folder}/{key_segment(entrant.mode)}{kind}.run"


def _qrels(benchmark: BenchmarkMaterial) -> str:
    return "".join(qrels_lines(planned.query_id, judged_documents(planned.case)) for planned in benchmark.cases)


def _pages_qrels(benchmark: BenchmarkMaterial) -> str:
    return "".join(qrels_lines(planned.query_id, judged_pages(planned.case)) for planned in benchmark.cases)


def _changed_ids(benchmark: BenchmarkMaterial) -> dict[str, str]:
    changed = {trec_id(entrant.name): entrant.name for entrant in benchmark.entrants}
    changed |= {planned.query_id: planned.name for planned in benchmark.cases}
    for planned in benchmark.cases:
        changed |= changed_ids(judged_documents(planned.case)) | changed_ids(judged_pages(planned.case))
    for entrant in benchmark.entrants:
        changed |= entrant.changed_ids
    return {written: name for written, name in changed.items() if written != name}


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    # Level 1: runs are large, and a third of the time for a tenth more bytes is the better trade.
    archive.writestr(entry, data, compresslevel=1)


@renderers.register("trec")
def trec_files() -> TrecRenderer:
    """Write TREC run files and judgements of every benchmark and entrant as a zip."""
    return TrecRenderer()
