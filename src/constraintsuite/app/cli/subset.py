"""`csuite subset`: forecast and build subsets of a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import ValidationError

from constraintsuite.app.cli.corpus import source_options, source_settings
from constraintsuite.app.cli.options import Command, combine, dry_run_option, force_option, json_option, out_option
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.records.figures import percent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.mirror import shown
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import find_format, open_source
from constraintsuite.vectors.judgments import refuse_poor
from constraintsuite.vectors.plan import SubsetPlan, plan_subset
from constraintsuite.vectors.settings import SamplingMode, SubsetSettings

_FIELDS = SubsetSettings.model_fields
_DRY_NAMES = {
    "full": "queries with all positives",
    "partial": "with some",
    "none": "with none of them",
    "kept": "share that keeps a positive",
}
_GIVEN = {"n_queries": "queries"}  # --queries is the file


def _option(name: str, field: str = "", **more: object) -> Callable[[Command], Command]:
    described = _FIELDS[field or name].description
    return click.option(f"--{name.replace('_', '-')}", name, help=described, **more)  # type: ignore[arg-type]


_choices = combine(
    click.option("--source", "source", required=True, help="File, folder, irds:ID, hf:OWNER/NAME or sample."),
    _option("mode", type=click.Choice(get_args(SamplingMode)), default="keep_positives", show_default=True),
    _option("size", type=int),
    _option("rate", type=float),
    _option("n_queries", "queries", type=int),
    _option("require", type=click.Choice(["judged", "any"]), default="judged", show_default=True),
    _option("min_relevance", type=int, default=1, show_default=True),
    _option("positives_of", type=click.Choice(["selected", "split"]), default="selected", show_default=True),
    _option("run", type=click.Path(path_type=Path, dir_okay=False)),
    _option("depth", type=int, default=100, show_default=True),
    _option("strata", default="length", show_default=True),
    _option("allocation", default="proportional", show_default=True),
    _option("order", type=click.Choice(["positives_then_key", "source"]), default="positives_then_key"),
    _option("dedup", type=click.Choice(["off", "exact_text"]), default="off", show_default=True),
    _option("seed", default="42", show_default=True),
    _option("namespace"),
    click.option("--accept-coverage", is_flag=True, help="Continue even if most judged queries lose their positives."),
    json_option,
    source_options,
)


@click.group()
def subset() -> None:
    """Draw a subset of a corpus and keep its judgments valid."""


@subset.command()
@_choices
@click.option(
    "--population",
    type=click.IntRange(min=1),
    help="Number of documents in the source, if you know it; then none is read.",
)
def plan(
    source: str,
    options: Mapping[str, object],
    population: int | None,
    accept_coverage: bool,
    as_json: bool,
    **choices: object,
) -> None:
    """Estimate how many judged queries a subset would keep, before you build it.

    Exit code 2 if fewer than half of them would keep a positive document, unless --accept-coverage.
    """
    corpus, settings = _read(source, options, choices)
    made = plan_subset(open_source(corpus), settings, corpus.skip_bad_rows, population, Terminal())
    emit(made.as_record(), as_json, _plan_lines(made))
    refuse_poor(made.expected.kept, made.judged, settings.mode, accepted=accept_coverage)


@subset.command()
@_choices
@out_option()
@dry_run_option
@force_option
@click.option(
    "--max-bad-rows", type=click.IntRange(min=0), help="With --skip-bad-rows: stop if there are more broken rows."
)
def build(
    source: str,
    options: Mapping[str, object],
    out: Path,
    dry_run: bool,
    force: bool,
    max_bad_rows: int | None,
    accept_coverage: bool,
    as_json: bool,
    **choices: object,
) -> None:
    """Write a subset as a bundle: corpus, queries and judgments.

    A finished bundle of the same source and settings is left as it is.
    """
    from constraintsuite.vectors.draft import draft_subset  # noqa: PLC0415 - needs the extra [vectors]
    from constraintsuite.vectors.subset import build_subset, refuse_many_left_out, would_replace  # noqa: PLC0415

    corpus, settings = _read(source, options, choices)
    if max_bad_rows is not None and not corpus.skip_bad_rows:
        raise UserError(
            "--max-bad-rows needs --skip-bad-rows: without it, no broken row is left out. Add --skip-bad-rows."
        )
    if dry_run:
        draft = draft_subset(open_source(corpus), settings, corpus.skip_bad_rows, Terminal())
        record = {"documents": len(draft.selection.positions), "bytes": draft.bytes, **asdict(draft.coverage)}
        if draft.twins is not None:
            record["twins_left_out"] = len(draft.twins.left_out)
        replaced = would_replace(corpus, settings, out)
        lines = _dry_lines({**record, "kept": draft.coverage.kept}, out, replaced)
        emit({**record, "replaces": replaced}, as_json, lines)
        judged = draft.coverage.judged
        refuse_many_left_out(source, draft.bad.counts, max_bad_rows)
        refuse_poor(judged - draft.coverage.none, judged, settings.mode, accepted=accept_coverage)
        return
    artifact = build_subset(
        corpus,
        settings,
        out,
        Terminal(),
        accept_coverage=accept_coverage,
        max_bad_rows=max_bad_rows,
        force=force,
    )
    report = json.loads((artifact.path / "coverage.json").read_text(encoding="utf-8"))
    manifest = artifact.manifest
    record = {"bundle": shown(artifact.path), "content": manifest.content, "counts": manifest.counts, **report}
    emit(record, as_json, _built_lines(artifact, report))


def _read(
    source: str, options: Mapping[str, object], choices: Mapping[str, object]
) -> tuple[SourceSettings, SubsetSettings]:
    values = {_GIVEN.get(name, name): value for name, value in choices.items() if value is not None}
    values["allocation"] = _allocation(str(values["allocation"]))
    try:
        corpus = source_settings(source, options)
        if corpus.split and find_format(corpus) == "irds":  # of an id of ir_datasets, the split is the rest of the path
            corpus = source_settings(f"{source}/{corpus.split}", {**options, "split": None})
        return corpus, SubsetSettings.model_validate(values)
    except ValidationError as error:
        raise UserError(_wrong(error)) from None


def _wrong(error: ValidationError) -> str:
    fault = error.errors()[0]
    if not fault["loc"]:  # of several options together, in words of our own
        return fault["msg"].removeprefix("Value error, ") + "."
    name = str(fault["loc"][0])
    option = next((given for given, field in _GIVEN.items() if field == name), name).replace("_", "-")
    return f"--{option}: {fault['msg'].lower()}, got {fault['input']!r}."


def _allocation(text: str) -> str | dict[str, float]:
    if text in ("proportional", "equal"):
        return text
    shares = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise UserError(f"--allocation: {part!r} is not NAME=SHARE, as in short=0.3,long=0.7") from None
    return shares


def _plan_lines(made: SubsetPlan) -> Iterator[str]:
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
        yield "Note: no document was read; it is assumed that the source holds all positive documents"
    yield from (f"Note: {note}" for note in made.notes)
    if made.dedup == "exact_text":
        yield "Equal texts are counted here as often as the source has them; the subset will hold one of each."
    yield "\nA uniform sample would keep:\n   documents  queries   share"
    yield from (f"{row.size:>12,}  {row.kept:>7,.0f}  {percent(row.share):>7}" for row in made.by_size)


def _dry_lines(record: Mapping[str, object], out: Path, replaced: Sequence[str]) -> Iterator[str]:
    """What would be written."""
    named = {_DRY_NAMES.get(name, name.replace("_", " ")): value for name, value in record.items()}
    said = {name: f"{value:,}" if isinstance(value, int) else value for name, value in named.items()}
    yield f"Would write to {shown(out)}:"
    yield from (f"{name:>30}  {value}" for name, value in said.items())
    if replaced:
        yield f"It would replace what is there: {', '.join(replaced)}"


def _built_lines(artifact: Artifact, report: Mapping[str, Any]) -> Iterator[str]:
    """The lines printed after a subset was written: its folder, its counts, and how many judged queries it kept."""
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
            f"duplicates left out, among {counts['different_texts']:,} different texts; "
            f"judgments moved: {moved:,}, merged: {merged:,}"
        )
        listed[twins] = counts["twins_left_out"]
    for name, count in artifact.manifest.rejects.items():
        listed[f"{'row' if count == 1 else 'rows'} left out: {name}"] = count
    yield from count_lines(listed)
    yield from (f"Note: {note}" for note in report["notes"])
    yield "Next:   csuite embed " + shown(artifact.path) + " --model dense:all-MiniLM-L6-v2"
