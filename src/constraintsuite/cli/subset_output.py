"""What `csuite subset` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from constraintsuite.cli.output import count_lines
from constraintsuite.records.figures import percent
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.mirror import shown
from constraintsuite.vectors.plan import SubsetPlan

_DRY_NAMES = {
    "full": "queries with all positives",
    "partial": "with some",
    "none": "with none of them",
    "kept": "share that keeps a positive",
}


def plan_lines(made: SubsetPlan) -> Iterator[str]:
    """A forecast, in words."""
    if made.warning:
        yield f"Warning: {made.warning}"
    yield f"{made.source}: {made.population:,} documents, {made.queries:,} queries selected, {made.judged:,} of them judged"
    yield f"mode {made.mode}: {made.size:,} documents; the queries have {made.positives:,} positive documents"
    spread = f" ± {made.expected.deviation:.0f}" if made.expected.deviation else ""
    yield (
        f"judged queries that keep a positive: {made.expected.kept:,.0f}{spread} of {made.judged:,} "
        f"({percent(made.expected.share)}); with all positives: {made.expected.whole:,.0f}"
    )
    if made.absent is None:
        yield "Note: no document was read; all positive documents are taken to be in the source"
    yield from (f"Note: {note}" for note in made.notes)
    if made.dedup == "exact_text":
        yield "Equal texts are counted here as they stand in the source; the subset will hold one of each."
    yield "\nA uniform sample would keep:\n   documents  queries   share"
    yield from (f"{row.size:>12,}  {row.kept:>7,.0f}  {percent(row.share):>7}" for row in made.by_size)


def dry_lines(record: Mapping[str, object], out: Path, replaced: Sequence[str]) -> Iterator[str]:
    """What would be written."""
    named = {_DRY_NAMES.get(name, name.replace("_", " ")): value for name, value in record.items()}
    said = {name: f"{value:,}" if isinstance(value, int) else value for name, value in named.items()}
    yield f"Would write to {shown(out)}:"
    yield from (f"{name:>30}  {value}" for name, value in said.items())
    if replaced:
        yield f"It would replace what is there: {', '.join(replaced)}"


def built_lines(artifact: Artifact) -> Iterator[str]:
    """What was written."""
    report = json.loads((artifact.path / "coverage.json").read_text(encoding="utf-8"))
    counts, coverage = artifact.manifest.counts, report["coverage"]
    yield f"Bundle: {shown(artifact.path)}"
    states = ("full", "all positives"), ("partial", "some"), ("none", "none of them")
    covered = ", ".join(f"{coverage[name]:,} with {words}" for name, words in states)
    listed = {
        f"of {counts['population']:,} documents": counts["documents"],
        f"queries: {covered}; {coverage['unjudged']:,} unjudged": counts["queries"],
        "judgments": counts["judgments"],
    }
    if "twins_left_out" in counts:
        moved, merged = counts["judgments_moved"], counts["judgments_fallen_together"]
        twins = (
            f"left out whose text another document has, of {counts['different_texts']:,} different texts; "
            f"judgments moved: {moved:,}, fallen together: {merged:,}"
        )
        listed[twins] = counts["twins_left_out"]
    for name, count in artifact.manifest.rejects.items():
        listed[f"{'row' if count == 1 else 'rows'} left out: {name}"] = count
    yield from count_lines(listed)
    yield from (f"Note: {note}" for note in report["notes"])
    yield "Next:   csuite embed " + shown(artifact.path) + " --model dense:all-MiniLM-L6-v2"


def built_record(artifact: Artifact) -> dict[str, object]:
    """The same as data."""
    report = json.loads((artifact.path / "coverage.json").read_text(encoding="utf-8"))
    manifest = artifact.manifest
    return {"bundle": shown(artifact.path), "content": manifest.content, "counts": manifest.counts, **report}
