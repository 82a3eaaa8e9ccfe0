"""Sheets of other programs."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate.small_batch import make_batch
from constraintsuite.annotate.batch import open_batch
from constraintsuite.annotate.records import Draft
from constraintsuite.annotate.sheets import read_sheet, write_sheet
from constraintsuite.errors import UserError

Record = dict[str, Any]


def by_label_studio(task: Record) -> Record:
    """What its export makes of a task that was filled in; the text without nuts is chosen."""
    side = "first" if task["data"]["first"].endswith(("no nuts", "soup")) else "second"
    said = {"obeys": {"choices": [side]}, "fit": {"choices": ["well"]}, "units": {"text": ["u3; u1"]}}
    result = [
        {"from_name": name, "to_name": "shown_query", "type": "x", "value": value} for name, value in said.items()
    ]
    skipped = {"was_cancelled": True, "result": []}
    return {"id": 7, **task, "annotations": [skipped, {"was_cancelled": False, "completed_by": 1, "result": result}]}


def by_argilla(record: Record) -> Record:
    side = "first" if record["fields"]["first"].endswith(("no nuts", "soup")) else "second"
    said = {"obeys": side, "fit": "well", "fluent": ["first", "second"], "units": "u3 u1"}
    responses = {name: [{"value": value, "user_id": "b2"}] for name, value in said.items()}
    return {**record, "metadata": {}, "suggestions": {}, "responses": responses, "vectors": {}, "_server_id": "x"}


PROGRAMS: dict[str, Callable[[Record], Record]] = {"label-studio": by_label_studio, "argilla": by_argilla}


def filled(tmp_path: Path, layout: str, name: str = "ann") -> list[Record]:
    batch = make_batch(tmp_path)
    write_sheet(batch, name, tmp_path / "tasks.json", layout)
    return [PROGRAMS[layout](record) for record in json.loads((tmp_path / "tasks.json").read_text())]


def exported(tmp_path: Path, records: list[Record]) -> Path:
    (tmp_path / "export.json").write_text(json.dumps(records))
    return tmp_path / "export.json"


def taken(tmp_path: Path, records: list[Record], layout: str) -> list[Draft]:
    return read_sheet(open_batch(tmp_path / "batch"), "ann", exported(tmp_path, records), layout)


@pytest.mark.parametrize("layout", PROGRAMS)
def test_answers_come_back_in_the_terms_of_the_item(tmp_path: Path, layout: str) -> None:
    drafts = taken(tmp_path, [one for one in filled(tmp_path, layout) if "soup" not in str(one)], layout)
    assert {draft.value for draft in drafts if draft.question == "obeys"} == {"first"}
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


def test_two_annotations_of_one_task_are_refused(tmp_path: Path) -> None:
    records = filled(tmp_path, "label-studio")
    records[0]["annotations"] *= 2
    with pytest.raises(UserError, match="stands in line 1 already"):
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
        *("obeys", "fit", "fluent", "units", "remark", "note")
    }
    fluent = next(control for control in view.iter("Choices") if control.get("name") == "fluent")
    assert [choice.get("value") for choice in fluent] == ["first", "second", "none"]
    assert {text.get("value") for text in view.iter("Text")} == {"$query", "$first", "$second"}


def test_an_unknown_format_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No sheet format named 'excel'"):
        write_sheet(make_batch(tmp_path), "ann", tmp_path / "x", "excel")
