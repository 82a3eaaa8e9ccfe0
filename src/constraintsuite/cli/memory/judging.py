"""`csuite memory compare` and `csuite memory gate`: what differs, and whether a run may take the place of another."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.options import json_option
from constraintsuite.cli.output import emit, print_json
from constraintsuite.cli.places import FILE, FOLDER
from constraintsuite.errors import UserError
from constraintsuite.store.mirror import shown, with_urls

if TYPE_CHECKING:
    from constraintsuite.memory.public.summary import ModeDifference
    from constraintsuite.memory.runs.compare import ModeChange
    from constraintsuite.memory.runs.gate import MemoryGateResult, MemoryGateVerdict
    from constraintsuite.memory.runs.policy import MemoryPolicy
    from constraintsuite.memory.runs.record import MemoryRun


@click.command()
@click.argument("run", type=FOLDER)
@click.argument("second", required=False, type=FOLDER)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    show_default="the two that are shown first",
    help="Metric to compare; repeatable.",
)
@click.option(
    "--baseline", metavar="MODE", show_default="lexical_baseline", help="With one run: the mode to compare with."
)
@json_option
def compare(run: Path, second: Path | None, metrics: tuple[str, ...], baseline: str | None, as_json: bool) -> None:
    """Compare the modes of RUN with its baseline, or RUN with SECOND mode by mode, on the same questions."""
    from constraintsuite.memory.runs.compare import compare as compare_runs
    from constraintsuite.memory.runs.compare import compare_modes
    from constraintsuite.memory.runs.record import load_memory_run
    from constraintsuite.showing.memory.headlines import headlines
    from constraintsuite.showing.memory.tables import BASELINE, tests_table

    if second is not None and baseline is not None:
        raise UserError("--baseline is a mode of one run; two runs are compared mode by mode. Leave one of them out.")
    first = load_memory_run(run)
    wanted = metrics or tuple(dict.fromkeys(name for b in first.summary.budgets for name in headlines(first, b)[:2]))
    if second is None:
        against = baseline or BASELINE
        tests = compare_modes(first, wanted, baseline=against)
    else:
        against = "the first run"
        later = load_memory_run(second)
        tests = [_named(change) for change in compare_runs(first, later, wanted)]
        for path, alone in ((run, _only_in(first, later)), (second, _only_in(later, first))):
            if alone:
                click.echo(f"Only in {shown(path)}, and not compared: {', '.join(alone)}.", err=True)
    if as_json:
        print_json(tests)
    elif not tests:
        raise UserError(f"{run}: it has no other mode than {against}, so that there is nothing to compare.")
    else:
        click.echo(str(tests_table(first, tests, "tests", against)))


def _only_in(one: MemoryRun, other: MemoryRun) -> list[str]:
    """Modes of one run that the other does not have; another option makes another mode."""
    return [mode for mode in one.summary.modes if mode not in other.summary.modes]


@click.command()
@click.argument("run", type=FOLDER)
@click.option("--baseline", type=FOLDER, required=True, help="The run to compare with.")
@click.option(
    "--policy",
    type=FILE,
    show_default="evidence_hit and path_hit at most .02 lower, p95 at most 20 % up",
    help="YAML file of rules.",
)
@click.option("--waivers", type=FILE, help="YAML file of failures that may pass until a day, with reasons.")
@click.option(
    "--today", metavar="DATE", show_default="today", help="Day for which waivers are checked, such as 2026-03-01."
)
@json_option
def gate(
    run: Path, baseline: Path, policy: Path | None, waivers: Path | None, today: str | None, as_json: bool
) -> None:
    """Check RUN against a baseline on the same data: exit code 0 if it passes, 1 if not, 2 if the input is wrong."""
    from constraintsuite.memory.runs.gate import gate as judge
    from constraintsuite.memory.runs.policy import read_policy, read_waivers
    from constraintsuite.memory.runs.record import load_memory_run

    given = read_policy(policy) if policy else None  # before the runs, which take longer
    let_pass = read_waivers(waivers) if waivers else ()
    new, old = load_memory_run(run), load_memory_run(baseline)
    result = judge(new, old, given or _standard(old), let_pass, today=_day(today))
    named = replace(result, run=with_urls(result.run))
    emit(named, as_json, _told(named))
    if not result.passed:
        raise click.exceptions.Exit(1)


def _named(change: ModeChange) -> ModeDifference:
    """The test under the name of its mode."""
    return replace(change.contrast, mode=change.mode, budget=change.budget)


def _standard(baseline: MemoryRun) -> MemoryPolicy:
    """The rules of the strategy; of a public benchmark, which has no `evidence_hit`, its first two figures."""
    from constraintsuite.memory.runs.policy import MemoryPolicy, MemoryRule
    from constraintsuite.showing.memory.headlines import headlines, is_structured

    if is_structured(baseline):
        return MemoryPolicy()
    names = dict.fromkeys(name for budget in baseline.summary.budgets for name in headlines(baseline, budget)[:2])
    return MemoryPolicy(rules=tuple(MemoryRule(metric=name) for name in names))


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UserError(f"--today {text!r} is not a day such as 2026-03-01.") from None


def _told(result: MemoryGateResult) -> str:
    lines = [_line(verdict) for verdict in result.verdicts]
    failed = sum(not verdict.passed for verdict in result.verdicts)
    end = "passes" if result.passed else f"does not pass: {failed} of {len(result.verdicts)} rules fail"
    return "\n".join([*lines, *result.notes, f"{result.run} {end}."])


def _line(verdict: MemoryGateVerdict) -> str:
    mark = "waived" if verdict.waived else "passed" if verdict.passed else "FAILED"
    where = f"{verdict.mode} at {verdict.budget}, {verdict.rule}: {verdict.reason}"
    found = verdict.difference
    interval = f" [{found.low:+.3f} to {found.high:+.3f}, n={found.n}]" if found and found.low is not None else ""
    return f"{mark}  {where}{interval}" + (f"; waived: {verdict.waived}" if verdict.waived else "")
