"""Subsets, embedding and exact neighbours: time and memory, each beside what it is measured against.

python benchmarks/vectors.py all --source collection.tsv
python benchmarks/vectors.py select
python benchmarks/vectors.py encode --source collection.tsv --texts 2000
python benchmarks/vectors.py neighbours
python benchmarks/vectors.py harness
python benchmarks/vectors.py scale --small 100000 --large 1000000
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import load_encoder
from constraintsuite.models.retrieval.topk import top_k
from tables import load, show, target
from vectors_harness import harness
from vectors_scale import index_work, scale
from vectors_select import select_command

HERE = Path(__file__)


@click.group()
def cli() -> None:
    """Each command prints what it saw; nothing depends on it."""


cli.add_command(select_command)
cli.add_command(harness)
cli.add_command(scale)
cli.add_command(index_work)


@cli.command("all")
@click.option("--source", type=click.Path(path_type=Path, exists=True), help="For encode: passages, id, tab, text.")
@click.pass_context
def everything(context: click.Context, source: Path | None) -> None:
    """Every measurement at its defaults, one after the other."""
    for command in (select_command, neighbours, harness, scale):
        context.invoke(command)
    if source is None:
        click.echo("\nencode: not measured, for want of --source")
    else:
        context.invoke(encode, source=source)


@cli.command()
@click.option("--model", default="all-MiniLM-L6-v2", show_default=True)
@click.option("--source", type=click.Path(path_type=Path, exists=True), required=True, help="Passages: id, tab, text.")
@click.option("--texts", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True)
def encode(model: str, source: Path, texts: int, repeats: int) -> None:
    """Texts a second of our encoder, against SentenceTransformer.encode at its defaults with the same weights."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - torch takes seconds to load

    from constraintsuite.models.weights import find_weights  # noqa: PLC0415

    lines = source.read_text(encoding="utf-8").split("\n")[:texts]
    passages = [line.partition("\t")[2] for line in lines if line]
    theirs = SentenceTransformer(str(find_weights(model)), device="cpu")
    ours = load_encoder(f"dense:{model}", Workbench())
    ours.encoder.encode(passages[:8], "document")
    theirs.encode(passages[:8])
    rates: dict[str, list[float]] = {"ours": [], "SentenceTransformer.encode": []}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    for _ in range(repeats):
        for name, run in (
            ("ours", lambda: load_encoder(f"dense:{model}", Workbench()).encoder.encode(passages, "document")),
            ("SentenceTransformer.encode", lambda: np.asarray(theirs.encode(passages))),
        ):
            seconds, vectors[name] = _timed(run)
            rates[name].append(len(passages) / seconds)
    show(
        f"{len(passages):,} texts, {load()}", ("", "texts/s, best"), [(name, max(seen)) for name, seen in rates.items()]
    )
    a, b = (found.astype(np.float64) for found in vectors.values())
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    target("ours to theirs", max(rates["ours"]) / max(rates["SentenceTransformer.encode"]), 1.5, at_most=False)
    target("least cosine between the two", float(cosines.min()), 0.999, at_most=False)


@cli.command()
@click.option("--documents", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True)
def neighbours(documents: int, dimensions: int, repeats: int) -> None:
    """Exact neighbours against faiss flat: fresh processes in which both have the same number of threads."""
    rows: list[tuple[object, ...]] = []
    for threads in sorted({1, os.cpu_count() or 1}):
        count = str(threads)
        pinned = {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count}
        command = [sys.executable, str(HERE), "neighbours-work", str(documents), str(dimensions), str(repeats), count]
        reply = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **pinned})
        rows += [
            (f"{threads} threads, {queries:,} queries, k = {k}", queries / ours, queries / theirs, theirs / ours)
            for queries, k, ours, theirs in json.loads(reply.stdout)
        ]
    show(f"{documents:,} x {dimensions}, best of {repeats}, {load()}", ("", "ours, q/s", "faiss, q/s", "ratio"), rows)
    for label, _, _, ratio in rows:
        target(f"{label}, ours to faiss flat", float(str(ratio)), 0.9, at_most=False)


@cli.command("neighbours-work", hidden=True)
@click.argument("documents", type=int)
@click.argument("dimensions", type=int)
@click.argument("repeats", type=int)
@click.argument("threads", type=int)
def neighbours_work(documents: int, dimensions: int, repeats: int, threads: int) -> None:
    """What `neighbours` measures, in this process; ours and theirs in turn, so that other work slows both."""
    import faiss  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    faiss.omp_set_num_threads(threads)
    rng = np.random.default_rng(0)
    base = rng.standard_normal((documents, dimensions), dtype=np.float32)
    index = faiss.IndexFlatIP(dimensions)
    index.add(base)
    found = []
    for queries in (200, 1_000):
        asked = rng.standard_normal((queries, dimensions), dtype=np.float32)
        for k in (10, 100):
            ours, theirs = [], []
            for _ in range(repeats):
                ours.append(_timed(partial(top_k, asked, base, k, "dot"))[0])
                theirs.append(_timed(partial(index.search, asked, k))[0])
            found.append((queries, k, min(ours), min(theirs)))
    click.echo(json.dumps(found))


def _timed(run: Callable[[], npt.NDArray[np.float32] | object]) -> tuple[float, npt.NDArray[np.float32]]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, np.asarray(result if isinstance(result, np.ndarray) else [], dtype=np.float32)


if __name__ == "__main__":
    cli()
