"""A file of answers that is held, gone or damaged: nothing typed is lost, nothing is made anew, no other batch is hidden."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.web.queueing import QUEUE, chosen_in, first_row, form_of, said_by_anna
from app.web.site import ANNA, BEN, JUDGE, OpenSite, open_site
from app.web.test_rulings import REASON, RULINGS, at
from app.web.test_rulings import form_of as ruling_form
from constraintsuite.app.web.access import Person
from constraintsuite.suites.annotation import events
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of, write_batch
from suites.annotation.small_batch import answer_all, dishes, make_batch


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    return make_batch(tmp_path)


@pytest.fixture
def site(batch: AnnotationBatch) -> OpenSite:
    return open_site(batch.path.parent)


@contextmanager
def held(batch: AnnotationBatch, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """By another program, for longer than anybody waits."""
    patch.setattr(events, "WAIT_SECONDS", 0.01)
    with closing(sqlite3.connect(batch.store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def write_row(batch: AnnotationBatch, person: str, question: str, value: str) -> None:
    names = "kind, annotator, item, question, value, copy, time, note"
    row = ("answer", person, "dish-1", question, value, 0, "2026-03-02T09:00:00.000+00:00", "")
    with closing(sqlite3.connect(batch.store.path)) as other, other:
        other.execute(f"INSERT INTO events ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def test_what_was_typed_stays_when_it_cannot_be_kept_now(
    batch: AnnotationBatch, site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = site.visit(ANNA)
    row = first_row(anna)
    form = {**form_of(anna, row, fit="badly"), "note": "long thought over"}
    with held(batch, monkeypatch):
        page = anna.post(f"{QUEUE}/answer", form, 503).text
    assert "another program holding the file" in page
    assert str(batch.path.parent) not in page
    assert ("fit", "badly") in chosen_in(page)
    assert ">\nlong thought over</textarea>" in page
    anna.post(f"{QUEUE}/answer", form)
    assert said_by_anna(batch, row)["fit"] == "badly"


def test_a_ruling_that_cannot_be_kept_now_stays_and_no_path_is_told(
    batch: AnnotationBatch, site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(batch, ANNA.name)
    answer_all(batch, BEN.name, lambda task: {"satisfies": "both"})
    judge = site.visit(JUDGE)
    form = ruling_form(judge.page(at("dish-1")))
    with held(batch, monkeypatch):
        page = judge.post(RULINGS, form, 422).text
    assert "another program holding the file" in page
    assert str(batch.path.parent) not in page
    assert f">\n{REASON}</textarea>" in page


def test_a_batch_whose_answers_are_gone_is_refused(batch: AnnotationBatch, site: OpenSite) -> None:
    anna = site.visit(ANNA)
    form = form_of(anna, first_row(anna))
    batch.store.path.unlink()
    assert "deleted or emptied" in anna.get(QUEUE, 400).text
    assert "deleted or emptied" in anna.post(f"{QUEUE}/answer", form, 400).text
    assert "deleted or emptied" in anna.page("/")
    assert "deleted or emptied" in site.visit().get(f"{QUEUE}/agreement", 400).text
    assert not batch.store.path.exists()


@pytest.mark.parametrize("person", [BEN, JUDGE], ids=lambda person: person.role)
def test_a_row_that_cannot_be_read_hides_no_other_batch(tmp_path: Path, site: OpenSite, person: Person) -> None:
    damaged = write_batch(tmp_path / "damaged", dishes())
    write_row(damaged, BEN.name, "fit", "not json")
    page = site.visit(person).page("/")
    assert "Event 1, by ben, cannot be read" in page
    assert 'href="/batch/batch"' in page


def test_an_answer_to_what_is_not_asked_is_passed_over(batch: AnnotationBatch, site: OpenSite) -> None:
    answer_all(batch, ANNA.name)
    write_row(batch, ANNA.name, "gone", '"x"')
    row = next(task.row for task in tasks_of(batch, ANNA.name) if task.item.id == "dish-1")
    anna = site.visit(ANNA)
    assert chosen_in(anna.page(f"{QUEUE}?row={row}")) >= {("fit", "well")}
    anna.page("/")


def test_figures_are_made_once_for_all_who_ask(
    batch: AnnotationBatch, site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(batch, ANNA.name)
    answer_all(batch, BEN.name)
    owner = site.visit()
    page = owner.page(f"{QUEUE}/agreement")
    monkeypatch.setattr("constraintsuite.app.web.pages.batches.measure_agreement", None)  # would fail if it were called
    assert owner.page(f"{QUEUE}/agreement") == page
    monkeypatch.undo()
    write_row(batch, BEN.name, "satisfies", '"both"')
    assert owner.page(f"{QUEUE}/agreement") != page
    assert owner.page(f"{QUEUE}/agreement?by=course") != owner.page(f"{QUEUE}/agreement")
