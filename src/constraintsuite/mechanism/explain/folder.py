"""The folder of an analysis: finished parts stay, so that one that was stopped goes on where it was."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.records import PatchEffects
from constraintsuite.mechanism.effects.summary import EffectSummary
from constraintsuite.mechanism.effects.table import read_effects
from constraintsuite.mechanism.explain.records import AttributionCheck, Explained, SubjectFacts
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, describe

SUMMARY, SUBJECT, COMPARISON = "summary.json", "subject.json", "comparison.json"
BESIDE = ("circuit",)
"""Folders inside that are artifacts of their own."""
_WORKING = ".working"
T = TypeVar("T")


def begin(out: Path, origin: ArtifactOrigin) -> Artifact | None:
    """Take a folder for an analysis; if that is finished there already, what lies there. Anything else there is refused."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: this is a file, not a folder. Choose another --out.")
    manifest = read_manifest(out)
    if manifest is not None and manifest.fingerprint == origin.fingerprint:
        artifact = Artifact(out, manifest)
        artifact.refuse_changed()
        return artifact
    marker = out / _WORKING
    begun = marker.read_text(encoding="utf-8") if marker.is_file() else ""
    holds = manifest is not None or (out.is_dir() and any(not path.name.startswith(".") for path in out.iterdir()))
    if holds and begun != origin.fingerprint:
        what = (
            f"the {manifest.kind} {manifest.name!r}" if manifest else "an unfinished analysis" if begun else "something"
        )
        raise UserError(
            f"{out}: here lies {what}, made from other contrasts, settings or versions. Choose another --out, or remove it."
        )
    write_text(marker, origin.fingerprint)
    return None


def load_explained(path: Path) -> Explained:
    """A finished analysis; one that was changed since is a UserError."""
    artifact = Artifact.open(path, KIND)
    return Explained(
        artifact,
        tuple(read_contrasts(path / CONTRASTS)),
        _read(path / SUBJECT, SubjectFacts),
        _read(path / SUMMARY, EffectSummary),
        _read(path / COMPARISON, AttributionCheck) if COMPARISON in artifact.manifest.files else None,
    )


def load_effects(path: Path) -> tuple[PatchEffects, list[MarkedContrast]]:
    """The rows of a finished analysis and its contrasts."""
    Artifact.open(path, KIND).refuse_foreign(BESIDE)
    return read_effects(path), read_contrasts(path / CONTRASTS)


def _read(file: Path, kind: type[T]) -> T:
    try:
        return adapter(kind).validate_json(file.read_bytes())
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}. Run the command again.") from None
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it written by another version?") from None
