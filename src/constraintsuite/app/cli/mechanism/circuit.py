"""`csuite explain circuit`: find a circuit on one half of the contrasts, and test it on the other."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.options import (
    dry_run_option,
    json_option,
    limit_option,
    memory_option,
    seed_option,
    side_option,
    valued_option,
)
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FOLDER

if TYPE_CHECKING:
    from constraintsuite.mechanism.circuits.plan import CircuitPlan

_COUNT = click.IntRange(min=0)
_ABLATION = "Values of other sites: of the corrupt run (counterfactual), for another Y (resample), their mean, or zero."


@click.command()
@click.argument("folder", type=FOLDER)
@side_option
@valued_option("--ablation", click.Choice(["counterfactual", "resample", "mean", "zero"]), "counterfactual", _ABLATION)
@valued_option("--direction", click.Choice(["denoising", "noising"]), "denoising", "Which effects rank the sites.")
@valued_option("--method", click.Choice(["exact", "attribution"]), None, "How those effects were measured.")
@valued_option("--threshold", click.FloatRange(0, 1, min_open=True), 0.8, "Faithfulness that the circuit must reach.")
@valued_option("--size", click.IntRange(min=1), None, "Number of sites, instead of the fewest that reach --threshold.")
@valued_option("--chance", click.IntRange(min=20), 100, "Number of random circuits; p below .05 needs 20.")
@valued_option("--band", _COUNT, 20, "Number of random circuits at each point of the curve.")
@valued_option("--parts", click.IntRange(min=1), 50, "Number of sets that test completeness.")
@valued_option("--random-models", _COUNT, 20, "Number of untrained models; p below .05 needs 20.")
@valued_option("--random-contrasts", click.IntRange(min=2), 64, "Maximum number of contrasts per untrained model.")
@limit_option("CONTRASTS", least=2)
@valued_option("--name", click.STRING, None, "Name of the circuit's folder.", shown="side and ablation")
@seed_option
@memory_option
@dry_run_option
@json_option
def circuit(
    folder: Path,
    *,
    name: str | None,
    memory: int | None,
    dry_run: bool,
    as_json: bool,
    **given: object,  # one option per setting; the settings check them
) -> None:
    """Find the heads and MLPs that carry a behaviour, from the effects in FOLDER, which `csuite explain` wrote.

    It measures faithfulness over sizes, completeness and minimality, and compares with random circuits, untrained models and
    controls. All of this uses the held-out half of the contrasts, on which nothing was chosen. --limit applies to each half and
    each control. The same command resumes interrupted work.
    """
    from constraintsuite.app.views.mechanism.circuit_tables import circuit_tables, verdict_lines
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.records.formats.text import WIDTH, text_parts
    from constraintsuite.mechanism.circuits.records import CircuitSettings
    from constraintsuite.mechanism.circuits.search import find_circuit, plan_search

    settings = CircuitSettings.model_validate(given)
    if dry_run:
        plan, rate = plan_search(folder, settings, memory)
        emit({**asdict(plan), "forwards": plan.forwards, "passes_a_second": rate}, as_json, _cost_lines(plan, rate))
        return
    report = find_circuit(folder, settings, name=name, memory=memory, reporter=Terminal())
    tables = [part for table in circuit_tables(report) for part in text_parts(table)]
    verdicts = "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in verdict_lines(report))
    emit(report, as_json, "\n\n".join([*tables, verdicts]))


def _cost_lines(plan: CircuitPlan, rate: float) -> Iterator[str]:
    from constraintsuite.forecast.amounts import in_time

    least, most = plan.forwards
    small, large = plan.sizes
    yield f"{plan.sites} sites, {plan.contrasts:,} contrasts; forward passes of one row, about:"
    passes = {
        "curve of sizes, with random circuits": plan.curve,
        "random circuits to compare with": plan.chance,
        "controls": plan.controls,
        "untrained models": plan.untrained,
    }
    for size, members, total in zip(dict.fromkeys((small, large)), plan.members, (least, most), strict=False):
        sites = "1 site" if size == 1 else f"{size} sites"
        passes[f"completeness and members, if the circuit has {sites}"] = members
        passes[f"in all with {sites}, about {in_time(total / rate)} on this machine"] = total
    yield from count_lines(passes)
    yield f"A short trial made {rate:,.0f} passes per second here."
