"""`csuite text`: what a text says of Y, and how often the analysers are right."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from rich import box
from rich.console import Console
from rich.table import Table

from constraintsuite.cli.options import analyser_option, json_option
from constraintsuite.cli.output import emit, print_json
from constraintsuite.text import ANALYSERS
from constraintsuite.text.audit import AuditHalf, Report, run_audit
from constraintsuite.text.choice import choose_analyser
from constraintsuite.text.condaqa import CondaReport, check_condaqa
from constraintsuite.text.explain import explain, explanation_lines

if TYPE_CHECKING:
    from constraintsuite.records.scores import Interval
    from constraintsuite.text.base import Analyser
    from constraintsuite.text.explain import Explanation


@click.group()
def text() -> None:
    """Say what a text says of Y, and why."""


@text.command("explain")
@click.argument("passage", metavar="TEXT")
@click.option("--y", required=True, help="What the text may speak of, such as 'swimming pool'.")
@click.option(
    "--form", "forms", multiple=True, show_default="its singular and plural", help="Surface form of Y; repeatable."
)
@analyser_option(others=["both"])
@json_option
def explain_command(passage: str, y: str, forms: tuple[str, ...], analyser: str, as_json: bool) -> None:
    """Show each mention of Y in TEXT (- for standard input) with its verdict, cue, scope and rule."""
    content = sys.stdin.read() if passage == "-" else passage
    found = [explain(one, content, y, forms) for one in _analysers(analyser)]
    text = "\n\n".join("\n".join(explanation_lines(one)) for one in found)
    emit([_as_dict(one) for one in found], as_json, text)


@text.command("audit")
@analyser_option("both", others=["both"])
@click.option("--half", type=click.Choice(["dev", "test", "all"]), default="all", show_default=True,
              help="The rules were developed on dev; test is what to report.")  # fmt: skip
@click.option("--condaqa", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="A file of CondaQA, to check against its annotated cues too.")  # fmt: skip
@click.option("--errors", is_flag=True, help="List the wrong verdicts.")
@json_option
def audit_command(analyser: str, half: str, condaqa: Path | None, errors: bool, as_json: bool) -> None:
    """Compare verdicts with the hand-labelled sentences that come with the package."""
    chosen = cast(AuditHalf, half)
    analysers = _analysers(analyser)
    reports = [run_audit(one, chosen) for one in analysers]
    checks = [check_condaqa(one, condaqa, chosen) for one in analysers] if condaqa else []
    if as_json:
        print_json([*reports, *checks])
        return
    console = Console(width=None if Console().is_terminal else 140)
    console.print(_audit_table(reports))
    if errors:
        for report in reports:
            click.echo("\n".join(_error_lines(report)))
    if checks:
        console.print(_condaqa_table(checks))


def _analysers(name: str) -> list[Analyser]:
    names = ANALYSERS.names() if name == "both" else (choose_analyser(name),)
    return [ANALYSERS.load(one)() for one in names]


def _audit_table(reports: Sequence[Report]) -> Table:
    title = f"Verdicts on hand-labelled mentions ({reports[0].half}), %; precision, recall and F1 of `negated`"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("phenomenon")
    table.add_column("n", justify="right")
    for report in reports:
        for heading in (f"{report.analyser}: right", "precision", "recall", "F1"):
            table.add_column(heading, justify="right")
    for number, score in enumerate(reports[0].phenomena):
        cells = [score.name, str(score.accuracy.n)]
        for report in reports:
            own = report.phenomena[number]
            cells += [
                _percent(own.accuracy.value),
                _percent(own.precision.value),
                _percent(own.recall.value),
                _percent(own.f1),
            ]
        table.add_row(*cells)
    table.add_section()
    table.add_row("all (micro)", str(reports[0].micro.accuracy.n), *_micro_cells(reports))
    bounds = [
        cell
        for one in reports
        for cell in (_bounds(one.micro.accuracy), _bounds(one.micro.precision), _bounds(one.micro.recall), "")
    ]
    table.add_row("  95 % interval", "", *bounds)
    macro = [cell for one in reports for cell in (_percent(one.macro_accuracy), "", "", _percent(one.macro_f1))]
    table.add_row("mean of phenomena (macro)", "", *macro)
    affirmed = [cell for one in reports for cell in ("", str(_percent(one.micro.affirmed_precision.value)), "", "")]
    table.add_row("called affirmed, and is", "", *affirmed)
    return table


def _micro_cells(reports: Sequence[Report]) -> list[str]:
    cells = []
    for one in reports:
        micro = one.micro
        cells += [
            _percent(micro.accuracy.value),
            _percent(micro.precision.value),
            _percent(micro.recall.value),
            _percent(micro.f1),
        ]
    return cells


def _condaqa_table(checks: Sequence[CondaReport]) -> Table:
    table = Table(title=f"Annotated cues of CondaQA that are found ({checks[0].half}), %", title_justify="left",
                  box=box.SIMPLE_HEAD, pad_edge=False)  # fmt: skip
    table.add_column("kind of cue")
    for check in checks:
        table.add_column(check.analyser, justify="right")
    kinds = [recall.kind for recall in checks[0].kinds]
    for number, kind in enumerate(kinds):
        table.add_row(kind, *(_share(check.kinds[number].found) for check in checks))
    table.add_section()
    table.add_row("all", *(_share(check.everything) for check in checks))
    table.add_row("all that can exclude a Y", *(_share(check.in_scope) for check in checks))
    table.add_row("affirmative edits without the cue", *(_share(check.edits_cleared) for check in checks))
    return table


def _error_lines(report: Report) -> list[str]:
    lines = [f"\n{report.analyser}: {len(report.errors)} wrong"]
    for answer in report.errors:
        found = f"{answer.verdict} by {answer.found.rule}" if answer.found else "no mention"
        lines.append(
            f"  {answer.sentence.id}: {answer.sentence.y!r} is {answer.expected or 'not mentioned'}, found {found}"
        )
        lines.append(f"    {answer.sentence.text}")
    return lines


def _as_dict(found: Explanation) -> dict[str, object]:
    content = asdict(found)
    analysis = content.pop("analysis")
    return {**content, "text": analysis["text"], "scopes": analysis["scopes"]}


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _bounds(interval: Interval) -> str:
    return (
        "–" if interval.low is None or interval.high is None else f"{100 * interval.low:.1f}-{100 * interval.high:.1f}"
    )


def _share(interval: Interval) -> str:
    return f"{_percent(interval.value)} ({_bounds(interval)}), n {interval.n}"
