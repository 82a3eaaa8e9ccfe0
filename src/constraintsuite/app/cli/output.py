"""What commands print: text for people, or one JSON document with `--json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import click

from constraintsuite.app.pages.marks import describe_evidence
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.records.examples import Example
    from constraintsuite.core.statistics.metric import Metric
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.experiments.load import Run
    from constraintsuite.experiments.summary import RunSummary

_WIDTH = 10


def emit(record: object, as_json: bool, text: str | Iterable[str]) -> None:
    """Print `record` as JSON, or else `text`: one string, or lines that are only computed when they are printed."""
    if as_json:
        print_json(record)
    else:
        for line in [text] if isinstance(text, str) else text:
            click.echo(line)


def print_json(record: object) -> None:
    """Print a record as indented JSON. Dataclasses and models become objects, NaN and infinity become null."""
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - so that --help stays under 0.3 s

    click.echo(json.dumps(to_jsonable_python(record, inf_nan_mode="null"), indent=2, ensure_ascii=False))


def artifact_record(name: str, artifact: Artifact) -> dict[str, object]:
    """What `--json` says of a new folder: its place, under `name`, its content hash, its counts and its rejects."""
    manifest = artifact.manifest
    return {
        name: shown(artifact.path),
        "content": manifest.content,
        "counts": manifest.counts,
        "rejects": manifest.rejects,
    }


def count_lines(counts: Mapping[str, float]) -> list[str]:
    """One line per count, the number and then the name, with the numbers aligned on the right."""
    numbers = {name: f"{count:,.0f}" for name, count in counts.items()}
    width = max((_WIDTH, *map(len, numbers.values())))
    return [f"{number:>{width}} {name}" for name, number in numbers.items()]


def print_groups(runs: Sequence[Run], by: str, metric: Metric) -> None:
    """Print one metric of runs for each group of a grouping."""
    from constraintsuite.app.pages.group_tables import group_table  # noqa: PLC0415 - as above
    from constraintsuite.core.records.formats.text import text_parts  # noqa: PLC0415 - as above

    table = group_table({run.summary.system: run for run in runs}, by, metric)
    click.echo("\n" + "\n\n".join(text_parts(table)))


def describe_example(example: Example) -> str:
    """The queries, texts and evidence of an example, in lines."""
    tags = (example.relation, example.split, example.edit, example.tags.get("difficulty", ""))
    satisfying, violating = (
        f"({document.title}) {document.text}" if document.title else document.text
        for document in (example.satisfying, example.violating)
    )
    parts = {"query": example.query, "opposite": example.opposite, "restated": example.restated}
    parts |= {"satisfying": satisfying, "violating": violating}
    lines = [
        f"{example.id}   [{', '.join(tag for tag in tags if tag)}]",
        *(f"  {f'{name}:':<11} {text}" for name, text in parts.items() if text is not None),
    ]
    evidence = example.constraint.evidence if example.constraint else ()
    if evidence:
        lines.append("  evidence:")
    for one in evidence:
        text = example.document(one.document).text[one.start : one.end]
        cue = f" by {one.cue!r}" if one.cue else ""
        lines.append(f"    {one.document}: {text!r} {describe_evidence(example, one)}{cue} ({one.rule})")
    return "\n".join(lines) + "\n"


def print_slices(summaries: Sequence[RunSummary], metric: Metric, examples: Sequence[Example] = ()) -> None:
    """Print the figures of runs by constraint type, if there are several, and by slice.

    Slices without an opposite query have a table of their own. If the examples are given, also what counts in the headline.
    """
    from constraintsuite.app.pages.group_tables import headline_remark, single_table, slice_table, type_table  # noqa: PLC0415 - as above
    from constraintsuite.core.records.formats.text import WIDTH, text_parts  # noqa: PLC0415 - as above

    single = single_table(summaries) if metric.name == "paired_accuracy" else None
    made = (type_table(summaries, metric), slice_table(summaries, metric), single)
    tables = [table for table in made if table is not None]
    click.echo("\n\n".join(part for table in tables for part in text_parts(table, stacked=True)))
    if examples:
        click.echo("\n" + fill(headline_remark(examples, metric), WIDTH))
