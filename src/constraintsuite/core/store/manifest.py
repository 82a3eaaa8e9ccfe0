"""Manifests: what an artifact was made from, what it holds, and which command makes such an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import Strict, ValidationError, field_validator
from pydantic_core import from_json

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.mirror import mirror_of
from constraintsuite.core.store.mirror_pull import MANIFEST, STAGES

FORMAT = 2
"""Format 1 had examples with `query.neg` and `docs.pos`; it is not read any more."""
MADE_BY: Mapping[str, str] = {
    "suite": "csuite build",
    "stage": "csuite build",
    "run": "csuite eval",
    "ranking": "csuite retrieve-eval",
    "report": "csuite report",
    "bundle": "csuite subset",
    "vectors": "csuite embed",
    "truth": "csuite bundle truth",
    "ann": "csuite ann run",
    "graph": "csuite memory ingest",
    "memory_run": "csuite memory bench",
    "training data": "csuite tune",
    "tune": "csuite tune",
    "explain": "csuite explain",
    "circuit": "csuite explain circuit",
    "drift": "csuite drift",
    "snapshot": "csuite memory private freeze",
}
_KEPT = frozenset({"graph", "training data", "tune", "explain", "circuit", "drift", "snapshot"})
"""Kinds whose command does not replace a damaged artifact; it must be moved away first."""


class FileEntry(StrictModel):
    """One file of an artifact."""

    sha256: str
    bytes: int


class Manifest(StrictModel):
    """The file `manifest.json` of a finished folder."""

    format: Annotated[int, Strict()]  # else `true` is read as 1
    kind: str
    name: str
    revision: int
    """The revision of the code that made it; see `core/store/revisions.py`."""
    fingerprint: str
    """Hash of everything that decides the content: revision, library versions, settings, inputs."""
    inputs: dict[str, str]
    settings: dict[str, Any]
    seed: int
    counts: dict[str, int]
    rejects: dict[str, int]
    files: dict[str, FileEntry]
    content: str
    """Hash of all files: two artifacts with the same value are the same bytes."""

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, FileEntry]) -> dict[str, FileEntry]:
        for name in files:
            place = PurePosixPath(name)
            if place.is_absolute() or not place.parts or ".." in place.parts:
                raise ValueError(f"the file {name!r} is not in this folder")
        return files


def read_manifest(path: Path) -> Manifest | None:
    """The manifest of a finished folder, None for an unfinished one. Raises UserError if it has another format."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.refresh(path)
    file = path / MANIFEST
    if not file.is_file():
        return None
    _refuse_other_format(file)
    try:
        return Manifest.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None


def _refuse_other_format(file: Path) -> None:
    """Raise a UserError for another format, before validation would only call its fields unknown."""
    try:
        content: object = from_json(file.read_bytes())
    except ValueError:
        return  # validation names the place that is not JSON
    found = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(found, int) or isinstance(found, bool):
        return  # validation names the wrong field
    if found > FORMAT:
        raise UserError(
            f"{file}: written in format {found} by a newer version of constraintsuite; this one reads up to {FORMAT}. "
            "Upgrade: pip install --upgrade constraintsuite"
        )
    if found < FORMAT:
        kind, settings = str(content.get("kind")), content.get("settings")
        command = _made_by(kind, settings if isinstance(settings, dict) else {})
        folder = _build_of(file.parent) if kind == "stage" else file.parent
        raise UserError(
            f"{folder}: written in format {found} by an earlier version of constraintsuite; this one reads format {FORMAT} "
            f"only. Move the folder away and make it again: {command or 'with the command that made it'}"
        )


def _build_of(stage: Path) -> Path:
    """The folder of the build that a stage is part of, which must be moved away as a whole."""
    return stage.parent.parent if stage.parent.name == STAGES else stage


def content_of(files: Mapping[str, FileEntry]) -> str:
    """The hash of all files of an artifact, from their names and hashes."""
    return sha256_text(*(f"{name} {entry.sha256}" for name, entry in files.items()))


def _made_by(kind: str, settings: Mapping[str, object]) -> str | None:
    """The command that makes an artifact of this kind; None if there is no such command."""
    if kind == "suite" and "importer" in settings:
        return f"csuite import {settings['importer']}"
    return MADE_BY.get(kind)


def make_again(kind: str, name: str, settings: Mapping[str, object]) -> str:
    """How to replace a damaged artifact, as the beginning of a sentence."""
    command = _made_by(kind, settings)
    options = {"bundle": " --force", "stage": f" --from {name}"}.get(kind, "")
    how = f" with `{command}{options}`" if command else ""
    return f"Move the folder away, then make it again{how}" if kind in _KEPT else f"Make it again{how}"
