"""Output folders that are written once. A finished result is kept, and files of anybody else are never touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.experiments.load import remember_suite, suite_place
from constraintsuite.models.base import PLACE_FACTS, ModelFact


@dataclass(frozen=True)
class OutputCounts:
    """For the manifest: how many of what there are, what was left out and why, and where the model ran."""

    counts: Mapping[str, int]
    rejects: Mapping[str, int] = field(default_factory=dict)
    place: Mapping[str, ModelFact] = field(default_factory=dict)


def write_once(
    out: Path,
    origin: ArtifactOrigin,
    files: Sequence[str],
    write: Callable[[Path], OutputCounts],
    *,
    suite: Path | None = None,
    reporter: Reporter | None = None,
    events: Sequence[str] = (),
) -> Artifact:
    """Let `write` fill a folder that becomes `out`, unless `out` already holds the result of this origin.

    `files` are patterns of what `write` creates. Earlier output of the same kind, name and suite is replaced, but only
    when the new output is complete. Raises UserError if anything else is in `out`. The place of `suite` is noted in the
    folder.
    """
    _refuse_other_suite(out, origin, suite)
    with claim(out, origin, files, replace=Replace.SAME_NAME, note=(reporter or Silent()).note) as space:
        artifact = space.finished
        if artifact is None:
            written = write(space.empty_new())
            artifact = space.finish(written.counts, written.rejects, events, written.place)
        if suite is not None:
            remember_suite(out, suite)
        return artifact


def _refuse_other_suite(out: Path, origin: ArtifactOrigin, suite: Path | None) -> None:
    """Refuse to replace output of the same system on another suite, even one of the same name.

    The same suite may have changed since, or have been moved.
    """
    manifest = read_manifest(out) if out.is_dir() else None
    if manifest is None or (manifest.kind, manifest.name) != (origin.kind, origin.name):
        return
    before, now = manifest.settings.get("suite"), origin.settings.get("suite")
    place = suite_place(out) if suite else None
    if suite and place:
        there, here = (found.content if (found := read_manifest(folder)) else None for folder in (place, suite))
        place = place if there == manifest.inputs.get("suite") != here else None
    if before != now or place:
        raise UserError(
            f"{out}: this folder already holds the {manifest.kind} of {origin.name} on the suite {before!r}{_in(place)}. "
            f"One on the suite {now!r}{_in(suite)} would replace it. Choose another --out."
        )


def _in(place: Path | None) -> str:
    return f" in {place}" if place else ""


class SplitFacts(NamedTuple):
    """Facts about a model that belong to a result, and facts about the machine it ran on."""

    own: dict[str, ModelFact]
    place: dict[str, ModelFact]


def split_facts(facts: Mapping[str, ModelFact]) -> SplitFacts:
    """Separate facts about the machine, at any depth, so that a run has the same bytes on every machine."""
    own: dict[str, ModelFact] = {}
    place: dict[str, ModelFact] = {}
    for key, value in facts.items():
        if key in PLACE_FACTS:
            place[key] = value
        elif isinstance(value, Mapping):
            inner = split_facts(value)
            own[key] = inner.own
            if inner.place:
                place[key] = inner.place
        else:
            own[key] = value
    return SplitFacts(own, place)
