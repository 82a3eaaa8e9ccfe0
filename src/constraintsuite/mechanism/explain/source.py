"""Where contrasts come from: a suite, a file of them, or an earlier explain folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts, read_either
from constraintsuite.mechanism.contrasts.from_suite import count_rejected, read_suite
from constraintsuite.mechanism.contrasts.records import SIDES, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import keep_apart, keep_kinds
from constraintsuite.mechanism.explain.request import AnalysisScope
from constraintsuite.records.examples import SPLITS, Split
from constraintsuite.store.artifact import Artifact, read_manifest
from constraintsuite.store.files import sha256_of

KIND = "explain"


@dataclass(frozen=True)
class ContrastSource:
    """Contrasts, and what they come from."""

    contrasts: tuple[MarkedContrast, ...]
    rejects: dict[str, int]
    content: str
    """Hash of what they were read from."""
    name: str
    analyser: str = ""
    """What the marks in the texts of a suite come from."""


def read_source(source: Path, scope: AnalysisScope) -> ContrastSource:
    """The contrasts that the scope lets through, however many; a source without any is a UserError."""
    found = _read(source, scope)
    kept = keep_kinds(found.contrasts, sides=scope.sides, controls=scope.controls)
    rejects = Counter({reason: count for reason, count in found.rejects.items() if _is_asked(reason, scope)})
    if scope.independent:
        kept, left = keep_apart(kept, scope.seed)
        rejects.update(count_rejected(left))
    if not kept:
        raise UserError(f"{source}: none of its {len(found.contrasts)} contrasts is of these sides and controls.")
    return ContrastSource(tuple(kept), dict(rejects), found.content, found.name, found.analyser)


def _is_asked(reason: str, scope: AnalysisScope) -> bool:
    """Whether a reason is of a kind of contrasts that the scope lets through."""
    kind = reason.partition(":")[0]
    return kind in scope.sides if kind in SIDES and "" in scope.controls else kind in scope.controls


def _read(source: Path, scope: AnalysisScope) -> ContrastSource:
    if source.is_file():
        found = _of_splits(read_either(source, scope.seed), scope.splits, source)
        return ContrastSource(found, {}, sha256_of(source), source.name)
    manifest = read_manifest(source) if source.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        Artifact.open(source, KIND)
        file = source / CONTRASTS
        found = _of_splits(read_contrasts(file), scope.splits, source)
        settings = manifest.settings
        return ContrastSource(found, {}, sha256_of(file), settings["source"], settings.get("analyser", ""))
    artifact = Artifact.open(source, "suite")
    made = read_suite(source, seed=scope.seed, splits=scope.splits)
    whole = artifact.manifest.content, artifact.manifest.name, made.analyser
    if scope.independent:  # which deals halves anew
        return ContrastSource((*made.contrasts, *made.torn), count_rejected(made.rejected), *whole)
    return ContrastSource(made.contrasts, made.rejects, *whole)


def _of_splits(
    contrasts: Sequence[MarkedContrast], splits: Collection[Split], source: Path
) -> tuple[MarkedContrast, ...]:
    if set(splits) == set(SPLITS):
        return tuple(contrasts)
    unsaid = next((one.id for one in contrasts if not one.split), None)
    if unsaid is not None:
        raise UserError(
            f"{source}: it does not say of which split {unsaid!r} is. Leave --split out, or give the suite it comes from."
        )
    kept = tuple(one for one in contrasts if one.split in splits)
    if not kept:
        raise UserError(
            f"{source}: none of its {len(contrasts)} contrasts is of the splits {', '.join(sorted(splits))}."
        )
    return kept
