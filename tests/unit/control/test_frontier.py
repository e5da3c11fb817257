"""What may be released, in which order, and how lost work comes back."""

from __future__ import annotations

from bakeoff.control.frontier import Frontier, window_of
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.work import PlanItem, ReportTask, Task

ANY = ReportTask(ObjectRef("k", "0" * 64, 0))


def an_item(stage: Stage, item: str, *needs: str, cases: int = 0) -> PlanItem:
    return PlanItem(Task("ev", "t", stage, item, ANY), needs, cases)


def names(items: list[PlanItem]) -> list[str]:
    return [item.name for item in items]


def a_chain() -> Frontier:
    return Frontier(
        [
            an_item(Stage.BUILD, "kb"),
            an_item(Stage.INFER, "a", "build/kb", cases=2),
            an_item(Stage.INFER, "b", "build/kb", cases=1),
            an_item(Stage.SCORE, "a", "infer/a", cases=2),
        ]
    )


def test_an_item_is_released_when_all_it_needs_has_ended() -> None:
    frontier = a_chain()
    assert names(frontier.take(Stage.BUILD, 9)) == ["build/kb"]
    assert names(frontier.take(Stage.INFER, 9)) == []
    frontier.finish("build/kb", failed=False)
    assert names(frontier.take(Stage.INFER, 9)) == ["infer/a", "infer/b"]
    frontier.finish("infer/a", failed=False)
    assert names(frontier.take(Stage.SCORE, 9)) == ["score/a"]


def test_a_failed_item_releases_its_dependents_too_so_that_no_case_vanishes() -> None:
    frontier = a_chain()
    frontier.finish("build/kb", failed=True)
    assert names(frontier.take(Stage.INFER, 9)) == ["infer/a", "infer/b"]
    assert frontier.counts[Stage.BUILD].failed == 1


def test_no_more_is_released_than_the_limit_until_something_ends() -> None:
    frontier = a_chain()
    frontier.finish("build/kb", failed=False)
    assert names(frontier.take(Stage.INFER, 1)) == ["infer/a"]
    assert names(frontier.take(Stage.INFER, 1)) == []
    frontier.finish("infer/a", failed=False)
    assert names(frontier.take(Stage.INFER, 1)) == ["infer/b"]


def test_a_fact_that_comes_twice_counts_once() -> None:
    frontier = a_chain()
    for _ in range(2):
        frontier.finish("build/kb", failed=False)
        frontier.finish("infer/a", failed=False)
    assert (frontier.counts[Stage.INFER].done, frontier.counts[Stage.INFER].done_cases) == (1, 2)
    assert names(frontier.take(Stage.SCORE, 9)) == ["score/a"]


def test_facts_may_come_in_any_order() -> None:
    frontier = a_chain()
    frontier.finish("infer/a", failed=False)
    frontier.finish("build/kb", failed=False)
    assert names(frontier.take(Stage.INFER, 9)) == ["infer/b"]


def test_a_released_item_that_was_lost_is_released_again() -> None:
    frontier = a_chain()
    frontier.finish("build/kb", failed=False)
    frontier.take(Stage.INFER, 9)
    frontier.mend(["infer/b"])
    assert names(frontier.take(Stage.INFER, 9)) == ["infer/a"]


def test_what_somebody_else_released_is_not_released_again() -> None:
    frontier = a_chain()
    frontier.mend(["build/kb"])
    assert names(frontier.take(Stage.BUILD, 9)) == []
    assert frontier.counts[Stage.BUILD].released == 1


def test_tenants_share_the_window_and_nobody_waits_for_ever() -> None:
    tenants = {"big1": "a", "big2": "a", "small": "b"}
    assert window_of("small", tenants, 64, None) == 32
    assert window_of("big1", tenants, 64, None) == 16
    assert window_of("big1", tenants, 64, 3) == 3
    crowd = {f"e{number}": "a" for number in range(1000)}
    assert window_of("e0", crowd, 64, None) == 1
