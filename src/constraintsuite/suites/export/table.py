"""One CSV row an example, for a spreadsheet; controls in a second file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.records.examples import CONTROL_SLICES, Control, Example
from constraintsuite.store.files import write_text
from constraintsuite.suites.export.base import Exported, count

COLUMNS = ("id", "slice", "split", "domain", "relation", "template", "y", "query_neg", "query_base", "topic", "couple", "edited",
           "difficulty", "pos_id", "pos_title", "pos_text", "neg_id", "neg_title", "neg_text")  # fmt: skip
CONTROL_COLUMNS = ("control", "control_of", "idiom", "query_twin", "preferred_for_base")


def export(examples: Sequence[Example], folder: Path, card: str) -> Exported:
    """Write `examples.csv` and, where there are controls, `controls.csv` with what each of them controls."""
    main = [example for example in examples if example.suite not in CONTROL_SLICES]
    controls = [example for example in examples if example.suite in CONTROL_SLICES]
    _write(folder / "examples.csv", COLUMNS, [_cells(example) for example in main])
    if controls:
        rows = [(*_cells(control), *_control_cells(control)) for control in controls]
        _write(folder / "controls.csv", (*COLUMNS, *CONTROL_COLUMNS), rows)
    write_text(folder / "README.md", card)
    return count(examples)


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_plain(str(cell)) for cell in row] for row in rows)
    write_text(path, text.getvalue())


def _cells(e: Example) -> tuple[object, ...]:
    pos, neg = e.docs.pos, e.docs.neg
    return (e.id, e.suite, e.split, e.domain, e.relation, e.query.template, e.constraint.y, e.query.neg, e.query.base,
            e.query.topic, e.couple, e.tags.edited, e.tags.difficulty,
            pos.id, pos.title, pos.text, neg.id, neg.title, neg.text)  # fmt: skip


def _control_cells(example: Example) -> tuple[str, ...]:
    control = example.control or Control("", "")
    preferred = example.labels.pairwise_preference_for_query_base.partition("_")[0]
    return control.kind, control.of, control.idiom, control.twin_query, preferred


def _plain(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula: documents are hostile input."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
