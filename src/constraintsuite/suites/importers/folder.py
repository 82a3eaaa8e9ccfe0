"""From a test set to a suite folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.suites.examples import example_schema
from constraintsuite.suites.importers import IMPORTERS
from constraintsuite.suites.importers.base import ImportedSuite, name_source
from constraintsuite.suites.views.dataset import difference_table, length_table, view_dataset

_SCHEMA, _CARD = "schema.json", "README.md"


def import_suite(kind: str, source: str, out: Path, split: str | None = None) -> Artifact:
    """Read a test set into the folder `out`; if that was done before with the same content, nothing is written.

    If a file of it was changed since, it is all written anew.
    """
    imported = IMPORTERS.load(kind)(source, split)
    settings = {"importer": kind, "source": name_source(source), "source_split": imported.split}
    origin = ArtifactOrigin(
        "suite", imported.name, {"source": imported.content}, settings, 0, REVISIONS["imported suite"]
    )
    held = _records(imported)
    files = (_SCHEMA, _CARD, *(f"{name}.jsonl" for name in held))
    with claim(out, origin, files, replace=Replace.DAMAGED) as space:
        return space.finished or space.finish(_write(imported, held, space.empty_new()))


def _records(imported: ImportedSuite) -> dict[str, Sequence[Any]]:
    """What a test set has, by the names of the files that hold it."""
    parts: dict[str, Sequence[Any]] = {
        "examples": imported.examples,
        "controls": imported.controls,
        "documents": imported.documents,
        "queries": imported.queries,
        "qrels": imported.qrels,
        "violations": imported.violations,
    }
    return {name: records for name, records in parts.items() if records}


def _write(imported: ImportedSuite, held: Mapping[str, Sequence[Any]], out: Path) -> dict[str, int]:
    for name, records in held.items():
        write_jsonl(out / f"{name}.jsonl", records)
    write_text(out / _SCHEMA, json.dumps(example_schema(), indent=2, ensure_ascii=False) + "\n")
    counts = {name: len(records) for name, records in held.items()}
    write_text(out / _CARD, _card(imported, counts))
    return counts


def _card(imported: ImportedSuite, counts: dict[str, int]) -> str:
    lines = [f"# {imported.name}", "", imported.about, "", *(f"- {name}: {n:,}" for name, n in counts.items()), ""]
    if imported.examples:
        found = view_dataset(imported.examples)
        lines += [length_table(found).to_markdown(), difference_table(found).to_markdown()]
    return "\n".join(lines)
