"""`csuite subset`: draw a subset of a corpus, or say what it would keep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from constraintsuite.app.cli.corpus import field_option, source_options, source_settings
from constraintsuite.app.cli.options import combine, dry_run_option, force_option, json_option, out_option
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
from constraintsuite.vectors.settings import SubsetSettings

_RENAMED = {"queries": "n_queries"}  # --queries names the file of the source


@click.command()
@click.option("--source", required=True, help="File, folder, irds:ID, hf:OWNER/NAME or sample.")
@combine(*(field_option(_RENAMED.get(name, name), field) for name, field in SubsetSettings.model_fields.items()))
@click.option("--accept-coverage", is_flag=True, help="Continue even if most judged queries lose their positives.")
@out_option()
@dry_run_option
@click.option(
    "--population",
    type=click.IntRange(min=1),
    help="With --dry-run: number of documents in the source, if you know it; then none is read.",
)
@force_option
@click.option(
    "--max-bad-rows", type=click.IntRange(min=0), help="With --skip-bad-rows: stop if there are more broken rows."
)
@json_option
@source_options
def subset(  # noqa: PLR0913, PLR0917 - one parameter per option
    source: str,
    options: Mapping[str, object],
    accept_coverage: bool,
    out: Path,
    dry_run: bool,
    population: int | None,
    force: bool,
    max_bad_rows: int | None,
    as_json: bool,
    **settings: object,
) -> None:
    """Draw a subset of a corpus and write it as a bundle: documents, queries and judgments.

    With --dry-run, say how many judged queries it would keep, and how many uniform samples of other sizes would. Exit code
    2 if fewer than half of them keep a positive document, unless --accept-coverage. A finished bundle of the same source
    and settings is left as it is.
    """
    from constraintsuite.vectors import subset as subsets  # noqa: PLC0415 - needs the extra [vectors]

    corpus, chosen = _read(source, options, settings)
    if max_bad_rows is not None and not corpus.skip_bad_rows:
        raise UserError(
            "--max-bad-rows needs --skip-bad-rows: without it, no broken row is left out. Add --skip-bad-rows."
        )
    if population is not None and not dry_run:
        raise UserError("--population needs --dry-run: a subset is drawn from documents that are read. Add --dry-run.")
    if dry_run:
        plan = plan_subset(open_source(corpus), chosen, corpus.skip_bad_rows, population, Terminal())
        replaced = subsets.would_replace(corpus, chosen, out)
        emit({**plan.as_record(), "replaces": replaced}, as_json, _plan_lines(plan, out, replaced))
        subsets.refuse_many_left_out(source, plan.rejects, max_bad_rows)
        refuse_poor(plan.expected.kept, plan.judged, chosen.mode, accepted=accept_coverage)
        return
    artifact = subsets.build_subset(
        corpus,
        chosen,
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
    source: str, options: Mapping[str, object], given: Mapping[str, object]
) -> tuple[SourceSettings, SubsetSettings]:
    values = {
        name: value for name in SubsetSettings.model_fields if (value := given[_RENAMED.get(name, name)]) is not None
    }
    values["allocation"] = _allocation(str(values["allocation"]))
    try:
        corpus = source_settings(source, options)
        if corpus.split and find_format(corpus) == "irds":  # in ir_datasets, the split is the end of the id
            corpus = source_settings(f"{source}/{corpus.split}", {**options, "split": None})
        return corpus, SubsetSettings.model_validate(values)
    except ValidationError as error:
        raise UserError(_wrong(error)) from None


def _wrong(error: ValidationError) -> str:
    fault = error.errors()[0]
    if not fault["loc"]:  # a check of several options, with its own words
        return fault["msg"].removeprefix("Value error, ") + "."
    name = str(fault["loc"][0])
    option = _RENAMED.get(name, name).replace("_", "-")
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


def _plan_lines(plan: SubsetPlan, out: Path, replaced: Sequence[str]) -> Iterator[str]:
    """The lines printed by --dry-run."""
    if plan.warning:
        yield f"Warning: {plan.warning}"
    yield f"{plan.source}: {plan.population:,} documents, {plan.queries:,} queries selected, {plan.judged:,} of them judged"
    size = f", about {plan.bytes / 1e6:,.1f} MB of texts" if plan.bytes is not None else ""
    yield f"mode {plan.mode}: {plan.size:,} documents{size}; the queries have {plan.positives:,} positive documents"
    if plan.twins_left_out is not None:
        yield f"{plan.twins_left_out:,} documents with the text of another are left out"
    spread = f" ± {plan.expected.deviation:.0f}" if plan.expected.deviation else ""
    yield (
        f"judged queries that keep a positive: {plan.expected.kept:,.0f}{spread} of {plan.judged:,} "
        f"({percent(plan.expected.share)}); with all positives: {plan.expected.whole:,.0f}"
    )
    yield from (f"Note: {note}" for note in plan.notes)
    if replaced:
        yield f"In {shown(out)} it would replace: {', '.join(replaced)}"
    yield "\nA uniform sample would keep:\n   documents  queries   share"
    yield from (f"{row.size:>12,}  {row.kept:>7,.0f}  {percent(row.share):>7}" for row in plan.by_size)


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
