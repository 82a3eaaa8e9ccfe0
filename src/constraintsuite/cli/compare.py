"""`csuite compare` and `csuite gate`: what differs between runs, and whether a run may pass."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.options import tie_options
from constraintsuite.cli.places import FOLDER
from constraintsuite.cli.runs import finished_runs
from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.experiments.load import Suite
    from constraintsuite.metrics.ties import TieRule

_file = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--metric", "metrics", multiple=True, default=("accuracy",), show_default=True, help="Repeatable.")
@click.option("--by", metavar="GROUPING", help="Also by group: slice, relation, cue, document_cue, notes.KEY, ...")
@click.option(
    "--changed", type=click.IntRange(min=0), default=0, show_default=True, help="Show so many changed examples."
)
@tie_options
@click.option("--suite", type=FOLDER, help="The suite, if it is no longer where it was.")
@click.option("--out", type=_file, help="Write it to a file as well: .json or .md.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    runs: tuple[Path, ...],
    metrics: tuple[str, ...],
    by: str | None,
    changed: int,
    rule: TieRule,
    suite: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare RUNS of the same suite, every pair of them: paired differences, intervals and tests."""
    from constraintsuite.experiments.alignment import name_runs
    from constraintsuite.experiments.compare import Comparison, compare_runs
    from constraintsuite.experiments.load import load_run
    from constraintsuite.metrics.pairwise import parse_metric
    from constraintsuite.reports.comparison import comparison_markdown, comparison_text
    from constraintsuite.store.files import write_text
    from constraintsuite.store.jsonl import adapter

    runs = finished_runs(runs)
    if len(runs) < 2:
        raise UserError("A comparison needs two finished runs or more.")
    if out is not None and out.suffix not in (".json", ".md"):
        raise UserError(f"{out}: a comparison is written as .json or .md.")
    wanted = [parse_metric(name) for name in dict.fromkeys(metrics)]
    named = name_runs([load_run(run) for run in runs])
    of = _load_suite(suite, runs[0])
    found = compare_runs(of, named, wanted, by=by, rule=rule, changed=changed)
    as_text = adapter(Comparison).dump_json(found, indent=2).decode()
    if out is not None:
        write_text(out, (as_text if out.suffix == ".json" else comparison_markdown(found)) + "\n")
    click.echo(as_text if as_json else comparison_text(found))


@click.command()
@click.argument("run", required=False, type=FOLDER)
@click.option("--policy", type=_file, help="YAML file of rules.")
@click.option("--baseline", type=FOLDER, help="The run to compare with.")
@click.option("--suite", type=FOLDER, help="The suite, if it is no longer where it was.")
@click.option("--example", is_flag=True, help="Print a policy to start from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def gate(
    run: Path | None, policy: Path | None, baseline: Path | None, suite: Path | None, example: bool, as_json: bool
) -> None:
    """Check RUN against a policy: exit code 0 if it passes, 1 if a rule fails, 2 if something is wrong with the input."""
    from constraintsuite.experiments.gate import GateResult, check_run
    from constraintsuite.experiments.load import load_run
    from constraintsuite.experiments.policy import Policy, example_policy
    from constraintsuite.store.jsonl import adapter

    if example:
        click.echo(example_policy(), nl=False)
        return
    if run is None or policy is None:
        raise UserError("Give a RUN and a --policy; `csuite gate --example` prints a policy to start from.")
    rules = Policy.read(policy)
    checked, against = load_run(run), load_run(baseline) if baseline else None
    of = _load_suite(suite, run) if suite or rules.needs_suite else None
    result = check_run(rules, checked, of, against)
    if as_json:
        click.echo(adapter(GateResult).dump_json(result, indent=2).decode())
    else:
        for verdict in result.verdicts:
            click.echo(f"{'passed' if verdict.passed else 'FAILED'}  {verdict.rule}: {verdict.reason}")
        click.echo(f"{result.model} {'passes' if result.passed else 'does not pass'}.")
    if not result.passed:
        raise click.exceptions.Exit(1)


def _load_suite(place: Path | None, run: Path) -> Suite:
    """The suite that was named, or that of a run."""
    from constraintsuite.experiments.load import find_suite, load_suite

    return load_suite(place or find_suite(run))
