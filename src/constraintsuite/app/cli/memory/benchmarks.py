"""`csuite memory bench`, `ablate` and `hypotheses`: structured cases with all modes, at equal budgets."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import cases_argument
from constraintsuite.app.cli.memory.resources import (
    emit_forecast,
    load_encoder,
    named_modes,
    open_datasets,
    score_bench,
    vector_cache,
)
from constraintsuite.app.cli.options import (
    budgets_option,
    combine,
    dry_run_option,
    encoder_option,
    json_option,
    modes_option,
    out_option,
    page_option,
    repeats_option,
)
from constraintsuite.app.cli.output import emit
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.memory.cases.files import Grounded
    from constraintsuite.memory.runs.effects import AblationResult
    from constraintsuite.memory.runs.experiment import MemoryRun
    from constraintsuite.memory.runs.hypotheses import HypothesisResult


_claim_options = combine(
    cases_argument,
    budgets_option,
    encoder_option,
    repeats_option,
    out_option(Path("runs/memory-claims")),
    dry_run_option,
    json_option,
)


def finish_run(artifact: Artifact, page: Path | None, as_json: bool) -> None:
    """Print the results of a run, and write its page if asked."""
    from constraintsuite.app.views.display import ShowOptions, write_shown_report
    from constraintsuite.app.views.memory.verdicts import rewordings
    from constraintsuite.memory.runs.experiment import load_memory_run

    run = load_memory_run(artifact.path)
    written = write_shown_report([artifact.path], page, ShowOptions()) if page is not None else None
    place, page_place = shown(artifact.path), shown(written) if written else None
    record = {"run": place, "page": page_place, "summary": run.summary, "rewordings": rewordings(run)}
    where = f"Run: {place}" + (f"\nPage: {page_place}" if page_place else "")
    emit(record, as_json, "\n\n".join([*_run_parts(run), where]))


def _run_parts(run: MemoryRun) -> list[str]:
    from constraintsuite.app.views.memory.runs import baseline_tables, remarks_of, score_table, time_table
    from constraintsuite.app.views.memory.verdicts import rewording_tables
    from constraintsuite.core.records.formats.text import text_parts
    from constraintsuite.experiments.differences import LEGEND

    tests = baseline_tables(run)
    tables = [table for budget in run.summary.budgets for table in (score_table(run, budget), tests.get(budget))]
    tables += [*rewording_tables(run), time_table(run)]
    parts = [part for table in tables if table is not None for part in text_parts(table, stacked=True)]
    return [*parts, *([LEGEND] if tests else []), *remarks_of(run)]


def _forecast(
    datasets: Sequence[Grounded], modes: Sequence[str], budgets: Sequence[int], repeats: int
) -> dict[str, object]:
    """Count the cases, and the searches that a run would make."""
    from constraintsuite.memory.runs.replay import CONTROLS, MOST_CASES, WALKING

    cases = {data.dataset.dataset_id: len(data.dataset.cases) for data in datasets}
    wordings = sum(len(case.phrasings) for data in datasets for case in data.dataset.cases)
    walks = sum(min(count, MOST_CASES) for count in cases.values()) * sum(mode in WALKING for mode in modes)
    return {
        "cases": cases,
        "wordings": wordings,
        "modes": list(modes),
        "budgets": list(budgets),
        "searches": wordings * len(modes) * len(budgets),
        "repeats": repeats,
        "replayed": walks * len(budgets) * (2 + CONTROLS),
    }


@click.command()
@cases_argument
@modes_option()
@budgets_option
@encoder_option
@click.option("--lenient", is_flag=True, help="Skip faulty parts of a file where possible, and report them.")
@click.option("--now", metavar="TIME", show_default="2026-01-01", help="Time at which the first case is asked.")
@repeats_option
@out_option(otherwise="runs/memory-NAME")
@page_option
@dry_run_option
@json_option
def bench(  # noqa: PLR0913, PLR0917 - one parameter per option
    cases: tuple[str, ...],
    modes: tuple[str, ...],
    budgets: tuple[int, ...],
    encoder: str | None,
    lenient: bool,
    now: str | None,
    repeats: int,
    out: Path | None,
    page: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run CASES: benchmark files, or names of bundled ones. Without CASES, run all that are bundled.

    Each case asks for evidence, and may ask for a path, roles, contradictions, a trace and a state. It passes if most of its
    wordings pass. Whatever no mode can answer counts as not evaluated, never as passed.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.memory.cases.run import START, CaseRun
    from constraintsuite.memory.runs.benchmarks import BUNDLED, run_structured

    chosen = named_modes(modes, encoder=encoder is not None)
    datasets = open_datasets(cases, lenient=lenient)
    if dry_run:
        emit_forecast(_forecast(datasets, chosen, budgets, repeats), as_json)
        return
    run = CaseRun(chosen, budgets, now or START, cache=vector_cache(), bench=score_bench(), reporter=Terminal())
    name = datasets[0].dataset.dataset_id if len(datasets) == 1 else BUNDLED
    place = out or Path("runs") / f"memory-{name}"
    finish_run(run_structured(datasets, run, place, load_encoder(encoder), repeats=repeats), page, as_json)


def _claims_command(name: str, words: str, report: Callable[[MemoryRun], tuple[object, list[str]]]) -> click.Command:
    """Make a command that runs all modes of ablations and claims, and reports on the run; both commands share one run."""

    def command(
        cases: tuple[str, ...],
        budgets: tuple[int, ...],
        encoder: str | None,
        repeats: int,
        out: Path,
        dry_run: bool,
        as_json: bool,
    ) -> None:
        from constraintsuite.core.execution.progress import Terminal
        from constraintsuite.memory.cases.run import CaseRun
        from constraintsuite.memory.runs.benchmarks import run_structured
        from constraintsuite.memory.runs.effects import families, modes_of
        from constraintsuite.memory.runs.experiment import load_memory_run

        modes = modes_of(families(encoder=encoder is not None))
        datasets = open_datasets(cases)
        if dry_run:
            emit_forecast(_forecast(datasets, modes, budgets, repeats), as_json)
            return
        run = CaseRun(modes, budgets, cache=vector_cache(), reporter=Terminal())
        artifact = run_structured(datasets, run, out, load_encoder(encoder), repeats=repeats)
        found, lines = report(load_memory_run(artifact.path))
        emit({"run": shown(out), name: found}, as_json, "\n\n".join([*lines, f"Run: {shown(out)}"]))

    command.__doc__ = words
    return click.command()(_claim_options(command))


def _ablation_text(found: AblationResult) -> str:
    """Write the verdict, then for every pair of modes the difference overall and by dataset, in points."""
    from constraintsuite.core.records.figures import show

    lines = [found.sentence]
    for finding in found.findings:
        lines.append(
            f"  {finding.pair.whole} minus {finding.pair.reduced}, {found.metric} at {finding.budget}, in points"
        )
        for effect in (finding.overall, *finding.fixtures):
            figure = show(effect.test.difference, "points")
            p = show(effect.test.holm, "p").value
            lines.append(
                f"    {effect.group:<20} {figure.value:>6} [{figure.bounds}] {figure.n}, Holm p {p}: {effect.direction}"
            )
    return "\n".join(lines)


def _claim_text(claim: HypothesisResult, budget: int) -> str:
    from constraintsuite.core.records.figures import say

    lines = [f"{claim.name}, budget {budget}: {claim.judgement.upper()}", f"  {claim.claim}"]
    for each in claim.evidence:
        p = f", p {say(each.p, 'p')}" if each.p is not None else ""
        lines.append(f"    {each.what}: {say(each.figure, each.kind)}{p}: {each.judgement}")
    return "\n".join([*lines, f"  {claim.sentence}"] if claim.sentence else lines)


def _ablations(run: MemoryRun) -> tuple[object, list[str]]:
    from constraintsuite.app.views.memory.verdicts import ablations_of

    found = ablations_of(run)
    return found, [_ablation_text(each) for each in found]


def _hypotheses(run: MemoryRun) -> tuple[object, list[str]]:
    from constraintsuite.app.views.memory.verdicts import claims_of

    judged = {budget: claims_of(run, budget) for budget in run.summary.budgets}
    return judged, [_claim_text(claim, budget) for budget, claims in judged.items() for claim in claims]


ablate = _claims_command(
    "ablations",
    """Measure what structure, weights, path expansion and dynamics add: run CASES with and without each.

    Without CASES, run the bundled ones. A part passes if at least one dataset shows a gain that remains after correction (Holm,
    5 %). Losses are shown as well.
    """,
    _ablations,
)
hypotheses = _claims_command(
    "claims",
    """Test the claims of the benchmark strategy on CASES. Without CASES, use the bundled ones.

    Each claim is supported, not supported or undecided, and is shown with its numbers.
    """,
    _hypotheses,
)
