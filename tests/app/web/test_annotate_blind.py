"""What a queue tells, to whom: nothing that could lead an answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.queueing import GOOD, QUEUE, first_row, form_of, values_of
from app.web.site import ANNA, BEN, JUDGE, OWNER, Visitor, open_site
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of, write_batch
from constraintsuite.suites.annotation.records import AnnotationItem, AnnotationQuestion, ItemSet
from suites.annotation.small_batch import answer_all, make_batch


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    return make_batch(tmp_path)


@pytest.fixture
def anna(batch: AnnotationBatch) -> Visitor:
    return open_site(batch.path.parent).visit(ANNA)


def test_nothing_tells_what_a_person_may_not_know(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 20, repeats=0.4)
    answer_all(batch, BEN.name)
    anna = open_site(tmp_path).visit(ANNA)
    tasks = tasks_of(batch, ANNA.name)
    assert any(task.copy for task in tasks)
    for task in tasks:
        page = anna.page(f"{QUEUE}?row={task.row}")
        assert task.item.id not in page
        assert not re.search(r"decoy|repeat|\bcopy\b|ben\b|course|soup\"|expected|hidden\W+satisfies|checked", page)


def test_pages_of_a_repeat_and_a_decoy_have_the_same_shape_as_others(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 20, repeats=0.4)
    anna = open_site(tmp_path).visit(ANNA)
    shapes = set()
    for task in tasks_of(batch, ANNA.name)[1:]:
        page = anna.page(f"{QUEUE}?row={task.row}")
        shapes.add(re.sub(r'\s+|>[^<]*<|value="[^"]*"|row=\w+|after=\w+', "", page))
    assert len(shapes) == 1


def test_a_form_does_not_tell_how_much_others_answer(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    anna.post(f"{QUEUE}/answer", form_of(anna, row))
    alone = anna.page(f"{QUEUE}?row={row}")
    answer_all(batch, BEN.name)
    assert anna.page(f"{QUEUE}?row={row}") == alone
    for fit in ("badly", "well"):
        anna.post(f"{QUEUE}/answer", form_of(anna, row, fit=fit))
    assert [values_of(anna.page(f"{QUEUE}?row={row}"), name) for name in ("seen", "last")] == ["4", "4"]


@pytest.mark.parametrize("path", ["/agreement", "/agreement/figures", "/rulings", "/export"])
def test_an_annotator_sees_no_figures_and_no_answers_of_others(anna: Visitor, path: str) -> None:
    anna.get(QUEUE + path, 403)


def test_an_owner_gives_no_answers(batch: AnnotationBatch) -> None:
    owner = open_site(batch.path.parent).visit(OWNER)
    row = tasks_of(batch, OWNER.name)[0].row
    owner.post(f"{QUEUE}/answer", {"row": row, "seen": "0", **GOOD}, 403)
    assert batch.store.events() == []


def test_an_adjudicator_is_led_to_the_rulings(batch: AnnotationBatch) -> None:
    judge = open_site(batch.path.parent).visit(JUDGE)
    assert judge.get(QUEUE, 303).headers["location"] == f"{QUEUE}/rulings"


def test_a_read_only_site_shows_items_and_takes_nothing(batch: AnnotationBatch) -> None:
    anna = open_site(batch.path.parent, read_only=True).visit(ANNA)
    row = first_row(anna)
    assert "<form" not in anna.main(f"{QUEUE}?row={row}")
    anna.post(f"{QUEUE}/answer", {"row": row, "seen": "0", **GOOD}, 403)
    assert batch.store.events() == []


def test_texts_that_look_like_markup_are_shown_as_text(tmp_path: Path) -> None:
    item = AnnotationItem("x", {"query": "<b>q</b>"}, sides=("<script>alert(1)</script>", '"><img src=x onerror=y>'))
    question = AnnotationQuestion("q", "<i>?</i>", "choice", ('"><script>', "no"))
    write_batch(tmp_path / "batch", ItemSet("hostile", "hostile 1", (question,), [item]))
    anna = open_site(tmp_path).visit(ANNA)
    page = anna.page(anna.get(QUEUE, 303).headers["location"])
    assert "<script>" not in page
    assert "<img" not in page
    assert "<b>q" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
