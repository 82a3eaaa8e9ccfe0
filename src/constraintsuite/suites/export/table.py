"""CSV for a spreadsheet: one row per example, controls in a second file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.core.records.examples import Control, Example
from constraintsuite.core.store.files import write_text

COLUMNS = ("id", "slice", "split", "domain", "relation", "template", "constraint", "value", "query", "opposite", "topic", "couple",
           "edit", "difficulty", "satisfying_id", "satisfying_title", "satisfying_text", "violating_id", "violating_title",
           "violating_text")  # fmt: skip
CONTROL_COLUMNS = ("control", "original", "phrase", "restated")


def export(examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
    """Write `examples.csv` and, if there are controls, `controls.csv` with the original of each."""
    pairs = [example for example in examples if example.is_about_two]
    main = [example for example in pairs if example.control is None]
    controls = [example for example in pairs if example.control is not None]
    _write(folder / "examples.csv", COLUMNS, [_cells(example) for example in main])
    if controls:
        rows = [(*_cells(control), *_control_cells(control)) for control in controls]
        _write(folder / "controls.csv", (*COLUMNS, *CONTROL_COLUMNS), rows)
    write_text(folder / "README.md", card)
    return pairs


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_plain(str(cell)) for cell in row] for row in rows)
    write_text(path, text.getvalue())


def _cells(e: Example) -> tuple[object, ...]:
    constraint = (e.constraint.type, e.constraint.value) if e.constraint else ("", "")
    documents = [cell for one in (e.satisfying, e.violating) for cell in (one.id, one.title, one.text)]
    return (e.id, e.slice, e.split, e.domain, e.relation, e.template, *constraint, e.query, e.opposite or "",
            e.topic or "", e.couple, e.edit, e.tags.get("difficulty", ""), *documents)  # fmt: skip


def _control_cells(example: Example) -> tuple[str, ...]:
    control = example.control or Control("", "")
    return control.kind, control.original, control.phrase, example.restated or ""


def _plain(cell: str) -> str:
    """The cell with a quote before it if a spreadsheet would take it for a formula: texts are untrusted input."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
