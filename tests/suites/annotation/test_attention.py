"""Whose answers not to rely on: said by a rule, and not where there is too little to know."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.statistics.intervals import wilson, wilson_bounds
from constraintsuite.suites.annotation.agreement import Attention, find_concerns, measure_attention, too_few
from constraintsuite.suites.annotation.batch import AnnotationTask, tasks_of
from constraintsuite.suites.annotation.records import AnswerValue
from suites.annotation.small_batch import answer_all, by_the_book, make_batch, said_of


def person(
    decoys: tuple[int, int] = (10, 10), repeats: tuple[int, int] = (10, 10), first: tuple[int, int] = (50, 100)
) -> Attention:
    """Right of how many items."""
    return Attention("ann", 100, wilson(*decoys), wilson(*repeats), wilson(*first))


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (person(), ""),
        (person(decoys=(9, 10)), ""),
        (
            person(decoys=(4, 10)),
            "failed the decoys: 40.0 % of the known answers were right, in 10 decoys (95 % interval 16.8–68.7 %)",
        ),
        (person(decoys=(0, 4)), ""),
        (person(decoys=(0, 5)), "failed the decoys: 0.0 % of the known answers were right, in 5 decoys"),
        (person(repeats=(3, 5)), ""),
        (
            person(repeats=(4, 10)),
            "did not repeat their answers: 40.0 % of the answers were the same, in 10 repeated items",
        ),
        (person(repeats=(0, 4)), ""),
        (person(first=(62, 100)), ""),
        (person(first=(20, 20)), "seems to choose by position: the first text in 20 of 20 items (p <0.001)"),
        (person(first=(1, 12)), "seems to choose by position: the second text in 11 of 12 items (p 0.006)"),
        (person(first=(7, 7)), ""),
        (person(first=(0, 0)), ""),
    ],
)
def test_who_is_named_and_for_what(one: Attention, told: str) -> None:
    found = [f"{each.annotator} {each.words}" for each in find_concerns([one])]
    assert len(found) == bool(told)
    assert all(each.startswith(f"ann {told}") for each in found)


def test_one_may_be_named_for_several_things() -> None:
    assert len(find_concerns([person((0, 10), (0, 10), (100, 100)), person()])) == 3


def test_too_few_decoys_are_told_of_each(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    answer_all(batch, "ann")
    people = measure_attention(batch, said_of(batch))
    assert (people[0].decoys.n, people[0].repeats.n) == (1, 0)
    assert too_few(people) == "Too few decoys to know who reads with care: ann 1 answered, but each person needs 5."
    assert too_few([person()]) == ""


def test_chance_has_as_many_tries_as_there_are_people() -> None:
    assert len(find_concerns([person(first=(1, 12))])) == 1
    assert find_concerns([person(first=(1, 12)), person(first=(6, 12))]) == []


def test_answers_to_an_item_that_comes_again_count_once(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 60, repeats=0.3)
    answer_all(batch, "ann", lambda task: {**by_the_book(task), **({"fit": "badly"} if task.copy else {})})
    (ann,) = measure_attention(batch, said_of(batch))
    again = sum(task.copy for task in tasks_of(batch, "ann"))
    assert (ann.repeats.value, ann.repeats.n) == (0.5, again), "one of the two answers"
    assert (ann.repeats.low, ann.repeats.high) == wilson_bounds(0.5, again)


def test_what_is_chosen_in_an_item_is_one_choice_of_place(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 4)

    def places(task: AnnotationTask) -> dict[str, AnswerValue]:
        other = {"dish-1": "second", "dish-2": "both"}.get(task.item.id, "first")
        return {"satisfies": task.as_meant("first"), "fluent": (), "remark": task.as_meant(other)}

    answer_all(batch, "ann", places)
    (ann,) = measure_attention(batch, said_of(batch))
    assert ann.shown_first == wilson(4, 4), "once each, and not where both places were chosen as often"
