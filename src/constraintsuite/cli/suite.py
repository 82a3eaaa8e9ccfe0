"""`csuite suite`: show, stats, sample, verify, audit, export."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from constraintsuite.build.audit.audit import audit_examples
from constraintsuite.build.audit.balance import balance
from constraintsuite.build.audit.markdown import audit_markdown
from constraintsuite.build.audit.results import Audit
from constraintsuite.build.export import EXPORTERS
from constraintsuite.build.stages.viewing import read_examples
from constraintsuite.build.verification import verify_suite
from constraintsuite.errors import UserError
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import CONTROL_SLICES, Example
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import adapter, encode, read_jsonl

SHOWN_VALUES = 15
SHOWN_FAULTS = 50
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
    """Count main examples and, apart from them, controls: by slice, split, domain, relation, template, cue and edit."""
    Artifact.open(folder, "suite")
    parts = {
        "main": _tables(read_examples(folder), MAIN_TABLES),
        "controls": _tables(_read_controls(folder), CONTROL_TABLES),
    }
    if as_json:
        click.echo(json.dumps(parts, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(line for name, tables in parts.items() for line in _table_lines(name, tables)))


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
    examples = [*read_examples(folder), *_read_controls(folder)]
    wanted = [
        e
        for e in examples
        if (slice_name is None and e.suite not in CONTROL_SLICES)
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
    """Check hashes, then schema, ids, couples, splits, controls and every verdict; exit code 1 if something is wrong."""
    faults = verify_suite(folder)
    if as_json:
        click.echo(json.dumps({"suite": str(folder), "faults": faults}, indent=2, ensure_ascii=False))
    else:
        more = [f"and {len(faults) - SHOWN_FAULTS:,} more; --json lists all"] if len(faults) > SHOWN_FAULTS else []
        click.echo("\n".join([*faults[:SHOWN_FAULTS], *more]) if faults else f"{folder}: all checks passed.")
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
    if all(example.suite == "nevir" for example in examples):
        raise UserError(
            f"{folder}: there is nothing to audit. Each pair of NevIR wants one document for one query and the other for the "
            "other, so whatever ignores the query is right for exactly one of the two and wins no pair."
        )
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
    """Write a suite as BEIR, NevIR-like rows, CSV, or a Hugging Face dataset folder; controls apart from the rest."""
    Artifact.open(folder, "suite")
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: this folder is not empty. Choose another --out.")
    examples, controls = read_examples(folder), _read_controls(folder)
    EXPORTERS.load(kind)([*examples, *controls], out, (folder / "README.md").read_text(encoding="utf-8"))
    click.echo(f"{len(examples):,} examples and {len(controls):,} controls written to {out}")


def _read_controls(folder: Path) -> list[Example]:
    """The controls of a suite; an imported one has none."""
    file = folder / "controls.jsonl"
    return list(read_jsonl(file, Example)) if file.is_file() else []


def _made(example: Example) -> str:
    return example.edit.operator if example.edit else "natural"


def _control_kind(example: Example) -> str:
    return example.control.kind if example.control else "none"


_BOTH: Mapping[str, Callable[[Example], str]] = {
    "slice": lambda e: e.suite,
    "split": lambda e: e.split,
    "domain": lambda e: e.domain,
    "relation": lambda e: e.relation,
}
MAIN_TABLES: Mapping[str, Callable[[Example], str]] = {
    **_BOTH,
    "template": lambda e: e.query.template,
    "marker": lambda e: e.constraint.negation_marker,
    "made": _made,
    "difficulty": lambda e: e.tags.difficulty,
}
CONTROL_TABLES: Mapping[str, Callable[[Example], str]] = {**_BOTH, "kind": _control_kind}


def _tables(examples: Sequence[Example], keys: Mapping[str, Callable[[Example], str]]) -> dict[str, dict[str, int]]:
    counted = {name: Counter(map(key, examples)) for name, key in keys.items()}
    return {
        name: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))) for name, counts in counted.items()
    }


def _table_lines(title: str, tables: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield f"{title}: {sum(tables['slice'].values()):,}"
    for name, counts in tables.items():
        yield f"  {name}"
        shown = list(counts.items())[:SHOWN_VALUES]
        yield from (f"    {count:>6,}  {value}" for value, count in shown)
        if len(counts) > len(shown):
            yield f"            and {len(counts) - len(shown):,} more; --json lists all"


def _in_words(example: Example) -> str:
    lines = [
        f"{example.id}   [{example.relation}, {example.split}, {_made(example)}, {example.tags.difficulty}]",
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
