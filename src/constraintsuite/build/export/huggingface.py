"""A Hugging Face dataset folder: JSON lines a split and slice, and a card whose front matter names them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import yaml

from constraintsuite.records.examples import Example
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import encode


def export(examples: Sequence[Example], folder: Path, card: str) -> None:
    """Write `data/{slice}/{split}.jsonl` and `README.md`; `datasets.load_dataset(folder, slice)` reads it."""
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for example in examples:
        lines[example.suite][example.split].append(_row(example))
    configs = []
    for name in sorted(lines):
        files = []
        for split in sorted(lines[name]):
            write_text(folder / "data" / name / f"{split}.jsonl", "\n".join(lines[name][split]) + "\n")
            files.append({"split": split, "path": f"data/{name}/{split}.jsonl"})
        configs.append({"config_name": name, "data_files": files})
    front = {
        "task_categories": ["text-ranking"],
        "language": ["en"],
        "tags": ["negation", "information-retrieval", "constraintsuite"],
        "configs": configs,
    }
    write_text(folder / "README.md", f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\n{card}")


def _row(example: Example) -> str:
    """One line; what is absent in some splits and nested in others goes in as JSON text, or columns would not agree."""
    fields = json.loads(encode(example))
    for name in ("evidence", "edit", "control"):
        fields[name] = json.dumps(fields[name], ensure_ascii=False)
    return json.dumps(fields, ensure_ascii=False)
