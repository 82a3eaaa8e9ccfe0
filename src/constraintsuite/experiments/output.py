"""Folders that are written once: what is there already is kept, what others put there is never touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, Manifest, read_manifest
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.experiments.load import remember_suite, suite_place
from constraintsuite.models.base import PLACE_FACTS, ModelFact


@dataclass(frozen=True)
class OutputCounts:
    """What came of the work: how many of what, what was left out and why, and where the model ran."""

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
    """Let `write` fill a folder that becomes `out`, unless all that this origin gives is there already.

    `files` are patterns of what is written. Earlier output of the same kind, name and suite is replaced, but only when
    the work is done. Anything else in `out` is a UserError, and left as it is. `suite` is where the suite lies: that is
    noted in the folder.
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
    """A UserError if earlier output of the same system is of another suite: that suite may have the same name."""
    manifest = read_manifest(out) if out.is_dir() else None
    if manifest is None or (manifest.kind, manifest.name) != (origin.kind, origin.name):
        return
    before, now = manifest.settings.get("suite"), origin.settings.get("suite")
    place = suite and _other_place(out, manifest, suite)
    if before != now or place:
        raise UserError(
            f"{out}: this folder already holds the {manifest.kind} of {origin.name} on the suite "
            f"{before!r}{_at(place)}. One on the suite {now!r}{_at(suite)} would replace it. Choose another --out."
        )


def _other_place(out: Path, manifest: Manifest, suite: Path) -> Path | None:
    """Where the suite of earlier output lies, if that is another suite of the same name and not what became of this one."""
    place = suite_place(out)
    if place is None or place == suite.resolve():
        return None
    other = read_manifest(place)
    return place if other is not None and other.content == manifest.inputs.get("suite") != _content(suite) else None


def _content(suite: Path) -> str | None:
    manifest = read_manifest(suite)
    return None if manifest is None else manifest.content


def _at(place: Path | None) -> str:
    return f" in {place}" if place else ""


class SplitFacts(NamedTuple):
    """Facts that are content, and facts that belong beside it."""

    own: dict[str, ModelFact]
    place: dict[str, ModelFact]


def split_facts(facts: Mapping[str, ModelFact]) -> SplitFacts:
    """Facts of the place, also of a part of a system, are taken out: the same run elsewhere must be the same bytes."""
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
