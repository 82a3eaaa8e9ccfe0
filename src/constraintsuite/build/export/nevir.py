"""NevIR-like rows: q1 is relevant only to doc1, q2 only to doc2; one file a split."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.records.examples import Example
from constraintsuite.store.files import write_text


def export(examples: Sequence[Example], folder: Path, card: str) -> None:
    """q1 is the negated query with the satisfier as doc1, q2 the affirmative one with the violator as doc2."""
    rows = defaultdict(list)
    for example in examples:
        row = {
            "id": example.id,
            "WorkerId": "constraintsuite",
            "q1": example.query.neg,
            "q2": example.query.base,
            "doc1": example.docs.pos.text,
            "doc2": example.docs.neg.text,
        }
        rows[example.split].append(json.dumps(row, ensure_ascii=False))
    for split, lines in rows.items():
        write_text(folder / f"{split}.jsonl", "\n".join(lines) + "\n")
    write_text(folder / "README.md", card)
