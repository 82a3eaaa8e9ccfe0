"""`csuite memory private`: init, freeze, drift. People judge the cases with `csuite gold`."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.annotation_output import SHOWN
from constraintsuite.app.cli.memory.resources import load_encoder, named_modes
from constraintsuite.app.cli.options import budget_option, encoder_option, json_option, modes_option, out_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE, FOLDER, HERE

if TYPE_CHECKING:
    from constraintsuite.memory.private.drift import RankingDrift


@click.group()
def private() -> None:
    """Make a benchmark from your own documents: select, freeze, watch for drift. `csuite gold` lets people label it."""


@private.command()
@click.argument("documents", type=click.Path(path_type=Path, exists=True))
@out_option(folder=HERE)
@json_option
def init(documents: Path, out: Path, as_json: bool) -> None:
    """Create a pilot: an inventory of all Markdown and text files below DOCUMENTS, for people to choose from."""
    from constraintsuite.memory.private.cases import write_case_sheet
    from constraintsuite.memory.private.inventory import INVENTORY, write_inventory

    entries = write_inventory(documents, out)
    cases = write_case_sheet(out)
    doubtful = [entry for entry in entries if entry.doubts]
    doubts = [f"  {entry.document}: {entry.doubts}" for entry in doubtful[:SHOWN]] or ["  none looks doubtful"]
    lines = [
        f"{out / INVENTORY}: {len(entries)} documents. Fill in type, selected (yes) and why for those you choose.",
        *doubts,
        f"{cases}: an empty sheet for cases.\nThen: csuite memory private freeze {out}",
    ]
    emit({"inventory": out / INVENTORY, "documents": len(entries), "doubtful": len(doubtful)}, as_json, lines)


@private.command()
@click.argument("pilot", type=HERE)
@click.option(
    "--new-version", is_flag=True, help="Continue even if documents changed; the old version stays, with its labels."
)
@json_option
def freeze(pilot: Path, new_version: bool, as_json: bool) -> None:
    """Freeze the selected documents, with hashes and ids. Documents that changed since are listed."""
    from constraintsuite.memory.private.inventory import quotas, read_inventory
    from constraintsuite.memory.private.versions import freeze as freeze_documents

    version = freeze_documents(pilot, new_version=new_version)
    counts = version.artifact.manifest.counts
    found = quotas([entry for entry in read_inventory(pilot) if entry.selected == "yes"])
    path = version.artifact.path
    lines = [f"{path}: version {version.number}, {counts['documents']} documents, {counts['units']} units."]
    for one in found:
        mark = "met    " if one.least <= one.chosen <= one.most else "not met"
        lines.append(f"  {mark}  {one.type}: {one.chosen}, a pilot of 30 needs {one.least} to {one.most}")
    record = {"version": version.number, "folder": path, **counts, "quotas": [one._asdict() for one in found]}
    emit(record, as_json, lines)


@private.command()
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
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.memory.private.drift import open_side, read_shadow, replay

    cases = read_shadow(shadow)
    model = load_encoder(encoder)
    chosen = named_modes(modes, encoder=model is not None)
    found = replay(cases, open_side(before, model), open_side(after, model), chosen, budget, Terminal())
    emit(found, as_json, _drift_text(found, len(cases)))


def _drift_text(found: RankingDrift, cases: int) -> str:
    from constraintsuite.core.records.tables import ItemColumns, tabulate
    from constraintsuite.memory.private.drift import ModeDrift

    columns: ItemColumns[ModeDrift] = {
        "mode": ("text", lambda mode: mode.mode),
        "overlap": ("share", lambda mode: mode.overlap),
        "RBO": ("number", lambda mode: mode.rbo),
        "same first": ("share", lambda mode: mode.same_first),
        "lost evidence": ("count", lambda mode: mode.evidence_lost),
        "gained evidence": ("count", lambda mode: mode.evidence_gained),
    }
    caption = f"{cases} questions before and after, at a budget of {found.budget}"
    lines = [str(tabulate("drift", caption, found.modes, columns)), "", f"{len(found.moved)} rankings moved."]
    for one in found.moved[:SHOWN]:
        changes = [f"+{name}" for name in one.gained[:3]] + [f"-{name}" for name in one.lost[:3]]
        lines.append(f"  {one.case}, {one.mode}: RBO {one.rbo:.2f} {' '.join(changes)}".rstrip())
    return "\n".join(lines)
