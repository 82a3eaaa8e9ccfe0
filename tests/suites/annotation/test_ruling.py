"""A ruling is kept, corrected and taken back; never over what somebody said meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.adjudication import (
    keep_ruling,
    last_ruling_of,
    open_disagreements,
    state_of,
    take_back_ruling,
)
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.labels import Label, label_all
from constraintsuite.suites.annotation.records import EventDraft
from suites.annotation.small_batch import START, make_batch, said_of

WHY = "The text names hazelnuts in its second sentence."
HERE = ("dish-1", "satisfies")


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    """ann and bob differ on one dish."""
    made = make_batch(tmp_path)
    made.store.append([EventDraft("ann", *HERE, "first"), EventDraft("bob", *HERE, "both")], START)
    return made


def ruled(batch: AnnotationBatch, value: str, by: str = "cy") -> None:
    keep_ruling(batch, by, (*HERE, value), WHY, state_of(said_of(batch), *HERE), START)


def back(batch: AnnotationBatch, by: str = "cy") -> None:
    take_back_ruling(batch, by, *HERE, state_of(said_of(batch), *HERE), START)


def label(batch: AnnotationBatch) -> Label:
    return {one.item: one for one in label_all(batch, said_of(batch))}["dish-1"].labels["satisfies"]


@pytest.mark.parametrize("by", ["cy", "di"])
def test_a_later_ruling_replaces_the_one_before(batch: AnnotationBatch, by: str) -> None:
    ruled(batch, "second")
    ruled(batch, "neither", by)
    assert label(batch) == Label("neither", "ruled", 2, WHY)


def test_the_same_once_more_changes_nothing(batch: AnnotationBatch) -> None:
    seen = state_of(said_of(batch), *HERE)
    for _ in range(2):
        keep_ruling(batch, "cy", (*HERE, "second"), WHY, seen, START)
    assert sum(event.kind == "ruling" for event in batch.store.events()) == 1


@pytest.mark.parametrize("by", ["cy", "di"])
def test_what_is_taken_back_waits_again_whatever_was_ruled_before(batch: AnnotationBatch, by: str) -> None:
    ruled(batch, "second")
    ruled(batch, "neither")
    back(batch, by)
    assert label(batch) == Label(None, "open", 2)
    assert [(one.item, one.question) for one in open_disagreements(batch, said_of(batch))] == [HERE]
    assert [event.annotator for event in batch.store.events() if event.kind == "undo"] == [by, by]
    ruled(batch, "both")
    assert label(batch).value == "both"


def test_a_ruling_that_was_taken_back_is_still_known(batch: AnnotationBatch) -> None:
    ruled(batch, "second")
    back(batch)
    last = last_ruling_of(batch.store.events(), "cy", *HERE)
    assert last is not None
    assert (last.value, last.note) == ("second", WHY)
    assert last_ruling_of(batch.store.events(), "di", *HERE) is None


@pytest.mark.parametrize(
    "meanwhile",
    [
        EventDraft("bob", *HERE, "neither"),
        EventDraft("bob", *HERE, "both", note="now with a note"),
        EventDraft("di", *HERE, "neither", note=WHY, kind="ruling"),
    ],
)
def test_over_what_was_said_meanwhile_nothing_is_ruled(batch: AnnotationBatch, meanwhile: EventDraft) -> None:
    ruled(batch, "second")
    seen = state_of(said_of(batch), *HERE)
    batch.store.append([meanwhile], START)
    before = batch.store.events()
    with pytest.raises(StaleError):
        keep_ruling(batch, "cy", (*HERE, "first"), WHY, seen, START)
    with pytest.raises(StaleError):
        take_back_ruling(batch, "cy", *HERE, seen, START)
    assert batch.store.events() == before


def test_nothing_is_taken_back_where_nothing_was_ruled_or_by_who_judged(batch: AnnotationBatch) -> None:
    with pytest.raises(UserError, match="there is no ruling here"):
        back(batch)
    ruled(batch, "second")
    with pytest.raises(UserError, match="ann has judged this item"):
        back(batch, "ann")
    assert label(batch).how == "ruled"
