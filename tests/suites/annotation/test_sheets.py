"""Sheets: out blind, back strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of
from constraintsuite.suites.annotation.current_answers import current_answers, progress_of
from constraintsuite.suites.annotation.records import (
    AnnotationItem,
    AnnotationQuestion,
    AnswerValue,
    EventDraft,
    WrongValue,
    read_value,
    spell_value,
)
from constraintsuite.suites.annotation.sheets import guide, read_sheet, write_sheet
from suites.annotation.small_batch import START, answer_all, make_batch, read_csv, said_of, write_csv

ITEM = AnnotationItem("a", {}, sides=("x", "y"), ids=("u1", "u2", "u3", "Doc:4.2"))


def question(kind: str, **more: object) -> AnnotationQuestion:
    return AnnotationQuestion("q", "?", kind, ("yes", "no", "perhaps"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        (question("choice"), " Yes ", "yes"),
        (question("choices"), "no; yes", ("no", "yes")),
        (question("choices"), "yes, no", ("no", "yes")),
        (question("choices"), "none", ()),
        (question("ids"), "u3 u1", ("u1", "u3")),
        (question("ids"), "doc:4.2", ("Doc:4.2",)),
        (question("ids", ordered=True), "u3; u1", ("u3", "u1")),
        (question("ids", size=2), "none", ()),
        (question("text"), " whatever, really ", "whatever, really"),
    ],
)
def test_an_answer_as_it_is_written(asked: AnnotationQuestion, text: str, value: AnswerValue) -> None:
    assert read_value(asked, ITEM, text) == value
    assert read_value(asked, ITEM, spell_value(value)) == value


@pytest.mark.parametrize(
    ("asked", "text", "said"),
    [
        (question("choice"), "yess", "'yess' is not an answer here. Did you mean 'yes'?"),
        (question("choice"), "yes; no", "is not an answer here"),
        (question("choices"), "maybe-so", "It takes: yes, no, perhaps."),
        (question("ids"), "u9x", "is not an answer here"),
        (question("ids"), "u1; U1", "names something twice"),
        (question("ids", size=2), "u1", "1 given, but there must be 2"),
    ],
)
def test_a_wrong_answer_is_told_with_what_would_be_right(asked: AnnotationQuestion, text: str, said: str) -> None:
    with pytest.raises(WrongValue) as error:
        read_value(asked, ITEM, text)
    assert said in str(error.value)


def filled(batch: AnnotationBatch, annotator: str, folder: Path) -> list[dict[str, str]]:
    """A sheet in which the text without nuts is chosen, whichever side it is on."""
    write_sheet(batch, annotator, folder / f"{annotator}.csv")
    rows = read_csv(folder / f"{annotator}.csv")
    for row in rows:
        row["satisfies"] = "first" if row["first"].endswith(("no nuts", "soup")) else "second"
        row["fit"] = "well"
    return rows


def test_a_sheet_shows_what_is_asked_and_nothing_else(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    assert write_sheet(batch, "ann", tmp_path / "ann.csv") == 7
    rows = read_csv(tmp_path / "ann.csv")
    assert list(rows[0]) == ["row", "query", "first", "second", "satisfies", "fit", "fluent", "units", "remark", "note"]
    assert {row["satisfies"] for row in rows} == {""}
    assert "dish-" not in (tmp_path / "ann.csv").read_text()
    assert "decoy" not in (tmp_path / "ann.csv").read_text()


def test_answers_are_kept_in_the_terms_of_the_item(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 20)
    rows = filled(batch, "ann", tmp_path)
    assert {row["satisfies"] for row in rows} == {"first", "second"}
    drafts = read_sheet(batch, "ann", write_csv(tmp_path / "done.csv", rows))
    assert {draft.value for draft in drafts if draft.question == "satisfies"} == {"first"}


def test_the_same_sheet_twice_says_nothing_new(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    rows = filled(batch, "ann", tmp_path)
    rows[0]["note"] = "-- really?"
    file = write_csv(tmp_path / "done.csv", rows)
    batch.store.append(read_sheet(batch, "ann", file), START)
    assert read_sheet(batch, "ann", file) == []
    assert progress_of(batch, "ann", batch.store.events()).done == 7


def test_a_changed_answer_is_a_new_event(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    rows = filled(batch, "ann", tmp_path)
    batch.store.append(read_sheet(batch, "ann", write_csv(tmp_path / "one.csv", rows)), START)
    rows[3]["fit"] = "badly"
    changed = read_sheet(batch, "ann", write_csv(tmp_path / "two.csv", rows))
    assert [(draft.question, draft.value) for draft in changed] == [("fit", "badly")]


def test_empty_cells_wait(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    rows = filled(batch, "ann", tmp_path)
    for row in rows[2:]:
        row["fit"] = ""
    batch.store.append(read_sheet(batch, "ann", write_csv(tmp_path / "done.csv", rows)), START)
    assert progress_of(batch, "ann", batch.store.events()).done == 2
    assert write_sheet(batch, "ann", tmp_path / "rest.csv") == 5


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [
        ("row", "0123456789abcdef", ":3: no row '0123456789abcdef' in the sheet of ann"),
        ("satisfies", "third", ":3: satisfies: 'third' is not an answer here"),
        ("units", "u7", ":3: units: 'u7' is not an answer here"),
    ],
)
def test_a_fault_is_told_with_its_line_and_nothing_is_taken(tmp_path: Path, cell: str, value: str, said: str) -> None:
    batch = make_batch(tmp_path)
    rows = filled(batch, "ann", tmp_path)
    rows[1][cell] = value
    with pytest.raises(UserError) as error:
        read_sheet(batch, "ann", write_csv(tmp_path / "done.csv", rows))
    assert said in str(error.value)
    assert batch.store.events() == []


def test_a_row_that_stands_twice_is_refused(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    rows = filled(batch, "ann", tmp_path)
    with pytest.raises(UserError, match=r":9: the row '\w+' is already in line 2"):
        read_sheet(batch, "ann", write_csv(tmp_path / "done.csv", [*rows, rows[0]]))


def test_one_persons_sheet_is_not_taken_for_anothers(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    file = write_csv(tmp_path / "done.csv", filled(batch, "ann", tmp_path))
    with pytest.raises(UserError, match="Is it another person's sheet"):
        read_sheet(batch, "bob", file)


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    rows = [{**row, "obays": "first"} for row in filled(batch, "ann", tmp_path)]
    with pytest.raises(UserError, match="unknown columns: obays"):
        read_sheet(batch, "ann", write_csv(tmp_path / "done.csv", rows))


def test_nothing_is_asked_of_who_has_answered_all(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    answer_all(batch, "ann")
    with pytest.raises(UserError, match="ann has answered everything"):
        write_sheet(batch, "ann", tmp_path / "ann.csv")


@pytest.mark.parametrize("name", ["", "../ann", "ann lee", "a" * 65])
def test_a_name_must_fit_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="not a valid name of a person"):
        write_sheet(make_batch(tmp_path), name, tmp_path / "x.csv")


def test_the_guide_says_what_every_question_takes(tmp_path: Path) -> None:
    text = guide(make_batch(tmp_path))
    assert "| `satisfies` | Which text does it? | one of: first, second, both, neither |" in text
    assert "| `units` | Which units? (may stay empty) | ids separated by ';', or 'none' |" in text


def test_time_left_follows_the_pace_without_the_pauses(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 9)
    tasks = list(tasks_of(batch, "ann"))
    for task, minute in zip(tasks[:4], (0, 1, 2, 62), strict=True):  # an hour of lunch
        for name in ("satisfies", "fit"):
            draft = EventDraft("ann", task.item.id, name, "first" if name == "satisfies" else "well")
            batch.store.append([draft], START.replace(hour=9 + minute // 60, minute=minute % 60))
    progress = progress_of(batch, "ann", batch.store.events())
    assert (progress.done, progress.total, progress.seconds_left) == (4, 10, 360)


def test_no_pace_is_known_where_all_came_at_once(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    answer_all(batch, "ann")
    assert progress_of(batch, "ann", batch.store.events()).seconds_left is None
    assert current_answers(batch.store.events()).annotators == said_of(batch).annotators == ("ann",)
