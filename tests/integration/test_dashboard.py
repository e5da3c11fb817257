"""The dashboard against a whole platform: what its pages show, whom it answers, and a real browser looking at them."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bakeoff.cli.requests import read_request
from bakeoff.client import AsyncClient, Client
from bakeoff.dashboard.serving import serving
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus
from bakeoff.runtime.settings import Settings
from tests.integration.guarded_platform import QUICKSTART, GuardedPlatform, guarded_platform

pytestmark = pytest.mark.timeout(180)

HOSTILE = "<script>document.title='gone'</script> & \"quotes\""
CASES, ENTRANTS = 10, 3
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
Page = Callable[[str], Awaitable[tuple[int, str, Any]]]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedPlatform]:
    with guarded_platform(tmp_path_factory.mktemp("guarded")) as running:
        yield running


@pytest.fixture(scope="module")
def done(platform: GuardedPlatform) -> EvaluationStatus:
    """A small evaluation whose title is markup."""
    request = read_request(QUICKSTART, Settings()).request
    small = replace(request, name=HOSTILE, benchmarks=(replace(request.benchmarks[0], limit=CASES),))
    with Client(platform.address, token=platform.tokens["acme"]) as client:
        ended = client.wait(client.submit(small).status.evaluation_id)
    assert ended.state is EvaluationState.COMPLETED, ended.reason
    return ended


def with_dashboard(
    platform: GuardedPlatform, do: Callable[[str], Awaitable[Any]], token: str = "acme-reader", host: str = "127.0.0.1"
) -> Any:
    """Do something with the address of a dashboard that shows the platform a token."""

    async def run() -> Any:
        shown = platform.tokens.get(token, "")
        async with AsyncClient(platform.address, token=shown) as client, serving(client, host, 0) as address:
            return await do(address)

    return asyncio.run(run())


def get(
    platform: GuardedPlatform, *paths: str, token: str = "acme-reader", **headers: str
) -> list[tuple[int, str, Any]]:
    """Return the status, the text and the headers of pages."""

    async def do(address: str) -> list[tuple[int, str, Any]]:
        async with aiohttp.ClientSession() as session:
            found = []
            for path in paths:
                async with session.get(address.rstrip("/") + path, headers=headers) as answer:
                    found.append((answer.status, (await answer.read()).decode("utf-8", "replace"), answer.headers))
            return found

    found: list[tuple[int, str, Any]] = with_dashboard(platform, do, token)
    return found


def links(text: str) -> list[str]:
    """Return the addresses on a page that lead to another one of the dashboard."""
    return [link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"]*)"', text)]


def test_every_link_of_every_page_leads_somewhere_and_nothing_is_markup(
    platform: GuardedPlatform, done: EvaluationStatus
) -> None:
    async def walk(address: str) -> dict[str, str]:
        seen: dict[str, str] = {}
        waiting = ["/"]
        async with aiohttp.ClientSession() as session:
            while waiting:
                path = waiting.pop(0)
                if path in seen or len(seen) > 80:
                    continue
                async with session.get(address.rstrip("/") + path) as answer:
                    assert answer.status == 200, (path, await answer.text())
                    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                    page = answer.content_type == "text/html" and not path.endswith("report.html")
                    seen[path] = await answer.text() if page else ""
                waiting += links(seen[path])
        return seen

    pages = with_dashboard(platform, walk)

    name = done.evaluation_id
    assert {"/", f"/evaluations/{name}", f"/evaluations/{name}/cases", f"/evaluations/{name}/report.html"} <= set(pages)
    assert any(path.startswith(f"/evaluations/{name}/case?") for path in pages)
    assert any(path.startswith("/originals?") for path in pages)
    for path, text in pages.items():
        assert "<script>document" not in text, path
    assert "&lt;script&gt;document" in pages["/"]


def test_an_evaluation_shows_its_stages_its_means_and_its_files(
    platform: GuardedPlatform, done: EvaluationStatus
) -> None:
    ((status, text, _),) = get(platform, f"/evaluations/{done.evaluation_id}")

    assert status == 200
    assert f"{CASES * ENTRANTS} of {CASES * ENTRANTS} cases" in text
    assert text.count(f"<td>{CASES} of {CASES}</td>") == ENTRANTS
    assert "ndcg@10" in text
    assert "No case failed." in text


def test_cases_are_filtered_and_one_shows_answer_passages_and_scores(
    platform: GuardedPlatform, done: EvaluationStatus
) -> None:
    here = f"/evaluations/{done.evaluation_id}"
    every, one, failed, far = get(
        platform,
        f"{here}/cases",
        f"{here}/cases?entrant=bm25%2Ffull_text_search&find=q001",
        f"{here}/cases?failed=1",
        f"{here}/cases?page=999",
    )
    assert f"{CASES * ENTRANTS} rows, page 1 of 1" in every[1]
    assert "1 rows, page 1 of 1" in one[1]
    assert "0 rows, page 1 of 1" in failed[1]
    assert "page 1 of 1" in far[1]
    case = next(link for link in links(one[1]) if "/case?" in link)

    ((status, text, _),) = get(platform, case)
    assert status == 200
    assert [f"<h2>{name}</h2>" in text for name in ("bm25/full_text_search", "dense/vector_search")] == [True, True]
    assert text.count("<h3>Answer</h3>") == text.count("<h3>Scores</h3>") == ENTRANTS
    assert re.search(
        r'<a href="/originals\?key=raw/benchmarks/[^"]+">[^<]+\.(md|txt|html)</a>, characters \d+ to \d+', text
    )


def test_a_report_runs_as_of_no_origin_and_documents_are_only_saved(
    platform: GuardedPlatform, done: EvaluationStatus
) -> None:
    here = f"/evaluations/{done.evaluation_id}"
    report, table = get(platform, f"{here}/report.html", f"{here}/files/cases.csv")

    assert report[2]["Content-Security-Policy"].startswith("sandbox allow-scripts allow-popups;")
    assert report[1].rstrip().endswith("</html>")
    assert table[2]["Content-Disposition"] == "attachment"
    assert table[1].startswith("benchmark,unit,case")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/evaluations/ev-nothing", 404, "There is nothing here"),
        ("/evaluations/ev-nothing/events", 404, "There is nothing here"),
        ("/evaluations/ev-nothing/report.html", 404, "There is nothing here"),
        ("/originals?key=raw/../secrets", 400, "That cannot be shown"),
        ("/nowhere", 404, "Not Found"),
        ("/static/..%2fapp.py", 404, ""),
        ("/evaluations/{done}/cases?page=-1", 400, "a page is a number from 1"),
        ("/evaluations/{done}/case?case=nope", 404, "nope"),
        ("/evaluations/{done}/files/plan.json", 404, "no file"),
    ],
)
def test_what_is_not_there_is_said_on_a_page(
    platform: GuardedPlatform, done: EvaluationStatus, path: str, status: int, words: str
) -> None:
    ((found, text, headers),) = get(platform, path.format(done=done.evaluation_id))

    assert found == status
    assert words in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_without_a_token_nothing_is_seen_and_another_tenant_sees_nothing(
    platform: GuardedPlatform, done: EvaluationStatus
) -> None:
    ((status, text, _),) = get(platform, "/", token="")
    assert (status, "wants a token" in text) == (502, True)
    listed, page = get(platform, "/", f"/evaluations/{done.evaluation_id}", token="globex")
    assert "There is no evaluation yet." in listed[1]
    assert page[0] == 404


def test_another_sites_name_that_points_here_is_not_answered(platform: GuardedPlatform) -> None:
    ((status, text, _),) = get(platform, "/", Host="evil.example")

    assert status == 421
    assert "localhost" in text


def test_progress_comes_as_it_happens_until_the_end(platform: GuardedPlatform, done: EvaluationStatus) -> None:
    async def follow(address: str) -> str:
        async with AsyncClient(platform.address, token=platform.tokens["acme"]) as client:
            request = read_request(QUICKSTART, Settings()).request
            name = (await client.submit(request, idempotency_key="followed")).status.evaluation_id
            async with aiohttp.ClientSession() as session:
                async with session.get(f"{address}evaluations/{name}") as page:
                    assert f'data-live="/evaluations/{name}/events"' in await page.text()
                async with session.get(f"{address}evaluations/{name}/events") as events:
                    assert events.content_type == "text/event-stream"
                    text: str = await events.text()
                    return text

    text = with_dashboard(platform, follow)

    parts = [each for each in text.split("\n\n") if each]
    assert parts[-1] == "event: end\ndata:"
    assert len(parts) > 2
    assert all(line.startswith(("event: ", "data: ", "data:")) for each in parts for line in each.splitlines())
    assert "completed" in parts[-2]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_shows_the_pages_live_and_runs_nothing_of_theirs(
    platform: GuardedPlatform, done: EvaluationStatus, tmp_path: Path
) -> None:
    async def look(address: str) -> tuple[str, str]:
        return await asyncio.to_thread(dom, address, tmp_path), await asyncio.to_thread(
            dom, f"{address}evaluations/{done.evaluation_id}", tmp_path
        )

    first, page = with_dashboard(platform, look)

    for text in (first, page):
        assert "<title>gone" not in text
        assert "&lt;script&gt;document" in text
    assert 'class="state completed"' in first
    assert 'max="1" value="1.0000"' in page


def dom(address: str, folder: Path) -> str:
    """Return a page as a browser has it after its scripts have run."""
    assert CHROMIUM
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder / 'profile'}"]
    argv = [CHROMIUM, *flags, "--timeout=3000", "--dump-dom", address]
    return subprocess.run(argv, capture_output=True, text=True, timeout=90, check=True).stdout
