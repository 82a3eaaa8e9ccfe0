"""From a test set to a suite folder."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from constraintsuite.errors import UserError
from constraintsuite.store.artifact import ENVIRONMENT, MANIFEST, Artifact, ArtifactOrigin, finish, read_manifest
from constraintsuite.store.files import folder_lock, write_text
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.suites.importers import IMPORTERS
from constraintsuite.suites.importers.base import ImportedSuite
from constraintsuite.suites.importers.rows import name_source
from constraintsuite.suites.schema import example_schema
from constraintsuite.suites.views.dataset import dataset_markdown, view_dataset

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
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: this is a file, not a folder. Choose another --out.")
    held = _records(imported)
    with folder_lock(out):
        present = read_manifest(out)
        found = Artifact(out, present) if present is not None and present.fingerprint == origin.fingerprint else None
        if found is not None and next(found.changed_files(), None) is None:
            return found
        own = () if found is None else (MANIFEST, ENVIRONMENT, _SCHEMA, _CARD, *(f"{name}.jsonl" for name in held))
        strangers = sorted(
            path.name for path in out.iterdir() if not path.name.startswith(".") and path.name not in own
        )
        if strangers:
            raise UserError(f"{out}: this folder holds other files ({strangers[0]}, …). Choose an empty or new --out.")
        start = time.monotonic()
        (out / MANIFEST).unlink(missing_ok=True)  # first: from now on the folder is unfinished
        return finish(out, origin, _write(imported, held, out), {}, time.monotonic() - start)


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
        lines.append(dataset_markdown(view_dataset(imported.examples)))
    return "\n".join(lines)
