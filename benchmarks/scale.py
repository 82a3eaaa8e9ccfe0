"""What spreading work costs and brings. Prints tables; nothing here fails because something is slow.

    python benchmarks/scale.py overhead
    python benchmarks/scale.py workers
    python benchmarks/scale.py memory

The work is the stage that reads every document, on the bundled corpus taken over and over under new ids. `overhead` compares
the engines with a plain loop over the same shards, `workers` two workers (or more: --most) with one, `memory` a worker's peak
with a corpus ten times as large in ten times as many shards. Ray is left out where the extra [ray] is missing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path

import click

from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.ray_engine import RayEngine
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import spread
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.corpus.files import part_path
from constraintsuite.suites.stages.mentions import ReadingTask, read_shard
from tables import load, show, target

ANALYSER = "rules"
SHARDS = 16  # as in a recipe that says nothing
_documents = click.option("--documents", type=click.IntRange(min=160), default=20_000, show_default=True)
_repeat = click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Runs; the best counts."
)


@click.group()
def main() -> None:
    """Benchmarks of the engines."""


@main.command()
@_documents
@_repeat
def overhead(documents: int, repeat: int) -> None:
    """A plain loop over the shards against each engine with one worker."""
    engines: dict[str, Engine] = {"local, this process": LocalEngine(1)}
    if find_spec("ray"):
        engines["ray, one worker"] = RayEngine(workers=1)
    with corpus(documents, SHARDS) as parts:
        for engine in engines.values():
            _through(engine, parts)  # starts what there is to start, and reads lexicons once
        # In turns, so that all meet the same neighbours: a loop alone may take a fifth longer from one run to the next.
        rounds = [[_loop(parts), *(_through(engine, parts) for engine in engines.values())] for _ in range(repeat)]
    plain, *best = (min(taken) for taken in zip(*rounds, strict=True))
    rows = [("plain loop", plain, 1000 * plain / SHARDS, 0.0)]
    rows += [
        (name, taken, 1000 * taken / SHARDS, 100 * (taken / plain - 1))
        for name, taken in zip(engines, best, strict=True)
    ]
    show(f"{documents:,} documents in {SHARDS} shards; {load()}", ("", "s", "ms a shard", "% over the loop"), rows)
    for name, _, _, percent in rows[1:]:
        target(f"overhead of {name}, %", percent, 5.0, at_most=True)


@main.command()
@_documents
@_repeat
@click.option(
    "--most", type=click.IntRange(min=2), default=2, show_default=True, help="Workers; also 1, 2, 4, ... below that."
)
@click.option("--shards", type=click.IntRange(min=1), default=SHARDS, show_default=True)
def workers(documents: int, repeat: int, most: int, shards: int) -> None:
    """Several workers against one, all of them started and warm: what a long build sees."""
    counts = sorted({most, *(2**power for power in range(most.bit_length()) if 2**power < most)})
    rows: list[tuple[str, float, float, float, float]] = []
    with corpus(documents, shards) as parts:
        engines: dict[str, list[Engine]] = {"local": [LocalEngine(count) for count in counts]}
        if find_spec("ray"):
            import_module("ray").init(num_cpus=sum(counts), log_to_driver=False)  # engines keep their workers
            engines["ray"] = [RayEngine(workers=count) for count in counts]
        for name, crews in engines.items():
            starts = [_through(crew, parts) for crew in crews]
            best = [
                min(taken) for taken in zip(*([_through(c, parts) for c in crews] for _ in range(repeat)), strict=True)
            ]
            rows += [
                (f"{name}, {count}", first, taken, best[0] / taken, best[0] / taken / count)
                for count, first, taken in zip(counts, starts, best, strict=True)
            ]
    show(
        f"{documents:,} documents in {shards} shards; {load()}",
        ("engine, workers", "first, s", "then, s", "times one", "of each"),
        rows,
    )
    for name, *_, times, _ in (row for row in rows if row[0].endswith(", 2")):
        target(f"two workers against one, {name}", times, 1.8 if name.startswith("local") else 1.6, at_most=False)


@main.command()
@click.option(
    "--documents", type=click.IntRange(min=160), default=8_000, show_default=True, help="Of the smaller corpus."
)
def memory(documents: int) -> None:
    """The largest worker process on a corpus and on one of ten times its size, with shards of the same size."""
    peaks = []
    for times in (1, 10):
        command = [sys.executable, __file__, "peak", str(documents * times), str(SHARDS * times)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        peaks.append((f"{documents * times:,} documents", SHARDS * times, json.loads(said)))
    show(f"Peak of a worker, two workers; {load()}", ("", "shards", "MiB"), peaks)
    target("ten times the corpus, peak of a worker", peaks[1][2] / peaks[0][2], 1.1, at_most=True)


@main.command(hidden=True)
@click.argument("documents", type=int)
@click.argument("shards", type=int)
def peak(documents: int, shards: int) -> None:
    """Print the peak of the largest child process in MiB."""
    import resource  # noqa: PLC0415 - not everywhere

    with corpus(documents, shards) as parts:
        _through(LocalEngine(2), parts)
    click.echo(json.dumps(round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1)))


@contextmanager
def corpus(documents: int, shards: int) -> Iterator[dict[str, ReadingTask]]:
    """The tasks of a corpus of that size."""
    source = list(open_source(SourceSettings(source="sample")).documents(BadRows()))
    many = (replace(one, id=f"{number}") for number, one in enumerate(islice(cycle(source), documents)))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        tasks = {}
        for shard in range(shards):
            file = part_path(home, shard)
            write_jsonl(file, islice(many, documents // shards))
            tasks[file.stem] = ReadingTask(file, home / "out" / file.name, ANALYSER, ())
        yield tasks


def _loop(parts: dict[str, ReadingTask]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        for name, task in parts.items():
            read_shard(replace(task, target=Path(folder) / task.target.name), RecordIsolation(Path(folder), name))
        return time.perf_counter() - began


def _through(engine: Engine, parts: dict[str, ReadingTask]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        tasks = {name: replace(task, target=out / task.target.name) for name, task in parts.items()}
        began = time.perf_counter()
        spread("read", read_shard, tasks, out, engine, Silent())
        return time.perf_counter() - began


if __name__ == "__main__":
    main()
