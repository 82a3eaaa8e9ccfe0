"""A blind reading of suites: items with plants for strict readers, and the table of what they said.

    python benchmarks/reading.py draw SUITE... --seed 1 --out FOLDER --plants-from OLD_SUITE
    python benchmarks/reading.py score FOLDER [--json]

`draw` writes `items.jsonl` and `batch-01.md`, ... for readers, and `key.jsonl`, which readers must not see. A reader's answers to a
batch go to `answers/READER-batch-01.jsonl`. `score` needs the key and the answers only, and neither holds any text.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.examples import read_examples
from reading_answers import read_reading, reader_table, validity_table
from reading_items import draw_items, page
from reading_plants import Drawn

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group()
def main() -> None:
    """Draw items for a blind reading, and score the answers."""


@main.command()
@click.argument("suites", nargs=-1, required=True, type=FOLDER)
@click.option("--per-slice", type=click.IntRange(min=1), default=90, show_default=True)
@click.option(
    "--per-type",
    type=click.IntRange(min=1),
    default=45,
    show_default=True,
    help="Examples of each constraint type but exclude, instead of --per-slice.",
)
@click.option("--per-batch", type=click.IntRange(min=8), default=32, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new folder.")
@click.option("--plants-from", type=FOLDER, help="An older suite, whose edits of one text are incoherent.")
def draw(
    suites: tuple[Path, ...],
    per_slice: int,
    per_type: int,
    per_batch: int,
    seed: int,
    out: Path,
    plants_from: Path | None,
) -> None:
    """Draw examples of every suite and slice, mix in plants, and write the batches."""
    if out.exists():
        raise click.ClickException(f"{out} exists; a reading is drawn once, so name another folder.")
    names = {folder.resolve().name: folder for folder in suites}
    if len(names) < len(suites):
        raise click.ClickException("Two suites have the same folder name; the table could not tell them apart.")
    examples = {name: read_examples(folder) for name, folder in names.items()}
    old = [Drawn(plants_from.resolve().name, one) for one in read_examples(plants_from)] if plants_from else []
    items, key = draw_items(examples, old, per_slice=per_slice, per_type=per_type, seed=seed, per_batch=per_batch)
    (out / "answers").mkdir(parents=True)
    write_jsonl(out / "items.jsonl", items)
    write_jsonl(out / "key.jsonl", key)
    batches = sorted({row.batch for row in key})
    for batch in batches:
        members = {row.item for row in key if row.batch == batch}
        write_text(out / f"{batch}.md", page([item for item in items if item.item in members]))
    planted = sum(bool(row.plant) for row in key)
    click.echo(f"{out}: {len(items):,} items in {len(batches)} batches, {planted:,} of them plants")


@main.command()
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True)
def score(folder: Path, as_json: bool) -> None:
    """Print the shares of valid examples; the exit code is 1 if examples are still unread."""
    try:
        reading = read_reading(folder)
    except UserError as error:
        raise click.ClickException(str(error)) from None
    tables = (validity_table(reading), reader_table(reading))
    unread = reading.unread()
    if as_json:
        click.echo(json.dumps({table.name: table.to_records() for table in tables} | {"unread": unread}))
    else:
        click.echo("\n\n".join(map(str, tables)))
        if unread:
            left = ", ".join(f"{batch} ({count})" for batch, count in unread.items())
            click.echo(f"\nNot read by anyone who counts: {left}")
    if unread:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
