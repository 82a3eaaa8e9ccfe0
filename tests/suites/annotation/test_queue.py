"""What an annotator sees, and what not."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.suites.annotation.batch import AnnotationTask, tasks_of
from constraintsuite.suites.annotation.records import AnnotationItem, AnswerValue
from suites.annotation.small_batch import make_batch


def test_everyone_sees_every_item_once(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    assert sorted(task.item.id for task in tasks_of(batch, "ann")) == sorted(batch.items)


def test_people_see_the_same_items_in_different_orders_and_under_different_rows(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 40)
    ann, bob = tasks_of(batch, "ann"), tasks_of(batch, "bob")
    assert [task.item.id for task in ann] != [task.item.id for task in bob]
    assert not {task.row for task in ann} & {task.row for task in bob}
    assert [task.item.id for task in ann] == [task.item.id for task in tasks_of(batch, "ann")]


def test_what_is_shown_tells_neither_item_nor_decoy_nor_copy(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 40, repeats=0.3)
    for task in tasks_of(batch, "ann"):
        assert set(task.shown()) == {"query", "first", "second"}
        assert task.item.id not in f"{task.row} {task.shown()}"
    assert len({task.row for task in tasks_of(batch, "ann")}) == len(tasks_of(batch, "ann"))


def test_each_side_is_shown_first_about_half_of_the_time(tmp_path: Path) -> None:
    turned = [task.turned for task in tasks_of(make_batch(tmp_path, 200), "ann")]
    assert 70 < sum(turned) < 131


def test_some_items_come_again_much_later_and_turned(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 300, repeats=0.1)
    queue = tasks_of(batch, "ann")
    place = {(task.item.id, task.copy): number for number, task in enumerate(queue)}
    again = [task for task in queue if task.copy == 1]
    assert 15 < len(again) < 50
    assert "decoy" not in {task.item.id for task in again}
    for task in again:
        first = queue[place[task.item.id, 0]]
        assert task.turned is not first.turned
        assert task.shown()["first"] == first.shown()["second"]
        assert place[task.item.id, 1] - place[task.item.id, 0] > 30


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ("first", "second"),
        ("both", "both"),
        (("first",), ("second",)),
        (("first", "second"), ("first", "second")),
        ((), ()),
    ],
)
def test_answers_about_turned_sides_are_kept_in_the_terms_of_the_item(shown: AnswerValue, meant: AnswerValue) -> None:
    item = AnnotationItem("a", {}, sides=("x", "y"))
    assert AnnotationTask("row", item, 0, turned=True).as_meant(shown) == meant
    assert AnnotationTask("row", item, 0, turned=False).as_meant(shown) == shown


def test_an_item_without_sides_is_never_exchanged() -> None:
    assert AnnotationTask("row", AnnotationItem("a", {}), 0, turned=True).as_meant("first") == "first"
