"""`csuite subset`: forecast and build subsets of a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar, get_args

import click
from pydantic import ValidationError

from constraintsuite.cli.corpus import source_options, source_settings
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Terminal
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import describe
from constraintsuite.vectors.coverage import refuse_poor
from constraintsuite.vectors.plan import Plan, plan_subset
from constraintsuite.vectors.settings import Mode, SubsetSettings

T = TypeVar("T")
_FIELDS = SubsetSettings.model_fields
_DRY_NAMES = {
    "full": "queries with all positives",
    "partial": "with some",
    "none": "with none of them",
    "kept": "share that keeps a positive",
}
_GIVEN = {"n_queries": "queries"}  # --queries is the file


def _choices(command: Callable[..., T]) -> Callable[..., T]:
    """The options that decide a subset, shared by plan and build."""

    def option(name: str, field: str = "", **more: object) -> Callable[[Callable[..., T]], Callable[..., T]]:
        described = _FIELDS[field or name].description
        return click.option(f"--{name.replace('_', '-')}", name, help=described, **more)  # type: ignore[arg-type]

    for decorate in reversed(
        (
            click.option("--source", "source", required=True, help="File, folder, irds:ID, hf:OWNER/NAME or sample."),
            option("mode", type=click.Choice(get_args(Mode)), default="keep_positives", show_default=True),
            option("size", type=int),
            option("rate", type=float),
            option("n_queries", "queries", type=int),
            option("require", type=click.Choice(["judged", "any"]), default="judged", show_default=True),
            option("min_relevance", type=int, default=1, show_default=True),
            option("positives_of", type=click.Choice(["selected", "split"]), default="selected", show_default=True),
            option("run", type=click.Path(path_type=Path, dir_okay=False)),
            option("depth", type=int, default=100, show_default=True),
            option("strata", default="length", show_default=True),
            option("allocation", default="proportional", show_default=True),
            option("order", type=click.Choice(["positives_then_key", "source"]), default="positives_then_key"),
            option("dedup", type=click.Choice(["off", "exact_text"]), default="off", show_default=True),
            option("seed", default="42", show_default=True),
            option("namespace"),
            click.option(
                "--accept-coverage", is_flag=True, help="Go on although most judged queries lose their positives."
            ),
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
            source_options,
        )
    ):
        command = decorate(command)
    return command


@click.group()
def subset() -> None:
    """Take a part of a corpus and keep its judgments right."""


@subset.command()
@_choices
@click.option(
    "--population", type=click.IntRange(min=1), help="Documents of the source, where you know: none is read then."
)
def plan(
    source: str,
    options: Mapping[str, object],
    population: int | None,
    accept_coverage: bool,
    as_json: bool,
    **choices: object,
) -> None:
    """Say how many judged queries a subset would keep, before it is built.

    Exit code 2 if fewer than half of them would keep a positive document, unless --accept-coverage.
    """
    corpus, settings = _read(source, options, choices)
    made = plan_subset(open_source(corpus), settings, corpus.skip_bad_rows, population, Terminal())
    click.echo(json.dumps(made.as_record(), indent=2, ensure_ascii=False) if as_json else "\n".join(_plan_lines(made)))
    refuse_poor(made.expected.kept, made.judged, accepted=accept_coverage)


@subset.command()
@_choices
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder of the bundle.")
@click.option("--dry-run", is_flag=True, help="Choose, say what would be written, and write nothing.")
@click.option("--force", is_flag=True, help="Replace a bundle of other texts, with its vectors and truths.")
def build(
    source: str,
    options: Mapping[str, object],
    out: Path,
    dry_run: bool,
    force: bool,
    accept_coverage: bool,
    as_json: bool,
    **choices: object,
) -> None:
    """Write a subset as a bundle: corpus, queries and judgments.

    A finished bundle of the same source and settings is recognised and left as it is.
    """
    from constraintsuite.vectors.draft import draft_subset  # noqa: PLC0415 - needs the extra [vectors]
    from constraintsuite.vectors.subset import build_subset  # noqa: PLC0415

    corpus, settings = _read(source, options, choices)
    if dry_run:
        draft = draft_subset(open_source(corpus), settings, corpus.skip_bad_rows, Terminal())
        record = {"documents": len(draft.selection.positions), "bytes": draft.bytes, **asdict(draft.coverage)}
        if draft.twins is not None:
            record["twins_left_out"] = len(draft.twins.left_out)
        click.echo(json.dumps(record, indent=2) if as_json else _dry({**record, "kept": draft.coverage.kept}, out))
        judged = draft.coverage.queries - draft.coverage.unjudged
        refuse_poor(judged - draft.coverage.none, judged, accepted=accept_coverage)
        return
    artifact = build_subset(corpus, settings, out, Terminal(), accept_coverage=accept_coverage, force=force)
    click.echo(_as_json(artifact) if as_json else "\n".join(_built_lines(artifact)))


def _read(
    source: str, options: Mapping[str, object], choices: Mapping[str, object]
) -> tuple[SourceSettings, SubsetSettings]:
    split = options.get("split")
    if source.startswith("irds:") and split:  # of an id of ir_datasets, the split is the rest of the path
        source, options = f"{source}/{split}", {**options, "split": None}
    values = {_GIVEN.get(name, name): value for name, value in choices.items() if value is not None}
    values["allocation"] = _allocation(str(values["allocation"]))
    try:
        return source_settings(source, options), SubsetSettings.model_validate(values)
    except ValidationError as error:
        raise UserError(describe(error).removeprefix("the record: ")) from None


def _allocation(text: str) -> str | dict[str, float]:
    if "=" not in text:
        return text
    shares = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise UserError(f"--allocation: {part!r} is not NAME=SHARE, as in short=0.3,long=0.7") from None
    return shares


def _plan_lines(made: Plan) -> Iterator[str]:
    if made.warning:
        yield f"Warning: {made.warning}"
    yield f"{made.source}: {made.population:,} documents, {made.queries:,} queries selected, {made.judged:,} of them judged"
    yield f"mode {made.mode}: {made.size:,} documents; the queries have {made.positives:,} positive documents"
    spread = f" ± {made.expected.deviation:.0f}" if made.expected.deviation else ""
    yield (
        f"judged queries that keep a positive: {made.expected.kept:,.0f}{spread} of {made.judged:,} "
        f"({made.expected.share:.1%}); with all positives: {made.expected.whole:,.0f}"
    )
    if made.dedup == "exact_text":
        yield "Equal texts are counted here as they stand in the source; the subset will hold one of each."
    yield "\nA uniform sample would keep:\n   documents  queries   share"
    yield from (f"{row.size:>12,}  {row.kept:>7,.0f}  {row.share:>6.1%}" for row in made.by_size)


def _dry(record: Mapping[str, object], out: Path) -> str:
    named = {_DRY_NAMES.get(name, name.replace("_", " ")): value for name, value in record.items()}
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in named.items()}
    return "\n".join([f"Would write to {out}:", *(f"{name:>30}  {value}" for name, value in shown.items())])


def _built_lines(artifact: Artifact) -> Iterator[str]:
    report = json.loads((artifact.path / "coverage.json").read_text(encoding="utf-8"))
    counts, coverage = artifact.manifest.counts, report["coverage"]
    yield f"Bundle: {artifact.path}"
    yield f"{counts['documents']:>10,} of {counts['population']:,} documents"
    states = ("full", "all positives"), ("partial", "some"), ("none", "none of them")
    covered = ", ".join(f"{coverage[name]:,} with {words}" for name, words in states)
    yield f"{counts['queries']:>10,} queries: {covered}; {coverage['unjudged']:,} unjudged"
    yield f"{counts['judgments']:>10,} judgments"
    if "twins_left_out" in counts:
        left_out, moved, merged = (
            counts[name] for name in ("twins_left_out", "judgments_moved", "judgments_fallen_together")
        )
        yield (
            f"{left_out:>10,} left out whose text another document has, of {counts['different_texts']:,} different texts; "
            f"judgments moved: {moved:,}, fallen together: {merged:,}"
        )
    for name, count in artifact.manifest.rejects.items():
        yield f"{count:>10,} rows left out: {name}"
    yield from (f"Note: {note}" for note in report["notes"])
    yield "Next:   csuite embed " + str(artifact.path) + " --model dense:all-MiniLM-L6-v2"


def _as_json(artifact: Artifact) -> str:
    report = json.loads((artifact.path / "coverage.json").read_text(encoding="utf-8"))
    manifest = artifact.manifest
    record = {"bundle": str(artifact.path), "content": manifest.content, "counts": manifest.counts, **report}
    return json.dumps(record, indent=2, ensure_ascii=False)
