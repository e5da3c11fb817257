from __future__ import annotations

import pytest

from bakeoff.contract.stored import decode, encode
from bakeoff.models.model_settings import Bounds
from bakeoff.models.pace import Allowance, Pressure, Seen
from bakeoff.models.shares import Report, Sheet, beaten, without

BOUNDS = Bounds()
NOTHING = Seen(0.1, 0, 0.0, 0.0, Pressure())


def beat(
    sheet: Sheet,
    name: str,
    *,
    wants: int = 100,
    now_s: float = 0.0,
    seen: Seen = NOTHING,
    epoch: int = 0,
    gone: tuple[str, ...] = (),
) -> Sheet:
    return beaten(sheet, name, Report(wants, seen, epoch), gone=gone, now_s=now_s, bounds=BOUNDS)


def shares(sheet: Sheet) -> dict[str, float]:
    return {name: round(member.share, 3) for name, member in sheet.members.items()}


def empty() -> Sheet:
    return Sheet(Allowance.at_start(BOUNDS))


def test_who_is_alone_has_all() -> None:
    assert shares(beat(empty(), "a")) == {"a": 1.0}


def test_a_newcomer_has_its_share_when_the_others_have_made_room() -> None:
    sheet = beat(beat(empty(), "a"), "b")
    assert shares(sheet) == {"a": 1.0, "b": 0.0}

    sheet = beat(beat(sheet, "a"), "b")
    assert shares(sheet) == {"a": 0.5, "b": 0.5}


def test_shares_never_add_up_to_more_than_all() -> None:
    sheet = empty()
    for step in range(200):
        sheet = beat(sheet, f"w{step * 7 % 13}", wants=step % 40)
        assert sum(member.share for member in sheet.members.values()) <= 1 + 1e-9


def test_who_wants_little_gets_little_and_who_wants_nothing_nothing() -> None:
    sheet = empty()
    for _ in range(3):
        sheet = beat(beat(beat(sheet, "busy"), "nearly done", wants=1), "idle", wants=0)

    # 16 requests count as much as any number: 16 / 17 and 1 / 17
    assert shares(sheet) == {"busy": 0.941, "nearly done": 0.059, "idle": 0.0}


def test_the_share_of_who_is_gone_or_leaves_is_free_at_once() -> None:
    sheet = beat(beat(beat(empty(), "a"), "b"), "a")

    assert shares(beat(sheet, "b", gone=("a",))) == {"b": 1.0}
    assert shares(beat(without(sheet, "a"), "b")) == {"b": 1.0}


def test_refusals_of_all_count_together_and_are_cut_for_once() -> None:
    few = Seen(0.1, 4, 5.0, 1.0, Pressure(by_pace=True))
    sheet = beat(empty(), "a", seen=few)
    assert sheet.epoch == 0

    sheet = beat(sheet, "b", seen=few, now_s=0.01)
    assert sheet.epoch == 1
    assert sheet.allowance.per_s < empty().allowance.per_s

    # Who has not heard of the cut yet tells of the time before it.
    assert beat(sheet, "a", seen=few, now_s=0.02, epoch=0).epoch == 1


def test_growth_is_by_time_not_by_the_number_of_beats() -> None:
    pressed = Seen(0.1, 0, 0.0, 0.0, Pressure(by_pace=True))
    once, often = beat(empty(), "a", seen=pressed, now_s=0.0), beat(empty(), "a", seen=pressed, now_s=0.0)

    once = beat(beat(once, "a", seen=pressed, now_s=0.5), "a", seen=pressed, now_s=0.7)
    for step in range(1, 51):
        often = beat(often, f"w{step % 5}", seen=pressed, now_s=step / 100)
    often = beat(often, "a", seen=pressed, now_s=0.7)

    assert often.allowance.per_s == pytest.approx(once.allowance.per_s, rel=0.01)


@pytest.mark.parametrize("now_s", [-1e9, 1e9])
def test_a_clock_that_is_wrong_does_little_harm(now_s: float) -> None:
    pressed = Seen(0.1, 0, 0.0, 0.0, Pressure(by_pace=True))
    sheet = beat(empty(), "a", seen=pressed, now_s=0.0)

    wrong = beat(sheet, "b", seen=pressed, now_s=now_s)
    again = beat(wrong, "a", seen=pressed, now_s=0.2)

    assert sheet.allowance.per_s <= wrong.allowance.per_s <= BOUNDS.most_per_s
    assert again.adapted_s == 0.2


def test_a_sheet_comes_back_as_it_was() -> None:
    sheet = beat(beat(empty(), "a"), "b")

    assert decode(encode(sheet), Sheet) == sheet
