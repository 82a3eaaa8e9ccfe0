"""`csuite memory private drift`: what a change did to the questions of a shadow set."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.judging import SHOWN
from constraintsuite.cli.memory.resources import load_encoder, named_modes
from constraintsuite.cli.options import budget_option, encoder_option, json_option, modes_option
from constraintsuite.cli.output import emit
from constraintsuite.cli.places import FILE, FOLDER

if TYPE_CHECKING:
    from constraintsuite.memory.private.drift import RankingDrift


@click.command()
@click.argument("shadow", type=FILE)
@click.argument("before", type=FOLDER)
@click.argument("after", type=FOLDER)
@modes_option("lexical_baseline")
@budget_option
@encoder_option
@json_option
def drift(
    shadow: Path, before: Path, after: Path, modes: tuple[str, ...], budget: int, encoder: str | None, as_json: bool
) -> None:
    """Replay the questions of SHADOW against BEFORE and AFTER: memory folders, or versions of a pilot."""
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.private.drift import open_side, read_shadow, replay

    cases = read_shadow(shadow)
    model = load_encoder(encoder)
    chosen = named_modes(modes, encoder=model is not None)
    found = replay(cases, open_side(before, model), open_side(after, model), chosen, budget, Terminal())
    emit(found, as_json, _drift_text(found, len(cases)))


def _drift_text(found: RankingDrift, cases: int) -> str:
    from constraintsuite.records.tables import Column, Table

    table = Table(
        "drift",
        f"{cases} questions before and after, at a budget of {found.budget}",
        (
            Column("mode"),
            Column("overlap", "share"),
            Column("RBO", "number"),
            Column("same first", "share"),
            Column("lost evidence", "count"),
            Column("gained evidence", "count"),
        ),
        tuple((m.mode, m.overlap, m.rbo, m.same_first, m.evidence_lost, m.evidence_gained) for m in found.modes),
    )
    lines = [str(table), "", f"{len(found.moved)} rankings moved."]
    for one in found.moved[:SHOWN]:
        changes = [f"+{name}" for name in one.gained[:3]] + [f"-{name}" for name in one.lost[:3]]
        lines.append(f"  {one.case}, {one.mode}: RBO {one.rbo:.2f} {' '.join(changes)}".rstrip())
    return "\n".join(lines)
