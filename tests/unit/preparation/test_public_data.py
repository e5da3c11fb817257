"""Public sets: as many documents, cases and judgements as their publishers say."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.unit.preparation.conftest import Outcome

pytestmark = pytest.mark.data
Prepare = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("name", "documents", "cases", "judgements", "findings"),
    [
        ("scifact", 5183, 300, 339, {}),
        ("cranfield", 1400, 225, 1837, {"empty_document": 2}),
        ("vaswani", 11429, 93, 2083, {}),
        # 55 judgements name 46 documents that are not there, for want of zeros: CACM-115 for CACM-0115.
        ("cacm", 3204, 52, 796, {"dangling_judgement": 55, "query_without_judgement": 12}),
        ("2wiki-101", 6119, 101, 248, {}),
        ("limit-small", 46, 1000, 2000, {}),
    ],
)
def test_counts_are_those_published(
    prepare_as: Prepare,
    data_dir: Path,
    name: str,
    documents: int,
    cases: int,
    judgements: int,
    findings: dict[str, int],
) -> None:
    outcome = prepare_as("beir", path=str(data_dir / name))
    quality = outcome.quality
    assert outcome.manifest.benchmark.name == name
    assert (quality.documents, quality.cases, quality.judgements) == (documents, cases, judgements)
    assert outcome.findings == findings


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder that a web server on this machine serves, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *args: object) -> None:
        pass


def test_a_set_by_its_address_is_the_same_as_its_folder(
    prepare_as: Prepare, data_dir: Path, served: tuple[Path, str]
) -> None:
    folder, address = served
    shutil.make_archive(str(folder / "scifact"), "zip", data_dir, "scifact")
    outcome = prepare_as("beir", path=f"{address}/scifact.zip")
    assert outcome.manifest.documents == 5183
    assert outcome.ref == prepare_as("beir", path=str(data_dir / "scifact")).ref


def test_padded_judgements_of_cacm_name_nothing_that_is_absent(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "cacm"), qrels="test_padded")
    assert outcome.findings == {"query_without_judgement": 12}
    assert outcome.quality.ceiling == {}


def test_graded_judgements_of_cranfield_keep_their_grades(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "cranfield"), qrels="graded_gain")
    grades = [evidence.relevance for case in outcome.cases for evidence in case.expected.evidence]
    # The codes 1 (best) to 4 and -1 of the publisher, turned round: 128 × 4, 387 × 3, 734 × 2, 363 × 1, 225 × 0.
    assert [grades.count(grade) for grade in (4, 3, 2, 1, 0)] == [128, 387, 734, 363, 225]


def test_document_ids_with_spaces_survive(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "limit-small"))
    assert "Geneva Durben" in {document.document_id for document in outcome.documents}
    assert outcome.cases[0].expected.evidence[0].locator == {"document_id": "Geneva Durben"}
