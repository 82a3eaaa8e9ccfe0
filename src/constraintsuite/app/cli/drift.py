"""`csuite drift`: measure what changes from checkpoint to checkpoint."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.options import (
    dry_run_option,
    independent_option,
    json_option,
    limit_option,
    memory_option,
    out_option,
    page_option,
    seed_option,
    sides_option,
    small_split_option,
    splits_option,
    valued_option,
)
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FOLDER
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.mechanism.drift.drift import DriftPlan
    from constraintsuite.mechanism.drift.records import CheckpointDrift


@click.command()
@click.argument("checkpoints", nargs=-1, required=True)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    required=True,
    type=FOLDER,
    help="Suite to evaluate the checkpoints on; repeatable.",
)
@out_option()
@splits_option
@small_split_option
@sides_option("query")
@independent_option
@limit_option("CONTRASTS", least=8, default=256)
@valued_option("--top", click.IntRange(min=1), 10, "Number of heads and MLPs in a circuit.")
@click.option("--options", default="", metavar="TEXT", help="Options for every model, such as device=cuda,threads=8.")
@seed_option
@memory_option
@page_option
@dry_run_option
@json_option
def drift(
    checkpoints: tuple[str, ...],
    suites: tuple[Path, ...],
    out: Path,
    options: str,
    page: Path | None,
    allow_small_split: bool,
    dry_run: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401 - an option for each of the settings
) -> None:
    """Measure what changes between CHECKPOINTS: folders of one model, in the order of training.

    It measures behaviour by slice, which sites matter, what they represent, and the weights. Each checkpoint is compared with the
    first one and with the one before. Behaviour is measured on all examples of the splits; --limit applies only to what is
    measured inside the model. The same command resumes interrupted work.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.records.examples import SPLITS
    from constraintsuite.mechanism.drift.checkpoints import name_checkpoints
    from constraintsuite.mechanism.drift.drift import DriftSettings, measure_drift, plan_drift
    from constraintsuite.suites.small_splits import refuse_small_splits

    named = name_checkpoints(checkpoints, options)
    for suite in suites if not allow_small_split else ():
        refuse_small_splits(suite, given["splits"])
    settings = DriftSettings(**{**given, "splits": given["splits"] or SPLITS})
    if dry_run:
        plan = plan_drift(named, suites, settings)
        emit({**asdict(plan), "forwards": plan.forwards}, as_json, _plan_lines(plan))
        return
    _print_result(measure_drift(named, suites, out, settings, Terminal()), page, as_json)


def _print_result(artifact: Artifact, page: Path | None, as_json: bool) -> None:
    from constraintsuite.app.views.display import ShowOptions, write_shown_report
    from constraintsuite.mechanism.drift.records import load_drift

    found = load_drift(artifact.path)
    written = write_shown_report([artifact.path], page, ShowOptions()) if page is not None else None
    record = {
        "drift": shown(artifact.path),
        "content": artifact.manifest.content,
        "results": shown(artifact.path / "drift.json"),
        "page": shown(written) if written else "",
    }
    emit(record, as_json, _lines(found, record))


def _lines(found: CheckpointDrift, record: Mapping[str, str]) -> Iterator[str]:
    yield "\n\n".join(_tables(found))
    yield f"\nAll results: {record['results']}"
    if record["page"]:
        yield f"Page: {record['page']}"


def _tables(found: CheckpointDrift) -> Iterator[str]:
    from constraintsuite.app.views.mechanism import drift_tables as tables
    from constraintsuite.app.views.mechanism.drift_sections import remarks_of
    from constraintsuite.core.records.formats.text import WIDTH, text_parts

    yield from text_parts(tables.checkpoint_table(found))
    for suite in found.suites:
        yield from text_parts(tables.matrix_table(found, suite))
    yield from text_parts(tables.importance_table(found, brief=True))
    yield from (fill(remark, WIDTH) for remark in remarks_of(found))


def _plan_lines(plan: DriftPlan) -> Iterator[str]:
    yield f"{len(plan.checkpoints)} checkpoints, {plan.contrasts:,} contrasts from {', '.join(plan.suites)}"
    parts = {name: getattr(plan, name) for name in ("behaviour", "attribution", "representation", "crossing")}
    yield from count_lines({**parts, "all forward passes of one row": plan.forwards})
    for reason, count in plan.rejects.items():
        yield f"  {count:,} left out: {reason}"
