"""`csuite gate` passes or fails a run; `csuite baseline` stores runs to compare with."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.experiments import baseline_folder, open_experiments
from constraintsuite.app.cli.options import baseline_option, dry_run_option, json_option, store_option, suite_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE, FOLDER
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import shown, with_urls

if TYPE_CHECKING:
    from constraintsuite.core.statistics.ties import TieRule
    from constraintsuite.experiments.experiment import Experiment
    from constraintsuite.experiments.policy import Policy


@click.command()
@click.argument("run", required=False, type=FOLDER)
@baseline_option
@click.option(
    "--policy",
    type=FILE,
    help="YAML file of rules.  [default: watched figures may get worse by 2 points, times may rise by 20 %]",
)
@click.option(
    "--waivers", type=FILE, help="YAML file of waivers: failures that may pass until a date, each with a reason."
)
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Date on which waivers are checked, such as 2026-03-01.  [default: today]",
)
@suite_option
@store_option
@dry_run_option
@click.option("--example", is_flag=True, help="Print a policy to start from.")
@click.option("--junit", type=FILE, help="Also write the verdicts to this file as JUnit XML.")
@click.option("--markdown", is_flag=True, help="Print Markdown, for a CI summary or a comment.")
@click.option(
    "--annotations/--no-annotations",
    default=None,
    help="Also print GitHub annotations to stderr.  [default: when GITHUB_ACTIONS is set]",
)
@json_option
def gate(  # noqa: PLR0913, PLR0917 - one parameter per option
    run: Path | None,
    baseline: str | None,
    policy: Path | None,
    waivers: Path | None,
    today: datetime | None,
    suite: Path | None,
    store: Path | None,
    dry_run: bool,
    example: bool,
    junit: Path | None,
    markdown: bool,
    annotations: bool | None,
    as_json: bool,
) -> None:
    """Check RUN against a policy or a baseline, and pass or fail it.

    Exit code 0 if it passes; 1 if a rule fails or, unless the policy allows it, is inconclusive; 2 if something is wrong with the
    input. A rule is inconclusive if its limit is broken, but chance alone could explain that.

    --dry-run needs no RUN: it shows which differences the data of --suite, or of the run --baseline, can detect.
    """
    from constraintsuite.app.pages.comparison import gate_annotations, gate_junit, gate_markdown, gate_text
    from constraintsuite.core.statistics.ties import STRICT
    from constraintsuite.core.store.files import write_text
    from constraintsuite.experiments.gate import check_run, default_policy
    from constraintsuite.experiments.policy import Policy, Waivers, example_policy

    if example:
        click.echo(example_policy(), nl=False)
        return
    rules = Policy.read(policy) if policy else None  # before the runs, which take longer
    known = Waivers.read(waivers) if waivers else ()
    ties = rules.tie_rule if rules else STRICT
    if dry_run:
        _print_detectable(rules, suite, baseline, store, ties, as_json=as_json)
        return
    if run is None or (rules is None and baseline is None):
        raise UserError(
            "Give a RUN and a --baseline or a --policy; `csuite gate --example` prints a policy to start from."
        )
    (checked,) = open_experiments([run], suite, ties)
    against = _open_baseline(baseline, checked, suite, store, ties) if baseline else None
    day = (today or datetime.now(UTC)).date()
    result = check_run(rules or default_policy(against or checked), checked, against, known, today=day)
    if junit is not None:
        write_text(junit, gate_junit(result))
    if annotations if annotations is not None else os.environ.get("GITHUB_ACTIONS") == "true":
        click.echo("\n".join(gate_annotations(result)), err=True)
    emit(result, as_json, with_urls(gate_markdown(result) if markdown else gate_text(result)))
    if not result.passed:
        raise click.exceptions.Exit(1)


@click.group()
def baseline() -> None:
    """Store runs under names, for `csuite gate RUN --baseline NAME`."""


@baseline.command()
@click.argument("name")
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@suite_option
@store_option
def save(name: str, runs: tuple[Path, ...], suite: Path | None, store: Path | None) -> None:
    """Store a copy of RUNS as the baseline NAME. It replaces an earlier one on the same data."""
    from constraintsuite.core.statistics.ties import STRICT
    from constraintsuite.experiments.baselines import baseline_store, save_baseline

    opened = [one for run in runs for one in open_experiments([run], suite, STRICT)]
    places = {(run.kind, run.data, *sorted(run.inputs.items())) for run in opened}
    if len(places) < len(opened):
        raise UserError(
            "A baseline stores one run per kind and data set, but two of these match. Give only one of them."
        )
    for run in opened:
        click.echo(shown(save_baseline(baseline_store(store), name, run)))


@baseline.command("list")
@store_option
@json_option
def list_all(store: Path | None, as_json: bool) -> None:
    """List the baselines: name, system and folder of each stored run."""
    from constraintsuite.experiments.baselines import baseline_store, list_baselines

    found = list(list_baselines(baseline_store(store)))
    rows = [{"name": one.name, "kind": one.kind, "run": one.run, "path": shown(one.path)} for one in found]
    emit(rows, as_json, (f"{one.name}  {one.run}  {one.path.name}" for one in found))
    if not found and not as_json:
        click.echo("There is no baseline yet. Store one with `csuite baseline save main RUN`.", err=True)


@baseline.command()
@click.argument("name")
@store_option
def remove(name: str, store: Path | None) -> None:
    """Remove the baseline NAME."""
    from constraintsuite.experiments.baselines import baseline_store, remove_baseline

    count = remove_baseline(baseline_store(store), name)
    click.echo(f"{count} {'run' if count == 1 else 'runs'} removed.")


def _open_baseline(given: str, run: Experiment, suite: Path | None, store: Path | None, rule: TieRule) -> Experiment:
    from constraintsuite.experiments.load import suite_place

    folder = baseline_folder(given, run.kind, run.data, run.inputs, store)
    # The copy of a run does not know the place of its suite.
    (found,) = open_experiments([folder], suite or suite_place(folder) or suite_place(run.path), rule)
    return found


def _print_detectable(
    rules: Policy | None,
    suite: Path | None,
    baseline: str | None,
    store: Path | None,
    ties: TieRule,
    *,
    as_json: bool,
) -> None:
    """Print the smallest changes that the data of a suite, or of the baseline, can show."""
    from constraintsuite.app.pages.comparison import detection_text
    from constraintsuite.experiments.baselines import baseline_store, list_baselines
    from constraintsuite.experiments.gate import MAX_DROP, default_policy
    from constraintsuite.experiments.load import load_suite
    from constraintsuite.experiments.outcome_table import OutcomeTable
    from constraintsuite.experiments.pairs import HEADLINE, PairTable
    from constraintsuite.experiments.policy import Policy, PolicyRule, detect_rules

    table: OutcomeTable
    if suite is not None:
        loaded = load_suite(suite)
        table, total, data = PairTable("", loaded.examples, loaded.controls, ()), HEADLINE, loaded.name
    elif baseline is not None:
        kept = [one.path for one in list_baselines(baseline_store(store)) if one.name == baseline]
        (one,) = open_experiments([kept[0] if len(kept) == 1 else Path(baseline)], suite, ties)
        table, total, data = one.table, one.total, one.data
        rules = rules or default_policy(one)
    else:
        raise UserError("--dry-run shows what a suite can detect. Give --suite SUITE, or --baseline RUN.")
    policy = rules or Policy(rules=(PolicyRule(metric=table.headline_metric, max_drop=MAX_DROP),))
    found = detect_rules(policy, table, total)
    emit(found, as_json, detection_text(found, data))
