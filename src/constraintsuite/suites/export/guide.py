"""The JSON of the ConstraintSuite guide: `examples.jsonl` and `controls.jsonl`, one object per line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.guide import to_guide


def export(examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
    """Write main examples and controls; `csuite import guide` reads the folder, or one of the files, again."""
    found = [(example, line) for example in examples if (line := to_guide(example)) is not None]
    if not found:
        raise UserError(
            "No example has both an exclusion and an opposite query, which the guide's format requires. "
            "Choose beir, csv or hf."
        )
    main = [line for example, line in found if example.control is None]
    controls = [line for example, line in found if example.control is not None]
    write_jsonl(folder / "examples.jsonl", main)
    if controls:
        write_jsonl(folder / "controls.jsonl", controls)
    write_text(folder / "README.md", card)
    return [example for example, _ in found]
