"""Choosing documents by key. What is measured runs in this file alone, so that no other library is in its memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice

import click

from constraintsuite.vectors.sampling import SampleRequest, select
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.survey import KeyMaker, survey
from tables import load, show, target

MSMARCO = 8_841_823
LABELS = {"hash": "hashing alone", "select": "selecting", "check": "selecting, all ids checked for repetition"}


@click.command("select")
@click.option("--documents", type=click.IntRange(min=10), default=MSMARCO, show_default=True)
@click.option("--size", type=click.IntRange(min=1), default=1_000_000, show_default=True)
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True)
def select_command(documents: int, size: int, repeats: int) -> None:
    """Choosing documents by key, against hashing their ids and nothing else; processor time, fresh processes."""
    found: dict[str, list[tuple[float, float]]] = {"hash": [], "select": [], "check": []}
    for _ in range(repeats):
        for what, seen in found.items():
            command = [sys.executable, __file__, what, str(documents), str(size)]
            reply = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            seen.append((reply["seconds"], reply["peak_mb"]))
    rows = [(LABELS[what], min(s for s, _ in seen), max(m for _, m in seen)) for what, seen in found.items()]
    show(f"{size:,} of {documents:,} ids, {load()}", ("", "processor s", "peak MB"), rows)
    for label, seconds, peak in rows[1:]:
        target(f"{label}, to hashing alone", seconds / rows[0][1], 1.3, at_most=True)
        target(f"{label}, peak MB", peak, 250, at_most=True)


@click.command()
@click.argument("what", type=click.Choice(list(LABELS)))
@click.argument("documents", type=int)
@click.argument("size", type=int)
def work(what: str, documents: int, size: int) -> None:
    """What `select` measures, in this process."""
    import resource  # noqa: PLC0415 - only here, only on Linux

    make = KeyMaker("corpus", "msmarco-passage", "42")
    start = time.process_time()
    if what == "hash":
        for block in _blocks(map(str, range(documents))):
            make(block)
    else:
        seen = survey(
            lambda: map(str, range(documents)), make, frozenset(map(str, range(0, documents, documents // 8)))
        )
        if what == "check":
            seen.refuse_repeated_ids()
        select(SampleRequest(SubsetSettings(size=size), seen, frozenset(seen.found)))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    click.echo(json.dumps({"seconds": seconds, "peak_mb": peak}))


def _blocks(ids: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(ids, 8_192)):
        yield block


if __name__ == "__main__":
    work()
