"""The dashboard as a web application over a platform; everything that it shows is fetched when it is asked for."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from urllib.parse import urlencode

from aiohttp import web

from bakeoff.dashboard.guarding import FILE, HEADERS, REPORT, make_guard
from bakeoff.dashboard.platform import CaseScore, Platform
from bakeoff.dashboard.render import STATIC, render, static
from bakeoff.dashboard.views import case_page
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus

SHOWN = 100
LOOK_S = 2.0  # between two looks at the list
KEPT = 4
"""Evaluations whose scores are kept in memory: those that somebody pages through."""
PASSAGES = 10
FILES = {"json": "report.json", "csv": "cases.csv", "parquet": "cases.parquet", "trec": "trec.zip"}
PLATFORM = web.AppKey("platform", Platform)
SCORES = web.AppKey("scores", OrderedDict[str, Sequence[CaseScore]])


def make_app(platform: Platform, *, loopback: bool = True) -> web.Application:
    """Return the application.

    Args:
        platform: Where evaluations are; whoever reaches the dashboard sees what this one is shown.
        loopback: Whether it is served to this machine alone.
    """
    app = web.Application(middlewares=[make_guard(loopback=loopback)])
    app[PLATFORM] = platform
    app[SCORES] = OrderedDict()
    app.add_routes(
        [
            web.get("/", evaluations),
            web.get("/events", list_events),
            web.get("/evaluations/{id}", evaluation),
            web.get("/evaluations/{id}/events", evaluation_events),
            web.get("/evaluations/{id}/report.html", report_page),
            web.get("/evaluations/{id}/files/{name}", report_file),
            web.get("/evaluations/{id}/cases", cases),
            web.get("/evaluations/{id}/case", case),
            web.get("/originals", original),
            web.get("/static/{name}", static_file),
        ]
    )
    return app


async def evaluations(request: web.Request) -> web.Response:
    """Show the newest evaluations."""
    listed, more = await _newest(request.app[PLATFORM])
    return _page("evaluations.html.j2", evaluations=listed, more=more)


async def list_events(request: web.Request) -> web.StreamResponse:
    """Send the list's rows whenever they look otherwise."""

    async def rows() -> AsyncIterator[str]:
        while True:
            listed, _ = await _newest(request.app[PLATFORM])
            yield render("rows.html.j2", evaluations=listed)
            await asyncio.sleep(LOOK_S)

    return await _events(request, rows())


async def evaluation(request: web.Request) -> web.Response:
    """Show an evaluation: its progress, and what it came to."""
    platform, name = request.app[PLATFORM], request.match_info["id"]
    status = await platform.get(name)
    report = await platform.report(name) if status.state is EvaluationState.COMPLETED else None
    return _page("evaluation.html.j2", status=status, report=report, files=FILES.values())


async def evaluation_events(request: web.Request) -> web.StreamResponse:
    """Send an evaluation's progress at each change, until it ended."""
    platform, name = request.app[PLATFORM], request.match_info["id"]
    await platform.get(name)  # an error is a page as long as nothing was sent

    async def parts() -> AsyncIterator[str]:
        async for status in platform.watch(name):
            yield render("progress.html.j2", status=status)

    return await _events(request, parts())


async def report_page(request: web.Request) -> web.StreamResponse:
    """Show the report as it was written."""
    return await _file(
        request, request.app[PLATFORM].report_file(request.match_info["id"], "html"), "text/html", REPORT
    )


async def report_file(request: web.Request) -> web.StreamResponse:
    """Give a file of the report."""
    name = request.match_info["name"]
    format_name = next((key for key, file in FILES.items() if file == name), None)
    if format_name is None:
        raise NotFoundError(f"a report has no file {name!r}")
    pieces = request.app[PLATFORM].report_file(request.match_info["id"], format_name)
    return await _file(request, pieces, "application/octet-stream", FILE, save=True)


async def cases(request: web.Request) -> web.Response:
    """Show the cases of an evaluation, a page at a time."""
    status, scores = await _scores(request)
    chosen = {name: request.query.get(name, "") for name in ("benchmark", "entrant", "find", "failed")}
    page = request.query.get("page", "1")
    if not page.isascii() or not page.isdigit() or len(page) > 9:
        raise InvalidInputError(f"a page is a number from 1, not {page!r}")
    shown = case_page(
        scores,
        benchmark=chosen["benchmark"],
        entrant=chosen["entrant"],
        find=chosen["find"],
        failed=bool(chosen["failed"]),
        page=int(page),
    )
    return _page(
        "cases.html.j2",
        status=status,
        cases=shown,
        chosen=chosen,
        benchmarks=dict.fromkeys(score.benchmark for score in scores),
        entrants=dict.fromkeys(score.entrant for score in scores),
        turn=lambda number: urlencode({**{key: word for key, word in chosen.items() if word}, "page": number}),
    )


async def case(request: web.Request) -> web.Response:
    """Show what every entrant said to a case, what it rests on, and how it was scored."""
    name, case_id = request.query.get("benchmark", ""), request.query.get("case", "")
    status, scores = await _scores(request)
    traced = request.app[PLATFORM].trace_case(status.evaluation_id, case_id, benchmark=name, passages=PASSAGES)
    answers = [each async for each in traced]
    own = {
        (each.revision.name, each.entrant): [
            score
            for score in scores
            if (score.benchmark, score.entrant, score.case_id) == (each.revision.name, each.entrant, case_id)
        ]
        for each in answers
    }
    return _page("case.html.j2", status=status, case_id=case_id, answers=answers, scores=own)


async def original(request: web.Request) -> web.StreamResponse:
    """Give the bytes of an original document, for saving."""
    pieces = request.app[PLATFORM].original(request.query.get("key", ""))
    return await _file(request, pieces, "application/octet-stream", FILE, save=True)


async def static_file(request: web.Request) -> web.Response:
    """Give a file that pages refer to."""
    name = request.match_info["name"]
    if name not in STATIC:
        raise NotFoundError(f"there is no file {name!r}")
    return web.Response(body=static(name), content_type=STATIC[name], charset="utf-8", headers=HEADERS)


async def _newest(platform: Platform) -> tuple[list[EvaluationStatus], bool]:
    """Return the newest evaluations, those under way with their progress, and whether there are more."""
    listed: list[EvaluationStatus] = []
    async for status in platform.evaluations():
        if len(listed) == SHOWN:
            return listed, True
        listed.append(status if status.state.ended else await platform.get(status.evaluation_id))
    return listed, False


async def _scores(request: web.Request) -> tuple[EvaluationStatus, Sequence[CaseScore]]:
    """Return an evaluation and the scores of its report; a report that was made anew is fetched anew."""
    platform, kept = request.app[PLATFORM], request.app[SCORES]
    status = await platform.get(request.match_info["id"])
    if status.report is None:
        raise NotFoundError(f"the evaluation {status.evaluation_id} has no report: it is {status.state.value}")
    key = status.evaluation_id + status.report.sha256
    if key not in kept:
        kept[key] = await platform.scores(status.evaluation_id)
        while len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return status, kept[key]


def _page(template: str, **facts: object) -> web.Response:
    return web.Response(text=render(template, **facts), content_type="text/html", headers=HEADERS)


async def _events(request: web.Request, parts: AsyncIterator[str]) -> web.StreamResponse:
    """Send parts as server-sent events, each when it differs from the one before, and that they ended."""
    response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
    await response.prepare(request)
    last = ""
    async with aclosing(parts) as each_part:  # type: ignore[type-var]  # it is a generator
        async for part in each_part:
            if part != last:
                lines = "".join(f"data: {line}\n" for line in part.splitlines())
                await response.write(f"event: part\n{lines}\n".encode())
                last = part
    await response.write(b"event: end\ndata:\n\n")
    return response


async def _file(
    request: web.Request, pieces: AsyncIterator[bytes], kind: str, policy: str, *, save: bool = False
) -> web.StreamResponse:
    """Pass a file on in pieces; an error before the first one is a page."""
    first = await anext(pieces, b"")
    headers = {**HEADERS, "Content-Security-Policy": policy, "Content-Type": f"{kind}; charset=utf-8"}
    if save:
        headers["Content-Disposition"] = "attachment"
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    await response.write(first)
    async for piece in pieces:
        await response.write(piece)
    await response.write_eof()
    return response
