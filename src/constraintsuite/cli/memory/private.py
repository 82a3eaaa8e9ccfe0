"""`csuite memory private`: init, freeze, sheet, import, agree, adjudicate, export, drift."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.judging import (
    SHOWN,
    adjudicate_batch,
    agreement_json,
    agreement_text,
    file_type,
    json_option,
    ruling_options,
    take_sheet,
)
from constraintsuite.cli.memory.private_drift import drift
from constraintsuite.cli.places import HERE, OUT
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.annotate.batch import AnnotationBatch
    from constraintsuite.memory.private.acceptance import Criterion
    from constraintsuite.memory.private.labelling import EvidenceAgreement

_pilot = click.argument("pilot", type=HERE)
_least = click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.85,
    show_default=True,
    help="Lower bound that agreement must reach.",
)

_version = click.option("--version", type=click.IntRange(min=1), help="Of the pilot; the newest if not given.")


@click.group()
def private() -> None:
    """Make a benchmark of your own documents: choose, freeze, label blind, agree, export, watch for drift."""


@private.command()
@click.argument("documents", type=click.Path(path_type=Path, exists=True))
@click.option("--out", "pilot", required=True, type=HERE, help="Folder of the pilot, to create.")
@json_option
def init(documents: Path, pilot: Path, as_json: bool) -> None:
    """Look at all Markdown and text files below DOCUMENTS and write an inventory for people to choose from."""
    from constraintsuite.memory.private.cases import write_case_sheet
    from constraintsuite.memory.private.inventory import INVENTORY, write_inventory

    entries = write_inventory(documents, pilot)
    cases = write_case_sheet(pilot)
    doubtful = [entry for entry in entries if entry.doubts]
    if as_json:
        click.echo(
            json.dumps({"inventory": str(pilot / INVENTORY), "documents": len(entries), "doubtful": len(doubtful)})
        )
        return
    click.echo(
        f"{pilot / INVENTORY}: {len(entries)} documents. Fill in type, selected (yes) and why for those you choose."
    )
    click.echo(
        "\n".join(f"  {entry.document}: {entry.doubts}" for entry in doubtful[:SHOWN]) or "  none looks doubtful"
    )
    click.echo(f"{cases}: an empty sheet for cases.\nThen: csuite memory private freeze {pilot}")


@private.command()
@_pilot
@click.option(
    "--new-version", is_flag=True, help="Go on although documents changed: the old version stays, with its labels."
)
@json_option
def freeze(pilot: Path, new_version: bool, as_json: bool) -> None:
    """Keep the selected documents as they are, with hashes and ids; a document that changed since is named."""
    from constraintsuite.memory.private.inventory import quotas, read_inventory
    from constraintsuite.memory.private.versions import freeze as freeze_documents

    version = freeze_documents(pilot, new_version=new_version)
    counts = version.artifact.manifest.counts
    found = quotas([entry for entry in read_inventory(pilot) if entry.selected == "yes"])
    if as_json:
        entry = {"version": version.number, "folder": str(version.artifact.path), **counts}
        click.echo(json.dumps({**entry, "quotas": [one._asdict() for one in found]}, indent=2))
        return
    click.echo(
        f"{version.artifact.path}: version {version.number}, {counts['documents']} documents, {counts['units']} units."
    )
    for one in found:
        mark = "met    " if one.least <= one.chosen <= one.most else "not met"
        click.echo(f"  {mark}  {one.type}: {one.chosen}, a pilot of 30 wants {one.least} to {one.most}")


@private.command()
@_pilot
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    required=True,
    metavar="NAME",
    help="Twice or more: one blind sheet each.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def sheet(pilot: Path, annotators: tuple[str, ...], seed: int, as_json: bool) -> None:
    """Write a blind sheet for each annotator, the documents with the ids of their units, and a guide."""
    from constraintsuite.annotate.sheets import guide
    from constraintsuite.memory.private.labelling import GUIDE, READING, write_sheets

    written = write_sheets(pilot, annotators, seed=seed)
    if as_json:
        click.echo(
            json.dumps({"sheets": {str(file): tasks for file, tasks in written.files}, "done": list(written.done)})
        )
        return
    for file, tasks in written.files:
        click.echo(f"{file}: {tasks} tasks; {READING} and {GUIDE} beside it are what to read")
    for name in written.done:
        click.echo(f"{name} has answered everything, and gets no sheet")
    click.echo(f"Give each person their own folder, and nothing else.\n\n{guide(written.batch)}")
    click.echo(f"When a sheet is filled in: csuite memory private import {pilot} SHEET --annotator NAME")


@private.command("import")
@_pilot
@click.argument("file", type=file_type)
@click.option("--annotator", required=True, metavar="NAME", help="Whose sheet it is.")
@_version
@json_option
def import_command(pilot: Path, file: Path, annotator: str, version: int | None, as_json: bool) -> None:
    """Take the answers of a sheet; if anything in it is wrong, every fault is told and nothing is taken."""
    take_sheet(_batch_of(pilot, version), annotator, file, "csv", as_json)


@private.command()
@_pilot
@_least
@click.option("--by", default="", metavar="GROUPING", help="Also by group: family or document.")
@_version
@json_option
def agree(pilot: Path, least: float, by: str, version: int | None, as_json: bool) -> None:
    """Say how far annotators agree; exit code 1 if the lower bound for evidence is below --least."""
    from constraintsuite.annotate.agreeing import agree as measure
    from constraintsuite.annotate.agreeing import attention
    from constraintsuite.annotate.standing import standing
    from constraintsuite.memory.private.labelling import (
        EvidenceAgreement,
        evidence_agreement,
        judged_cases,
        pilot_batch,
    )
    from constraintsuite.memory.private.versions import require_version
    from constraintsuite.store.jsonl import adapter

    measured = require_version(pilot, version)
    batch = pilot_batch(pilot, measured)
    if version is None:  # cases.csv is of the newest version; an older one is known by its batch alone
        judged_cases(pilot, measured, batch)
    said = standing(batch.store.events())
    evidence = evidence_agreement(batch, said, least)
    rows, people = measure(batch, said, by=by), attention(batch, said)
    if as_json:
        found = {"evidence": adapter(EvidenceAgreement).dump_python(evidence, mode="json"), "passed": evidence.passed}
        click.echo(json.dumps({**found, **agreement_json(rows, people)}, indent=2, ensure_ascii=False))
    else:
        click.echo(f"{agreement_text(rows, people)}\n\n{_evidence_text(evidence)}")
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
    """List what annotators differ on, or rule on it as a third person, with a reason."""
    adjudicate_batch(_batch_of(pilot, version), by, sheet, filled, ruling, reason, as_json)


@private.command()
@_pilot
@click.option("--out", required=True, type=OUT, help="Folder to create.")
@_least
@click.option("--require", is_flag=True, help="Write nothing, and exit with 1, unless the set is accepted.")
@_version
@json_option
def export(pilot: Path, out: Path, least: float, require: bool, version: int | None, as_json: bool) -> None:
    """Write the approved cases as a benchmark, and say which criteria of acceptance are met."""
    from constraintsuite.memory.private.export import BenchmarkExport
    from constraintsuite.memory.private.export import export as export_pilot
    from constraintsuite.store.jsonl import adapter

    found = export_pilot(pilot, out, least=least, require=require, number=version)
    refused = require and not found.accepted
    if as_json:
        entry = adapter(BenchmarkExport).dump_python(found, mode="json")
        click.echo(
            json.dumps({**entry, "accepted": found.accepted, "written": not refused}, indent=2, ensure_ascii=False)
        )
    else:
        done = "nothing is written" if refused else f"written to {shown(out)}"
        click.echo(f"{found.golden} golden cases, {found.shadow} shadow cases: {done}.")
        for reason, count in found.left_out.items():
            click.echo(f"  left out: {count} ({reason})")
        click.echo(_criteria_text(found.criteria, found.accepted))
    if refused:
        raise click.exceptions.Exit(1)


private.add_command(drift)


def _batch_of(pilot: Path, version: int | None) -> AnnotationBatch:
    from constraintsuite.memory.private.labelling import pilot_batch
    from constraintsuite.memory.private.versions import require_version

    return pilot_batch(pilot, require_version(pilot, version))


def _evidence_text(found: EvidenceAgreement) -> str:
    from constraintsuite.records.figures import say, show

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
