"""`csuite memory private`: init, freeze, sheet, import, agree, adjudicate, export, drift."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.annotation_output import (
    SHOWN,
    adjudicate_batch,
    agreement_record,
    agreement_text,
    ruling_options,
    take_sheet,
)
from constraintsuite.app.cli.memory.resources import load_encoder, named_modes
from constraintsuite.app.cli.options import (
    annotator_option,
    annotators_option,
    budget_option,
    by_option,
    encoder_option,
    json_option,
    modes_option,
    out_option,
    seed_option,
)
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE, FOLDER, HERE
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.private.acceptance import Criterion
    from constraintsuite.memory.private.drift import RankingDrift
    from constraintsuite.memory.private.labels import EvidenceAgreement
    from constraintsuite.suites.annotation.batch import AnnotationBatch


_pilot = click.argument("pilot", type=HERE)
_least = click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.85,
    show_default=True,
    help="Lower bound that the agreement must reach.",
)

_version = click.option(
    "--version", type=click.IntRange(min=1), show_default="the newest", help="Version of the pilot."
)


@click.group()
def private() -> None:
    """Make a benchmark from your own documents: choose, freeze, label blind, agree, export, watch for drift."""


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
@_pilot
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
@_pilot
@annotators_option(required=True)
@seed_option
@json_option
def sheet(pilot: Path, annotators: tuple[str, ...], seed: int, as_json: bool) -> None:
    """Write a blind sheet for each of two or more annotators, the documents with the ids of their units, and a guide."""
    from constraintsuite.memory.private.labels import GUIDE, READING, write_sheets
    from constraintsuite.suites.annotation.sheets import guide

    written = write_sheets(pilot, annotators, seed=seed)
    lines = [
        *(f"{file}: {tasks} tasks; {READING} and {GUIDE} beside it are what to read" for file, tasks in written.files),
        *(f"{name} has answered everything, and gets no sheet" for name in written.done),
        f"Give each person their own folder, and nothing else.\n\n{guide(written.batch)}",
        f"When a sheet is filled in: csuite memory private import {pilot} SHEET --annotator NAME",
    ]
    emit({"sheets": {str(file): tasks for file, tasks in written.files}, "done": written.done}, as_json, lines)


@private.command("import")
@_pilot
@click.argument("file", type=FILE)
@annotator_option
@_version
@json_option
def import_command(pilot: Path, file: Path, annotator: str, version: int | None, as_json: bool) -> None:
    """Import the answers of a sheet. If anything in it is wrong, list every fault and import nothing."""
    take_sheet(_batch_of(pilot, version), annotator, file, "csv", as_json)


@private.command()
@_pilot
@_least
@by_option
@_version
@json_option
def agree(pilot: Path, least: float, by: str, version: int | None, as_json: bool) -> None:
    """Measure how far annotators agree. Exit code 1 if the lower bound for evidence is below --least.

    --by groups cases by family or document.
    """
    from constraintsuite.memory.private.labels import evidence_agreement, judged_cases, pilot_batch
    from constraintsuite.memory.private.versions import require_version
    from constraintsuite.suites.annotation.agreement import agree as measure
    from constraintsuite.suites.annotation.agreement import attention
    from constraintsuite.suites.annotation.current_answers import current_answers

    measured = require_version(pilot, version)
    batch = pilot_batch(pilot, measured)
    if version is None:  # cases.csv is of the newest version; an older one is known by its batch alone
        judged_cases(pilot, measured, batch)
    said = current_answers(batch.store.events())
    evidence = evidence_agreement(batch, said, least)
    rows, people = measure(batch, said, by=by), attention(batch, said)
    record = {"evidence": evidence, "passed": evidence.passed, **agreement_record(rows, people)}
    emit(record, as_json, f"{agreement_text(rows, people)}\n\n{_evidence_text(evidence)}")
    if not evidence.passed:
        raise click.exceptions.Exit(1)


@private.command()
@_pilot
@_version
@ruling_options
def adjudicate(
    pilot: Path,
    version: int | None,
    by: str | None,
    sheet: Path | None,
    filled: Path | None,
    ruling: tuple[str, str, str] | None,
    reason: str | None,
    as_json: bool,
) -> None:
    """List what annotators disagree on, or rule on it as a third person, with a reason."""
    adjudicate_batch(_batch_of(pilot, version), by, sheet, filled, ruling, reason, as_json)


@private.command()
@_pilot
@out_option()
@_least
@click.option("--require", is_flag=True, help="Write nothing, and exit with 1, unless the set is accepted.")
@_version
@json_option
def export(pilot: Path, out: Path, least: float, require: bool, version: int | None, as_json: bool) -> None:
    """Write the approved cases as a benchmark, and show which acceptance criteria are met."""
    from constraintsuite.memory.private.acceptance import export as export_pilot

    found = export_pilot(pilot, out, least=least, require=require, number=version)
    refused = require and not found.accepted
    done = "nothing is written" if refused else f"written to {shown(out)}"
    lines = [
        f"{found.golden} golden cases, {found.shadow} shadow cases: {done}.",
        *(f"  left out: {count} ({reason})" for reason, count in found.left_out.items()),
        _criteria_text(found.criteria, found.accepted),
    ]
    emit({**asdict(found), "accepted": found.accepted, "written": not refused}, as_json, lines)
    if refused:
        raise click.exceptions.Exit(1)


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


def _batch_of(pilot: Path, version: int | None) -> AnnotationBatch:
    from constraintsuite.memory.private.labels import pilot_batch
    from constraintsuite.memory.private.versions import require_version

    return pilot_batch(pilot, require_version(pilot, version))


def _evidence_text(found: EvidenceAgreement) -> str:
    from constraintsuite.core.records.figures import say, show

    figures = {
        "mean Jaccard": show(found.jaccard, "number"),
        "mean F1": show(found.f1, "number"),
        "exactly the same": say(found.exact, "share"),
        "alpha (Jaccard)": show(found.alpha_jaccard, "number"),
        "alpha (MASI)": show(found.alpha_masi, "number"),
    }
    lines = ["Evidence", *(f"  {name:<17} {figure}" for name, figure in figures.items())]
    worst = [case for case in found.cases if case.jaccard < 1][:SHOWN]
    lines += [f"  {case.case}: Jaccard {case.jaccard:.2f}, F1 {case.f1:.2f}" for case in worst]
    verdict = "passed" if found.passed else "FAILED"
    rule = f"the lower bounds of mean Jaccard and of alpha (Jaccard) must both be {found.least:.2f} or more"
    return "\n".join([*lines, f"{verdict}  {rule}."])


def _criteria_text(criteria: tuple[Criterion, ...], accepted: bool) -> str:
    lines = [
        f"  {'met    ' if one.met else 'not met'}  {one.name}: {one.found} (wanted: {one.wanted}{'' if one.binding else '; advice'})"
        for one in criteria
    ]
    return "\n".join(
        [*lines, "accepted." if accepted else "not accepted: say so wherever figures of this set are shown."]
    )


def _drift_text(found: RankingDrift, cases: int) -> str:
    from constraintsuite.core.records.tables import Column, Table

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
