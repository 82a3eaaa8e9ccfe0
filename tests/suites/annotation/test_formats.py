"""Sheets of other programs."""

from __future__ import annotations

import contextlib
import json
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import open_batch
from constraintsuite.suites.annotation.formats import FORMATS
from constraintsuite.suites.annotation.formats.base import AnnotationSheet
from constraintsuite.suites.annotation.records import AnnotationQuestion, EventDraft
from constraintsuite.suites.annotation.sheets import read_sheet, write_sheet
from suites.annotation.small_batch import make_batch

Record = dict[str, Any]
EXPORTED = Path(__file__).parent / "data" / "label_studio_export.json"
"""What Label Studio 1.23.2 exported of `make_batch` for ann, clicked in its pages: three tasks submitted and the first of
them then changed, one skipped, one left as a draft, two not opened."""


def by_label_studio(task: Record) -> Record:
    """What its export makes of a task that was filled in; the text without nuts is chosen."""
    side = "first" if task["data"]["first"].endswith(("no nuts", "soup")) else "second"
    said = {"satisfies": {"choices": [side]}, "fit": {"choices": ["well"]}, "units": {"text": ["u3; u1"]}}
    result = [
        {"from_name": name, "to_name": "shown_query", "type": "x", "value": value} for name, value in said.items()
    ]
    skipped = {"was_cancelled": True, "result": []}
    return {"id": 7, **task, "annotations": [skipped, {"was_cancelled": False, "completed_by": 1, "result": result}]}


def by_argilla(record: Record) -> Record:
    side = "first" if record["fields"]["first"].endswith(("no nuts", "soup")) else "second"
    said = {"satisfies": side, "fit": "well", "fluent": ["first", "second"], "units": "u3 u1"}
    responses = {name: [{"value": value, "user_id": "b2"}] for name, value in said.items()}
    rest: Record = {"metadata": {}, "suggestions": {}, "vectors": {}, "status": "completed", "_server_id": "x"}
    return {**record, "responses": responses, **rest}


PROGRAMS: dict[str, Callable[[Record], Record]] = {"label-studio": by_label_studio, "argilla": by_argilla}


def filled(tmp_path: Path, layout: str, name: str = "ann") -> list[Record]:
    batch = make_batch(tmp_path)
    write_sheet(batch, name, tmp_path / "tasks.json", layout)
    return [PROGRAMS[layout](record) for record in json.loads((tmp_path / "tasks.json").read_text())]


def exported(tmp_path: Path, records: list[Record]) -> Path:
    (tmp_path / "export.json").write_text(json.dumps(records))
    return tmp_path / "export.json"


def taken(tmp_path: Path, records: list[Record], layout: str) -> list[EventDraft]:
    return read_sheet(open_batch(tmp_path / "batch"), "ann", exported(tmp_path, records), layout)


@pytest.mark.parametrize("layout", PROGRAMS)
def test_answers_come_back_in_the_terms_of_the_item(tmp_path: Path, layout: str) -> None:
    drafts = taken(tmp_path, [one for one in filled(tmp_path, layout) if "soup" not in str(one)], layout)
    assert {draft.value for draft in drafts if draft.question == "satisfies"} == {"first"}
    assert {draft.value for draft in drafts if draft.question == "units"} == {("u1", "u3")}
    assert len({draft.item for draft in drafts}) == 6


@pytest.mark.parametrize("layout", PROGRAMS)
def test_nothing_else_is_shown(tmp_path: Path, layout: str) -> None:
    filled(tmp_path, layout)
    text = (tmp_path / "tasks.json").read_text()
    assert "dish-" not in text
    assert "decoy" not in text


@pytest.mark.parametrize("layout", PROGRAMS)
@pytest.mark.parametrize("content", ["{}", "[1]", "[", '[{"id": 1}]'])
def test_another_file_is_refused(tmp_path: Path, layout: str, content: str) -> None:
    batch = make_batch(tmp_path)
    (tmp_path / "export.json").write_text(content)
    with pytest.raises(UserError, match=r"export\.json"):
        read_sheet(batch, "ann", tmp_path / "export.json", layout)


def test_what_label_studio_really_exported_is_read_as_it_was_clicked(tmp_path: Path) -> None:
    drafts = read_sheet(make_batch(tmp_path), "ann", EXPORTED, "label-studio")
    assert {(draft.item, draft.question, draft.value, draft.note) for draft in drafts} == {
        ("dish-4", "satisfies", "second", "a note"),
        ("dish-4", "fit", "so-so", "a note"),
        ("dish-4", "fluent", ("first", "second"), "a note"),
        ("dish-4", "units", ("u1", "u3"), "a note"),
        ("dish-4", "remark", "line “one” <b>", "a note"),
        ("dish-2", "satisfies", "neither", ""),
        ("dish-2", "fit", "badly", ""),
        ("dish-2", "fluent", (), ""),
        ("dish-0", "satisfies", "both", ""),
        ("dish-0", "fit", "so-so", ""),
        ("dish-0", "units", (), ""),
    }


@pytest.mark.parametrize(("layout", "where"), [("label-studio", "data"), ("argilla", "fields")])
def test_what_an_item_lacks_is_shown_as_empty(tmp_path: Path, layout: str, where: str) -> None:
    sheet = AnnotationSheet(
        ("query", "hint"), (AnnotationQuestion("fit", "How well?", "text"),), ({"row": "r1", "query": "soup"},)
    )
    FORMATS.load(layout).write(tmp_path / "tasks.json", sheet)
    (task,) = json.loads((tmp_path / "tasks.json").read_text())
    assert (task[where]["query"], task[where]["hint"]) == ("soup", "")


def mark_both(record: Record) -> None:
    if "annotations" in record:
        both = {"from_name": "fluent", "type": "choices", "value": {"choices": ["first", "none"]}}
        record["annotations"][1]["result"].append(both)
    else:
        record["responses"]["fluent"][0]["value"] = ["first", "none"]


@pytest.mark.parametrize("layout", PROGRAMS)
def test_none_beside_something_else_is_refused(tmp_path: Path, layout: str) -> None:
    records = filled(tmp_path, layout)
    mark_both(records[1])
    with pytest.raises(UserError, match=r"export\.json:2: fluent: 'none' is marked together with something else\."):
        taken(tmp_path, records, layout)


def test_drafts_and_what_was_discarded_in_argilla_do_not_count(tmp_path: Path) -> None:
    records = filled(tmp_path, "argilla")
    for record in records[1:]:
        record["status"] = "pending"
    assert len({(draft.item, draft.copy) for draft in taken(tmp_path, records, "argilla")}) == 1


@pytest.mark.parametrize("layout", PROGRAMS)
def test_an_export_without_any_answer_is_told(tmp_path: Path, layout: str) -> None:
    records = filled(tmp_path, layout)
    for record in records:
        record |= {"annotations": [], "status": "pending"}
    with pytest.raises(UserError, match=r"export\.json: nothing in it has been submitted yet"):
        taken(tmp_path, records, layout)


TASK = {"row": "r1", "query": "soup", "first": "a soup", "second": "a bicycle"}
WHOLE = {
    "label-studio": by_label_studio({"data": TASK}),
    "argilla": by_argilla({"id": "r1", "fields": TASK}),
}
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, 1.5, True, "", "none", [], [[]], [None, "none"], {}, {"": [1]}, [{"value": {}}]]
)


def places_in(value: object, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(place for key, one in inner for place in places_in(one, (*here, key)))]


@pytest.mark.parametrize("layout", PROGRAMS)
@given(data=st.data())
def test_whatever_stands_in_a_record_is_read_or_refused(layout: str, data: st.DataObject) -> None:
    record: Any = [json.loads(json.dumps(WHOLE[layout]))]
    *way, last = data.draw(st.sampled_from(places_in(record)[1:]))
    inner = record
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(JUNK)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "export.json"
        file.write_text(json.dumps(record))
        with contextlib.suppress(UserError):
            _, rows = FORMATS.load(layout).read(file)
            assert all(isinstance(cell, str) for row in rows for cell in (*row.cells, *row.cells.values()))


def test_a_number_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text(f"[{'1' * 5_000}]")
    with pytest.raises(UserError, match=r"export\.json: not valid JSON"):
        read_sheet(make_batch(tmp_path), "ann", tmp_path / "export.json", "argilla")


def test_two_annotations_of_one_task_are_refused(tmp_path: Path) -> None:
    records = filled(tmp_path, "label-studio")
    records[0]["annotations"] *= 2
    with pytest.raises(UserError, match="is already in line 1"):
        taken(tmp_path, records, "label-studio")


def test_several_people_in_one_dataset_are_refused(tmp_path: Path) -> None:
    records = filled(tmp_path, "argilla")
    records[2]["responses"]["fit"].append({"value": "badly", "user_id": "c3"})
    with pytest.raises(UserError, match=":3: several people have answered"):
        taken(tmp_path, records, "argilla")


def test_the_interface_asks_every_question(tmp_path: Path) -> None:
    filled(tmp_path, "label-studio")
    view = ET.parse(tmp_path / "tasks.xml").getroot()
    assert {control.get("name") for control in [*view.iter("Choices"), *view.iter("TextArea")]} == {
        *("satisfies", "fit", "fluent", "units", "remark", "note")
    }
    fluent = next(control for control in view.iter("Choices") if control.get("name") == "fluent")
    assert [choice.get("value") for choice in fluent] == ["first", "second", "none"]
    assert {text.get("value") for text in view.iter("Text")} == {"$query", "$first", "$second"}


def test_argillas_settings_ask_every_question_of_one_person(tmp_path: Path) -> None:
    filled(tmp_path, "argilla")
    settings = json.loads((tmp_path / "tasks.settings.json").read_text())
    asked = {question["name"]: question for question in settings["questions"]}
    assert {name: question["settings"]["type"] for name, question in asked.items()} == {
        "satisfies": "label_selection",
        "fit": "label_selection",
        "fluent": "multi_label_selection",
        "units": "text",
        "remark": "text",
        "note": "text",
    }
    assert [option["value"] for option in asked["fluent"]["settings"]["options"]] == ["first", "second", "none"]
    assert [name for name, question in asked.items() if question["required"]] == ["satisfies", "fit"]
    assert [field["name"] for field in settings["fields"]] == ["query", "first", "second"]
    assert settings["distribution"] == {"strategy": "overlap", "min_submitted": 1}


@pytest.mark.parametrize(("layout", "ending"), [("label-studio", ".xml"), ("argilla", ".settings.json")])
def test_nothing_is_written_over_what_is_there(tmp_path: Path, layout: str, ending: str) -> None:
    (tmp_path / f"tasks{ending}").write_text("mine")
    with pytest.raises(UserError, match=rf"tasks{ending}: this file already exists"):
        write_sheet(make_batch(tmp_path), "ann", tmp_path / "tasks.json", layout)
    assert (tmp_path / f"tasks{ending}").read_text() == "mine"
    assert not (tmp_path / "tasks.json").exists()


def test_tasks_cannot_have_the_name_of_their_interface(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot end in \.xml"):
        write_sheet(make_batch(tmp_path), "ann", tmp_path / "tasks.xml", "label-studio")
    assert not (tmp_path / "tasks.xml").exists()


def test_an_unknown_format_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No sheet format named 'excel'"):
        write_sheet(make_batch(tmp_path), "ann", tmp_path / "x", "excel")
