"""Writes an imported test set as the folder of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.suites.examples import write_schema
from constraintsuite.suites.importers import IMPORTERS
from constraintsuite.suites.importers.base import ImportedSuite, name_source
from constraintsuite.suites.views.dataset import difference_table, length_table, view_dataset

_SCHEMA, _CARD = "schema.json", "README.md"
_PARTS = ("examples", "controls", "documents", "queries", "qrels", "violations", "candidates", "changes")
"""The fields of an `ImportedSuite` that become files of JSON lines."""


def import_suite(kind: str, source: str, out: Path, split: str | None = None) -> Artifact:
    """Read a test set into the folder `out`; if its suite is there already and unchanged, nothing is written."""
    imported = IMPORTERS.load(kind)(source, split)
    settings = {"importer": kind, "source": name_source(source), "source_split": imported.split}
    origin = ArtifactOrigin(
        "suite", imported.name, {"source": imported.content}, settings, 0, REVISIONS["imported suite"]
    )
    parts: dict[str, Sequence[Any]] = {name: getattr(imported, name) for name in _PARTS if getattr(imported, name)}
    files = (_SCHEMA, _CARD, *(f"{name}.jsonl" for name in parts))
    with claim(out, origin, files, replace=Replace.DAMAGED) as space:
        return space.finished or space.finish(_write(imported, parts, space.empty_new()))


def _write(imported: ImportedSuite, parts: Mapping[str, Sequence[Any]], out: Path) -> dict[str, int]:
    counts = {name: write_jsonl(out / f"{name}.jsonl", records) for name, records in parts.items()}
    write_schema(out / _SCHEMA)
    write_text(out / _CARD, _card(imported, counts))
    return counts


def _card(imported: ImportedSuite, counts: dict[str, int]) -> str:
    lines = [f"# {imported.name}", "", imported.about, "", *(f"- {name}: {n:,}" for name, n in counts.items()), ""]
    if imported.examples:
        found = view_dataset(imported.examples)
        lines += [length_table(found).to_markdown(), difference_table(found).to_markdown()]
    return "\n".join(lines)
