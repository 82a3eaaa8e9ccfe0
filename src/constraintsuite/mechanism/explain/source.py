"""Where contrasts come from: a suite, a file of them, or an earlier explain folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.evaluate.load import refuse_changed
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts
from constraintsuite.mechanism.contrasts.from_suite import read_suite
from constraintsuite.mechanism.contrasts.records import Contrast
from constraintsuite.mechanism.contrasts.selection import choose, keep_apart, keep_kinds
from constraintsuite.mechanism.explain.settings import Scope
from constraintsuite.store.artifact import Artifact, read_manifest
from constraintsuite.store.files import sha256_of

KIND = "explain"


@dataclass(frozen=True)
class Asked:
    """Contrasts, and what they come from."""

    contrasts: tuple[Contrast, ...]
    rejects: dict[str, int]
    content: str
    """Hash of what they were read from."""
    name: str


def read_source(source: Path, scope: Scope) -> Asked:
    """The contrasts that the scope lets through; a source without any is a UserError."""
    found = _read(source, scope)
    kept = keep_kinds(found.contrasts, sides=scope.sides, controls=scope.controls)
    if scope.independent:
        kept = keep_apart(kept, scope.seed)
    kept = choose(kept, scope.limit, scope.seed)
    if not kept:
        raise UserError(f"{source}: none of its {len(found.contrasts)} contrasts is of these sides and controls.")
    return Asked(tuple(kept), found.rejects, found.content, found.name)


def _read(source: Path, scope: Scope) -> Asked:
    if source.is_file():
        return Asked(tuple(read_contrasts(source)), {}, sha256_of(source), source.name)
    manifest = read_manifest(source) if source.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        refuse_changed(Artifact.open(source, KIND))
        file = source / CONTRASTS
        return Asked(tuple(read_contrasts(file)), {}, sha256_of(file), manifest.settings["source"])
    artifact = Artifact.open(source, "suite")
    made = read_suite(source, seed=scope.seed, splits=scope.splits, independent=scope.independent)
    return Asked(made.contrasts, made.rejects, artifact.manifest.content, artifact.manifest.name)
