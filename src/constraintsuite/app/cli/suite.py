"""`csuite suite`: count, sample, audit, judge and export a suite; and what `csuite show` prints about a suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import click

from constraintsuite.app.cli.options import json_option, out_option, seed_option
from constraintsuite.app.cli.output import count_lines, describe_example, emit
from constraintsuite.app.cli.places import HERE, FolderParameter
from constraintsuite.app.cli.show import FolderView
from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.statistics.ties import STRICT
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import encode
from constraintsuite.core.store.mirror import shown
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.experiments.load import has_pairs, load_run, load_suite, name_runs
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.pairs import group_examples
from constraintsuite.suites.annotation.batch import open_batch
from constraintsuite.suites.annotation.gold_figures import gold_figures
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.balance import balance
from constraintsuite.suites.audit.markdown import audit_markdown
from constraintsuite.suites.audit.overlaps import read_texts
from constraintsuite.suites.criteria.criteria import guide_criteria
from constraintsuite.suites.criteria.records import GuideCriterion
from constraintsuite.suites.export import EXPORTERS

SHOWN_VALUES = 15
CONTROL_TABLES = ("slice", "split", "domain", "relation", "control")
_COLLECTION = ("documents", "queries", "qrels", "violations")
_folder = click.argument("folder", metavar="SUITE", type=FolderParameter())


@click.group()
def suite() -> None:
    """Count, sample, audit and export the examples of a suite, and measure the criteria of the guide."""


def view_suite(folder: Path, part: str | None) -> FolderView:
    """The card of a suite with its manifest as the record, or one example by its id."""
    manifest = Artifact.open(folder, "suite").manifest
    if part is None:
        return FolderView(manifest, [(folder / "README.md").read_text(encoding="utf-8")])
    examples = {example.id: example for example in load_suite(folder).all_examples}
    if part not in examples:
        raise UserError(f"{folder}: no example has the id {part!r}. {hint_for(part, sorted(examples))}")
    return FolderView(json.loads(encode(examples[part])), [describe_example(examples[part])])


@suite.command()
@_folder
@json_option
def stats(folder: Path, as_json: bool) -> None:
    """Count examples by slice, split, domain, relation, template, cue and edit; controls are counted separately."""
    artifact = Artifact.open(folder, "suite")
    counts = artifact.manifest.counts
    parts = _pair_tables(folder) if has_pairs(counts) else {}
    collection = {name: counts[name] for name in _COLLECTION if name in counts}
    lines = [line for name, tables in parts.items() for line in _table_lines(name, tables)]
    if collection:
        lines += ["collection", *count_lines(collection)]
    if not parts:
        lines.append(
            f"There are no pairs to count. Search the collection: csuite retrieve-eval {shown(folder)} --retriever bm25"
        )
    emit({**parts, **({"collection": collection} if collection else {})}, as_json, lines)


@suite.command()
@_folder
@click.option("-n", "count", type=click.IntRange(min=1), default=5, show_default=True, help="Examples to print.")
@click.option("--slice", "slice_name", help="Only this slice.")
@seed_option
@json_option
def sample(folder: Path, count: int, slice_name: str | None, seed: int, as_json: bool) -> None:
    """Print random examples, the same ones for the same seed. With --json, each is one line of JSON."""
    everything = load_suite(folder).all_examples
    slices = sorted({e.slice for e in everything})
    if slice_name is not None and slice_name not in slices:
        raise UserError(f"{folder}: no slice named {slice_name!r}. There are: {', '.join(slices)}.")
    wanted = [e for e in everything if (e.control is None if slice_name is None else e.slice == slice_name)]
    chosen = sorted(wanted, key=lambda e: stable_hash("sample", str(seed), e.id))[:count]
    for example in chosen:
        click.echo(encode(example).decode() if as_json else describe_example(example))


@suite.command()
@_folder
@click.option(
    "--against",
    "others",
    metavar="FOLDER|FILE",
    multiple=True,
    help="Suite or corpus that a system may have learnt from; texts of the suite are searched for there; repeatable.",
)
@seed_option
@json_option
def audit(folder: Path, others: tuple[str, ...], seed: int, as_json: bool) -> None:
    """Measure what can be won without understanding.

    It tries length, words, BM25, classifiers that see the documents or the queries alone, and the shortcuts that the type of a
    constraint leaves open. It looks for texts that occur in train, and in what --against names. The last line says whether to
    trust the suite.
    """
    examples = load_suite(folder).examples
    found = audit_examples(examples, seed=seed, elsewhere={place: read_texts(place) for place in others})
    rows = balance(examples)
    emit({"audit": found, "balance": rows}, as_json, audit_markdown(found, rows).rstrip())


@suite.command()
@_folder
@click.option(
    "--run", "runs", metavar="RUN", type=FolderParameter(), multiple=True, help="Run on the suite; repeatable."
)
@click.option("--gold", metavar="BATCH", type=HERE, help="Batch of `csuite gold sample` that people have judged.")
@seed_option
@json_option
def criteria(folder: Path, runs: tuple[Path, ...], gold: Path | None, seed: int, as_json: bool) -> None:
    """Measure the success criteria of the guide.

    The card of a suite has what a build can know. Agreement and validity need a gold batch, and accuracy, score gaps, slices and
    failure cases need runs.
    """
    loaded = load_suite(folder)
    batch = open_batch(gold) if gold else None
    if batch is not None and batch.head.source != f"{loaded.name} {loaded.content}":
        raise UserError(f"{gold}: this batch was drawn from another suite, or from an earlier state of it.")
    results = {
        name: rejudge(run, loaded, STRICT).results for name, run in name_runs([load_run(path) for path in runs]).items()
    }
    found = guide_criteria(
        loaded.examples,
        audit_examples(loaded.examples, seed=seed),
        balance(loaded.examples),
        suite=str(shown(folder)),
        gold=gold_figures(batch) if batch else None,
        runs=results,
    )
    emit({"criteria": found}, as_json, (line for one in found for line in _criterion_lines(one)))


@suite.command()
@_folder
@click.option("--format", "kind", required=True, type=click.Choice(EXPORTERS.names()), help="Format of the files.")
@out_option()
def export(folder: Path, kind: str, out: Path) -> None:
    """Write a suite as the guide's JSON, BEIR, NevIR-like rows, CSV, or a Hugging Face dataset; controls separately."""
    with new_folder(out) as new:
        everything = load_suite(folder).all_examples
        written = EXPORTERS.load(kind)(everything, new, (folder / "README.md").read_text(encoding="utf-8"))
    controls = sum(example.control is not None for example in written)
    click.echo(f"{len(written) - controls:,} examples and {controls:,} controls written to {shown(out)}")
    if len(written) < len(everything):
        click.echo(f"{len(everything) - len(written):,} were left out: {kind} cannot hold them.")


def _criterion_lines(one: GuideCriterion) -> Iterator[str]:
    yield f"{one.in_words:<16} {one.name} (target: {one.target})"
    if one.value:
        yield f"{'':<16} {one.value}"


def _pair_tables(folder: Path) -> dict[str, dict[str, dict[str, int]]]:
    """The number of examples, and separately of controls, in each group."""
    loaded = load_suite(folder)
    main = group_examples(loaded.examples, ())
    controls = {**group_examples(loaded.controls, ()), "control": group_examples((), loaded.controls)["control"]}
    return {
        "main": {name: _counts(parts) for name, parts in main.items() if name != "control"},
        "controls": {name: _counts(controls[name]) for name in CONTROL_TABLES},
    }


def _counts(parts: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Group sizes, the largest first."""
    counts = {name: len(members) for name, members in parts.items()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _table_lines(title: str, tables: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield f"{title}: {sum(tables['slice'].values()):,}"
    for name, counts in tables.items():
        if counts:
            yield f"  {name}"
        shown = dict(islice(counts.items(), SHOWN_VALUES))
        yield from count_lines(shown)
        if len(counts) > len(shown):
            yield f"           and {len(counts) - len(shown):,} more; --json lists all"
