"""Counts as Prometheus reads them."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from bakeoff.domain.errors import InvalidInputError, OutOfReachError, UnavailableError
from bakeoff.domain.work import Task
from bakeoff.runtime.items import ItemContext, Result
from bakeoff.runtime.telemetry import metrics, names
from bakeoff.runtime.telemetry.book import Book
from bakeoff.runtime.telemetry.page import MetricsPage
from tests.unit.runtime.test_worker import Room, work


@pytest.fixture
def book() -> Iterator[Book]:
    yield metrics.turn_on()
    metrics.turn_off()


def test_nothing_is_kept_until_somebody_listens() -> None:
    metrics.turn_off()
    metrics.count(names.RETRIES, stage="infer")
    book = metrics.turn_on()
    try:
        assert book.page() == ""
    finally:
        metrics.turn_off()


def test_a_page_has_counters_gauges_and_cumulative_buckets(book: Book) -> None:
    metrics.count(names.RETRIES, 2, stage="infer")
    metrics.count(names.RETRIES, stage="infer")
    metrics.level(names.READY, 1)
    for seconds in (0.005, 0.4, 7.0, 9_999.0):
        metrics.observe(names.ITEM_SECONDS, seconds, stage='odd "stage"\n')
    page = book.page()
    assert 'bakeoff_item_retries_total{stage="infer"} 3\n' in page
    assert "# TYPE bakeoff_ready gauge\nbakeoff_ready 1\n" in page
    buckets = [line for line in page.splitlines() if "_bucket" in line]
    label = r'stage="odd \"stage\"\n"'
    assert buckets[0] == f'bakeoff_item_seconds_bucket{{{label},le="0.005"}} 1'
    assert [line.rpartition(" ")[2] for line in buckets] == [*list("111222233333"), "4"]
    assert f"bakeoff_item_seconds_sum{{{label}}} 10006.405\n" in page
    assert f"bakeoff_item_seconds_count{{{label}}} 4\n" in page


def test_only_what_the_list_says_can_be_told(book: Book) -> None:
    with pytest.raises(ValueError, match="not a counter with"):
        metrics.count(names.READY)
    with pytest.raises(ValueError, match="labels"):
        metrics.count(names.RETRIES, model="m")
    with pytest.raises(ValueError, match="only grows"):
        metrics.count(names.RETRIES, -1, stage="infer")
    assert book.page() == ""


def test_the_list_follows_the_rules_of_prometheus() -> None:
    assert len({metric.name for metric in names.METRICS}) == len(names.METRICS)
    for metric in names.METRICS:
        assert metric.name.endswith("_total") == (metric.kind is names.Kind.COUNTER), metric.name
        assert metric.help.endswith("."), metric.name


def test_the_page_is_read_at_one_path_and_ends_with_the_process(book: Book) -> None:
    metrics.level(names.READY, 0)
    page = MetricsPage("127.0.0.1:0", book)
    with urllib.request.urlopen(f"http://{page.address}/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert answer.read().decode() == book.page()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://{page.address}/")
    with pytest.raises(InvalidInputError, match="BAKEOFF_METRICS_LISTEN"):
        MetricsPage(page.address, book)
    page.close()
    with pytest.raises(InvalidInputError, match="'nowhere' cannot"):
        MetricsPage("nowhere", book)


def test_a_worker_tells_of_retries_outages_and_redeliveries(book: Book) -> None:
    errors = [OutOfReachError("away"), UnavailableError("busy")]

    def handle(task: Task, context: ItemContext) -> Result:
        if errors:
            raise errors.pop(0)
        return Result(b"made")

    work(handle)
    lines = book.page().splitlines()
    assert 'bakeoff_item_outages_total{stage="prepare"} 1' in lines
    assert 'bakeoff_item_retries_total{stage="prepare"} 1' in lines
    assert 'bakeoff_items_total{stage="prepare",outcome="done"} 1' in lines

    async def again() -> None:
        room = Room(lambda task, context: Result(b"made"))
        await room.ensure()
        from bakeoff.contract import subjects
        from bakeoff.contract.work_codec import task_to_bytes
        from tests.unit.runtime.test_worker import SUBJECT, TASK

        await room.bus.publish(SUBJECT, task_to_bytes(TASK))
        (delivery,) = await room.bus.fetch(subjects.stage_consumer(TASK.stage, 1.0), 1, 1.0)
        await delivery.nak()
        await room(room.ended)

    asyncio.run(again())
    assert 'bakeoff_redeliveries_total{stage="prepare"} 1' in book.page().splitlines()
