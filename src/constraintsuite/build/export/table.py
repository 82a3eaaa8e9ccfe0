"""One CSV row an example, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.records.examples import Example
from constraintsuite.store.files import write_text

COLUMNS = ("id", "slice", "split", "domain", "relation", "template", "y", "query_neg", "query_base", "topic", "couple", "edited",
           "difficulty", "pos_id", "pos_title", "pos_text", "neg_id", "neg_title", "neg_text")  # fmt: skip


def export(examples: Sequence[Example], folder: Path, card: str) -> None:
    """Write `examples.csv`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for e in examples:
        pos, neg = e.docs.pos, e.docs.neg
        row = (e.id, e.suite, e.split, e.domain, e.relation, e.query.template, e.constraint.y, e.query.neg, e.query.base,
               e.query.topic, e.couple, e.tags.edited, e.tags.difficulty,
               pos.id, pos.title, pos.text, neg.id, neg.title, neg.text)  # fmt: skip
        writer.writerow([_plain(str(cell)) for cell in row])
    write_text(folder / "examples.csv", text.getvalue())
    write_text(folder / "README.md", card)


def _plain(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula: documents are hostile input."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
