"""Subsets, embedding and exact neighbours: time and memory, each beside what it is measured against.

python benchmarks/vectors.py select
python benchmarks/vectors.py encode --texts 2000
python benchmarks/vectors.py neighbours
python benchmarks/vectors.py scale --small 100000 --large 1000000
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from constraintsuite.models.base import Workbench
from constraintsuite.retrieval.topk import top_k
from constraintsuite.vectors.encoders import load_encoder
from constraintsuite.vectors.keys import KeyMaker
from constraintsuite.vectors.sampling import Request, select
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.survey import survey
from measure import run_measured
from tables import load, show, target

MSMARCO = 8_841_823
HERE = Path(__file__)
LABELS = {"hash": "hashing alone", "select": "selecting", "check": "selecting, all ids checked for repetition"}


@click.group()
def cli() -> None:
    """Each command prints what it saw; nothing depends on it."""


@cli.command("select")
@click.option("--documents", type=click.IntRange(min=10), default=MSMARCO, show_default=True)
@click.option("--size", type=click.IntRange(min=1), default=1_000_000, show_default=True)
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True)
def select_command(documents: int, size: int, repeats: int) -> None:
    """Choosing documents by key, against hashing their ids and nothing else; processor time, fresh processes."""
    found: dict[str, list[tuple[float, float]]] = {"hash": [], "select": [], "check": []}
    for _ in range(repeats):
        for what, seen in found.items():
            command = [sys.executable, str(HERE), "work", what, str(documents), str(size)]
            reply = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            seen.append((reply["seconds"], reply["peak_mb"]))
    rows = [(LABELS[what], min(s for s, _ in seen), max(m for _, m in seen)) for what, seen in found.items()]
    show(f"{size:,} of {documents:,} ids, {load()}", ("", "processor s", "peak MB"), rows)
    target("selecting to hashing alone", rows[1][1] / rows[0][1], 1.3, at_most=True)
    target("peak MB", rows[1][2], 250, at_most=True)


@cli.command(hidden=True)
@click.argument("what", type=click.Choice(list(LABELS)))
@click.argument("documents", type=int)
@click.argument("size", type=int)
def work(what: str, documents: int, size: int) -> None:
    """What `select` measures, in this process."""
    import resource  # noqa: PLC0415 - only here, only on Linux

    make = KeyMaker("corpus", "msmarco-passage", "42")
    start = time.process_time()
    if what == "hash":
        for at in range(0, documents, 8_192):
            make([str(i) for i in range(at, min(documents, at + 8_192))])
    else:
        seen = survey(
            lambda: map(str, range(documents)), make, frozenset(map(str, range(0, documents, documents // 8)))
        )
        if what == "check":
            seen.refuse_repeated_ids()
        select(Request(SubsetSettings(size=size), seen, frozenset(seen.found)))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    click.echo(json.dumps({"seconds": seconds, "peak_mb": peak}))


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
@click.option("--queries", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default=True)
def neighbours(documents: int, queries: int, dimensions: int, threads: int) -> None:
    """Exact neighbours, k = 100, against faiss flat on as many threads (set OMP_NUM_THREADS to the same)."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((documents, dimensions), dtype=np.float32)
    asked = rng.standard_normal((queries, dimensions), dtype=np.float32)
    rows: list[tuple[str, float]] = []
    ours = min(_timed(lambda: top_k(asked, base, 100, "dot"))[0] for _ in range(3))
    rows.append(("ours, order decided in double precision", queries / ours))
    try:
        import faiss  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
    except ImportError:
        click.echo("faiss is not installed: nothing to compare with")
    else:
        faiss.omp_set_num_threads(threads)
        index = faiss.IndexFlatIP(dimensions)
        index.add(base)
        theirs = min(_timed(lambda: index.search(asked, 100))[0] for _ in range(3))
        rows.append(("faiss flat, single precision", queries / theirs))
        target("ours to faiss flat", theirs / ours, 0.9, at_most=False)
    show(f"{queries:,} queries, {documents:,} x {dimensions}, {load()}", ("", "queries/s"), rows)


@cli.command()
@click.option("--small", type=click.IntRange(min=100), default=100_000, show_default=True)
@click.option("--large", type=click.IntRange(min=100), default=1_000_000, show_default=True)
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
def scale(small: int, large: int, dimensions: int) -> None:
    """Import of generated vectors as a bundle, and its exact neighbours: time and memory at two sizes."""
    rows = []
    for size in (small, large):
        with tempfile.TemporaryDirectory() as folder:
            seven, bundle = Path(folder) / "seven", Path(folder) / "bundle"
            write_seven(seven, size, dimensions)
            csuite = [sys.executable, "-m", "constraintsuite"]
            imported = run_measured([*csuite, "bundle", "import", str(seven), "--out", str(bundle)])
            truth = run_measured([*csuite, "truth", str(bundle), "--knn", "100"])
            rows.append((f"{size:,}", imported.seconds, imported.peak_mib, truth.seconds, truth.peak_mib))
    show(f"{dimensions} dimensions, 200 queries, {load()}", ("vectors", "import s", "MiB", "truth s", "MiB"), rows)
    target("peak MB at the larger size", max(rows[1][2], rows[1][4]) * 1.048576, 6_000, at_most=True)
    target(
        "seconds a vector, large to small", sum(rows[1][1::2]) / large / (sum(rows[0][1::2]) / small), 1.3, at_most=True
    )


def write_seven(folder: Path, size: int, dimensions: int) -> None:
    """A folder of the methodology with random vectors; recall on such says nothing, time and memory do."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    shape = (size, dimensions)
    mapped = np.lib.format.open_memmap(folder / "passage_embeddings.npy", mode="w+", dtype=np.float32, shape=shape)
    for at in range(0, size, 16_384):
        block = mapped[at : at + 16_384]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
    mapped.flush()
    np.save(folder / "query_embeddings.npy", rng.standard_normal((200, dimensions), dtype=np.float32))
    np.save(folder / "passage_ids.npy", np.array([str(i) for i in range(size)]))
    np.save(folder / "query_ids.npy", np.array([f"q{i}" for i in range(200)]))


def _timed(run: Callable[[], npt.NDArray[np.float32] | object]) -> tuple[float, npt.NDArray[np.float32]]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, np.asarray(result if isinstance(result, np.ndarray) else [], dtype=np.float32)


if __name__ == "__main__":
    cli()
