"""`csuite suite`: show, stats, sample, verify, audit, export."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from constraintsuite.build.audit.audit import audit_examples
from constraintsuite.build.audit.balance import balance
from constraintsuite.build.audit.markdown import audit_markdown
from constraintsuite.build.audit.results import Audit
from constraintsuite.build.export import EXPORTERS
from constraintsuite.build.stages.tagged import read_examples
from constraintsuite.build.verification import verify_suite
from constraintsuite.errors import UserError
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import MAIN_SLICES, Example
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import adapter, encode, read_jsonl

_folder = click.argument("folder", metavar="SUITE", type=click.Path(path_type=Path))
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def suite() -> None:
    """Look at a suite."""


@suite.command()
@_folder
@_json
def show(folder: Path, as_json: bool) -> None:
    """Say what a suite is: its card, or its manifest as JSON."""
    artifact = Artifact.open(folder, "suite")
    click.echo(
        artifact.manifest.model_dump_json(indent=2) if as_json else (folder / "README.md").read_text(encoding="utf-8")
    )


@suite.command()
@_folder
@_json
def stats(folder: Path, as_json: bool) -> None:
    """Count examples by slice, split, domain, relation, template, cue and edit."""
    Artifact.open(folder, "suite")
    examples = [*read_examples(folder), *read_jsonl(folder / "controls.jsonl", Example)]
    tables: dict[str, Counter[str]] = {
        "slice": Counter(e.suite for e in examples),
        "split": Counter(e.split for e in examples),
        "domain": Counter(e.domain for e in examples),
        "relation": Counter(e.relation for e in examples),
        "template": Counter(e.query.template for e in examples),
        "marker": Counter(e.constraint.negation_marker for e in examples),
        "made": Counter(e.edit.operator if e.edit else "natural" for e in examples),
        "difficulty": Counter(e.tags.difficulty for e in examples),
    }
    if as_json:
        click.echo(json.dumps({name: dict(counts.most_common()) for name, counts in tables.items()}, indent=2))
        return
    for name, counts in tables.items():
        click.echo(f"{name}")
        for value, count in counts.most_common(15):
            click.echo(f"  {count:>6,}  {value}")


@suite.command()
@_folder
@click.option("-n", "count", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--slice",
    "slice_name",
    type=click.Choice(["minpairs", "explicit", "omission", "nonflip", "adversarial"]),
    help="Only this slice.",
)
@click.option("--relation", help="Only this relation.")
@click.option("--seed", type=int, default=0, show_default=True)
@_json
def sample(folder: Path, count: int, slice_name: str | None, relation: str | None, seed: int, as_json: bool) -> None:
    """Print random examples, the same ones for the same seed."""
    Artifact.open(folder, "suite")
    examples = [*read_examples(folder), *read_jsonl(folder / "controls.jsonl", Example)]
    wanted = [
        e
        for e in examples
        if (slice_name is None and e.suite in MAIN_SLICES)
        or (slice_name is not None and e.suite.endswith(f"_{slice_name}"))
    ]
    wanted = [e for e in wanted if relation is None or e.relation == relation]
    if not wanted:
        raise UserError(f"{folder}: no such examples. See: csuite suite stats {folder}")
    chosen = sorted(wanted, key=lambda e: stable_hash("sample", str(seed), e.id))[:count]
    for example in chosen:
        click.echo(encode(example).decode() if as_json else _in_words(example))


@suite.command()
@_folder
@_json
def verify(folder: Path, as_json: bool) -> None:
    """Check hashes, schema, ids, couples, splits and every verdict; exit code 1 if something is wrong."""
    faults = verify_suite(folder)
    if as_json:
        click.echo(json.dumps({"suite": str(folder), "faults": faults}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(faults[:50]) if faults else f"{folder}: all checks passed.")
    if faults:
        raise click.exceptions.Exit(1)


@suite.command()
@_folder
@click.option("--seed", type=int, default=0, show_default=True)
@_json
def audit(folder: Path, seed: int, as_json: bool) -> None:
    """Say what can be won without understanding: length, cues, Y counts, BM25, a query-blind classifier."""
    Artifact.open(folder, "suite")
    examples = read_examples(folder)
    found = audit_examples(examples, seed=seed)
    if as_json:
        rows = balance(examples)
        click.echo(
            json.dumps(
                {"audit": json.loads(adapter(Audit).dump_json(found)), "balance": [asdict(row) for row in rows]},
                indent=2,
            )
        )
    else:
        click.echo(audit_markdown(found, balance(examples)))


@suite.command()
@_folder
@click.option("--to", "kind", required=True, type=click.Choice(EXPORTERS.names()), help="Format.")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to write.")
def export(folder: Path, kind: str, out: Path) -> None:
    """Write a suite as BEIR, NevIR-like rows, CSV, or a Hugging Face dataset folder."""
    Artifact.open(folder, "suite")
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: this folder is not empty. Choose another --out.")
    examples = read_examples(folder)
    EXPORTERS.load(kind)(examples, out, (folder / "README.md").read_text(encoding="utf-8"))
    click.echo(f"{len(examples):,} examples written to {out}")


def _in_words(example: Example) -> str:
    made = example.edit.operator if example.edit else "natural"
    lines = [
        f"{example.id}   [{example.relation}, {example.split}, {made}, {example.tags.difficulty}]",
        f"  without: {example.query.neg}",
        f"  with:    {example.query.base}",
        f"  obeys:   ({example.docs.pos.title}) {example.docs.pos.text}",
        f"  breaks:  ({example.docs.neg.title}) {example.docs.neg.text}",
    ]
    for one in example.evidence:
        text = example.docs.pos.text if one.document == "pos" else example.docs.neg.text
        cue = f" by {one.cue!r}" if one.cue else ""
        lines.append(f"    {one.document}: {text[one.start : one.end]!r} {one.verdict}{cue} ({one.rule})")
    return "\n".join(lines) + "\n"
