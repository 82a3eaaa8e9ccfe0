"""`csuite memory ablate` and `csuite memory hypotheses`: what the parts of a memory are worth, and which claims hold."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.arguments import cases_argument
from constraintsuite.cli.memory.forecasting import tell_forecast
from constraintsuite.cli.memory.resources import load_encoder, open_datasets, vector_cache
from constraintsuite.cli.options import (
    budgets_option,
    combine,
    dry_run_option,
    encoder_option,
    json_option,
    out_option,
    repeats_option,
)
from constraintsuite.cli.output import emit
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.cases.grounding import Grounded
    from constraintsuite.memory.runs.ablations import AblationResult
    from constraintsuite.memory.runs.hypotheses import HypothesisResult
    from constraintsuite.memory.runs.record import MemoryRun

_options = combine(
    cases_argument,
    budgets_option,
    encoder_option,
    repeats_option,
    out_option(Path("runs/memory-claims")),
    dry_run_option,
    json_option,
)


@click.command()
@_options
def ablate(
    cases: tuple[str, ...],
    budgets: tuple[int, ...],
    encoder: str | None,
    repeats: int,
    out: Path,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run CASES (without any, the bundled ones) with and without structure, weights, path expansion and dynamics.

    A part passes if at least one dataset shows a gain that is left after correction (Holm, 5 %); losses are told as well.
    """
    from constraintsuite.showing.memory.verdicts import ablations_of

    datasets = open_datasets(cases)
    if dry_run:
        tell_forecast(datasets, _modes(encoder), budgets, repeats, as_json)
        return
    found = ablations_of(_run(datasets, budgets, encoder, repeats, out))
    emit({"run": shown(out), "ablations": found}, as_json, "\n\n".join([*map(_effects, found), f"Run: {shown(out)}"]))


@click.command()
@_options
def hypotheses(
    cases: tuple[str, ...],
    budgets: tuple[int, ...],
    encoder: str | None,
    repeats: int,
    out: Path,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Judge the claims of the benchmark strategy on CASES (without any, the bundled ones).

    Each is supported, not supported or undecided, with the numbers behind it.
    """
    from constraintsuite.showing.memory.verdicts import claims_of

    datasets = open_datasets(cases)
    if dry_run:
        tell_forecast(datasets, _modes(encoder), budgets, repeats, as_json)
        return
    run = _run(datasets, budgets, encoder, repeats, out)
    judged = {budget: claims_of(run, budget) for budget in budgets}
    lines = ["\n\n".join(_told(claim, budget) for claim in claims) for budget, claims in judged.items()]
    emit({"run": shown(out), "claims": judged}, as_json, [*lines, f"\nRun: {shown(out)}"])


def _effects(found: AblationResult) -> str:
    """The verdict, then every pair of modes: the difference overall and by dataset, in points."""
    from constraintsuite.records.figures import show

    lines = [found.sentence]
    for finding in found.findings:
        lines.append(
            f"  {finding.pair.whole} less {finding.pair.reduced}, {found.metric} at {finding.budget}, in points"
        )
        for effect in (finding.overall, *finding.fixtures):
            figure = show(effect.test.difference, "points")
            p = show(effect.test.holm, "p").value
            lines.append(
                f"    {effect.group:<20} {figure.value:>6} [{figure.bounds}] {figure.n}, Holm p {p}: {effect.direction}"
            )
    return "\n".join(lines)


def _told(claim: HypothesisResult, budget: int) -> str:
    from constraintsuite.records.figures import say

    lines = [f"{claim.name}, budget {budget}: {claim.judgement.upper()}", f"  {claim.claim}"]
    for each in claim.evidence:
        p = f", p {say(each.p, 'p')}" if each.p is not None else ""
        lines.append(f"    {each.what}: {say(each.figure, each.kind)}{p}: {each.judgement}")
    return "\n".join([*lines, f"  {claim.sentence}"] if claim.sentence else lines)


def _modes(encoder: str | None) -> list[str]:
    """All that ablations and claims compare."""
    from constraintsuite.memory.runs.ablations import families, modes_of

    return modes_of(families(encoder=encoder is not None))


def _run(
    datasets: Sequence[Grounded], budgets: Sequence[int], encoder: str | None, repeats: int, out: Path
) -> MemoryRun:
    """One run with all modes that ablations and claims compare; made once for both."""
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.cases.run import CaseRun
    from constraintsuite.memory.runs.benchmarks import run_structured
    from constraintsuite.memory.runs.record import load_memory_run

    run = CaseRun(_modes(encoder), tuple(budgets), cache=vector_cache(), reporter=Terminal())
    return load_memory_run(run_structured(datasets, run, out, load_encoder(encoder), repeats=repeats).path)
