"""`csuite text`: show what a text says about a term Y, and how often the analysers are right."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from constraintsuite.app.cli.options import analyser_option, json_option
from constraintsuite.app.cli.output import emit, print_json
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.records.figures import show
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.text import ANALYSERS
from constraintsuite.text.audit import AuditHalf, Report, Score, run_audit
from constraintsuite.text.choice import choose_analyser
from constraintsuite.text.condaqa import CondaReport, check_condaqa
from constraintsuite.text.explain import explain, explanation_lines

if TYPE_CHECKING:
    from constraintsuite.core.records.figures import CellValue
    from constraintsuite.text.base import Analyser
    from constraintsuite.text.explain import Explanation


@click.group()
def text() -> None:
    """Show what a text says about Y, and why."""


@text.command("explain")
@click.argument("passage", metavar="TEXT")
@click.option("--y", required=True, help="Term to look for in the text, such as 'swimming pool'.")
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
@click.option(
    "--half",
    type=click.Choice(["dev", "test", "all"]),
    default="all",
    show_default=True,
    help="Half of the sentences. The rules were developed on dev, so report test.",
)
@click.option("--condaqa", type=FILE, help="File of CondaQA, to also check against its annotated cues.")
@json_option
def audit_command(analyser: str, half: str, condaqa: Path | None, as_json: bool) -> None:
    """Compare verdicts with the hand-labelled sentences that come with the package. --json lists the wrong verdicts."""
    chosen = cast(AuditHalf, half)
    analysers = _analysers(analyser)
    reports = [run_audit(one, chosen) for one in analysers]
    checks = [check_condaqa(one, condaqa, chosen) for one in analysers] if condaqa else []
    if as_json:
        print_json([*reports, *checks])
        return
    click.echo(_audit_table(reports))
    if checks:
        click.echo(f"\n{_condaqa_table(checks)}")


def _analysers(name: str) -> list[Analyser]:
    names = ANALYSERS.names() if name == "both" else (choose_analyser(name),)
    return [ANALYSERS.load(one)() for one in names]


def _audit_table(reports: Sequence[Report]) -> Table:
    """One row per phenomenon, then rows for all of them together."""
    columns = [Column("phenomenon"), Column("n", "count")]
    for report in reports:
        columns += [Column(title, "share") for title in (f"{report.analyser}: right", "precision", "recall", "F1")]
    rows: list[tuple[CellValue, ...]] = [
        (first.name, first.accuracy.n, *(cell for one in reports for cell in _cells(one.phenomena[number])))
        for number, first in enumerate(reports[0].phenomena)
    ]
    bounds = [show(figure, "share").bounds for one in reports for figure in _figures(one.micro)]
    macro = [cell for one in reports for cell in (one.macro_accuracy, "", "", one.macro_f1)]
    affirmed = [cell for one in reports for cell in ("", one.micro.affirmed_precision.value, "", "")]
    rows += [
        ("all (micro)", reports[0].micro.accuracy.n, *(cell for one in reports for cell in _cells(one.micro))),
        ("  95 % interval", "", *bounds),
        ("mean of phenomena (macro)", "", *macro),
        ("precision of affirmed", "", *affirmed),
    ]
    title = f"Verdicts on hand-labelled mentions ({reports[0].half}); precision, recall and F1 of `negated`"
    return Table("text_audit", title, tuple(columns), tuple(rows))


def _figures(score: Score) -> tuple[CellValue, ...]:
    return score.accuracy, score.precision, score.recall, ""


def _cells(score: Score) -> tuple[float | None, ...]:
    return score.accuracy.value, score.precision.value, score.recall.value, score.f1


def _condaqa_table(checks: Sequence[CondaReport]) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (first.kind, *(check.kinds[number].found for check in checks)) for number, first in enumerate(checks[0].kinds)
    ]
    rows += [
        ("all", *(check.everything for check in checks)),
        ("all that can exclude a Y", *(check.in_scope for check in checks)),
        ("affirmative edits without the cue", *(check.edits_cleared for check in checks)),
    ]
    columns = (Column("kind of cue"), *(Column(check.analyser, "share") for check in checks))
    return Table("condaqa", f"Annotated cues of CondaQA that are found ({checks[0].half})", columns, tuple(rows))


def _as_dict(found: Explanation) -> dict[str, object]:
    content = asdict(found)
    analysis = content.pop("analysis")
    return {**content, "text": analysis["text"], "scopes": analysis["scopes"]}
