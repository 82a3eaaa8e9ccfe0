"""`engines`: BM25 engines on the pool queries of a build."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from constraintsuite.suites.recipe import CandidateSettings
from constraintsuite.suites.stages.queries import read_proposals
from constraintsuite.text.terms import TermAnalyser
from growth import HERE, build, make_passages, seed_option, work_option
from passages import NoDescriptionsError, require_lists
from tables import load, show

TANTIVY = (1.2, 0.75)
"""The k1 and b that tantivy cannot be talked out of."""
_python = click.Path(path_type=Path, dir_okay=False, exists=True)


@dataclass(frozen=True)
class Contender:
    """An engine, the interpreter that has it, and the k1 and b that it uses."""

    label: str
    engine: str
    python: Path | None
    k1_b: tuple[float, float]


@click.command()
@click.option("--passages", "count", type=click.IntRange(min=1000), default=200_000, show_default=True)
@click.option(
    "--queries", "asked", type=click.IntRange(min=1), default=1000, show_default=True, help="At most so many."
)
@click.option("--numba-python", type=_python, help="Interpreter of an environment with `pip install -e '.[speed]'`.")
@click.option("--tantivy-python", type=_python, help="Interpreter of an environment with `pip install tantivy`.")
@seed_option
@work_option
def engines(
    count: int, asked: int, numba_python: Path | None, tantivy_python: Path | None, seed: int, work: Path
) -> None:
    """Index and search times, and top 10, of BM25 engines on recombined passages; one thread each."""
    try:
        require_lists()
    except NoDescriptionsError as error:
        click.echo(f"engines: skipped, {error}")
        return
    settings = CandidateSettings()
    ours = (settings.k1, settings.b)
    terms, queries, tokenising = _prepare(work, count, asked, seed)
    wanted = [
        Contender("our retriever", "retriever", Path(sys.executable), ours),
        Contender("bm25s numpy, its retrieve()", "bm25s-numpy", Path(sys.executable), ours),
        Contender("bm25s numba, its retrieve()", "bm25s-numba", numba_python, ours),
        Contender("tantivy", "tantivy", tantivy_python, TANTIVY),
    ]
    good = {
        k1_b: _run("reference", Path(sys.executable), terms, queries, settings.k_pool, k1_b)["found"]
        for k1_b in dict.fromkeys([ours, *(c.k1_b for c in wanted if c.python)])
    }
    rows = []
    top: list[list[int]] = []
    for contender in wanted:
        if contender.python is None:
            click.echo(f"{contender.label}: skipped, its interpreter was not given.")
            continue
        result = _run(contender.engine, contender.python, terms, queries, settings.k_pool, contender.k1_b)
        top = top or result["found"]
        rows.append(
            (
                contender.label,
                result["index_seconds"],
                result["first_seconds"],
                len(top) / result["search_seconds"],
                f"{_share(result['found'], top):.3f}",
                f"{_share(result['found'], good[ours]):.3f}",
                f"{_share(result['found'], good[contender.k1_b]):.3f}",
                result["mib"],
            )
        )
    header = ("", "index s", "first query s", "queries/s", "overlap", "ties allowed", "same k1, b", "MiB")
    show(
        f"{count:,} passages, {len(top):,} pool queries, top {settings.k_pool}; overlap of the top 10 with the first row, with "
        f"all that score as well as its tenth, and the same at the engine's own k1 and b;\nMiB added "
        f"to the base; cutting into terms (not counted) took {tokenising:.0f} s; {load()}",
        header,
        rows,
    )


def _prepare(work: Path, count: int, asked: int, seed: int) -> tuple[Path, Path, float]:
    """Passages and pool queries as lines of terms, and the processor seconds that cutting the passages took."""
    corpus = make_passages(work, count, seed)
    suite = next((s for s in (work / f"suite-{seed}-{n}" for n in (count, 20_000)) if _has_queries(s)), None)
    if suite is None:
        click.echo("No queries from `scale` yet: building 20,000 passages up to the queries first.", err=True)
        suite = work / f"suite-{seed}-20000"
        build(make_passages(work, 20_000, seed), suite, workers=1, until="queries")
    proposals = read_proposals(suite / "stages" / "queries")
    texts = sorted({text for proposal in proposals for text in (proposal.topic, proposal.opposite)})
    chosen = sorted(random.Random(seed).sample(texts, min(asked, len(texts))))
    settings = CandidateSettings()
    analyser = TermAnalyser(settings.stop_list, settings.stem)
    queries, terms = work / "queries.txt", work / f"terms-{seed}-{count}.txt"
    queries.write_text("".join(f"{' '.join(analyser.terms(text))}\n" for text in chosen), encoding="utf-8")
    start = time.process_time()
    with corpus.open(encoding="utf-8") as lines, terms.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(" ".join(analyser.terms(json.loads(line)["text"])) + "\n")
    return terms, queries, time.process_time() - start


def _has_queries(suite: Path) -> bool:
    return (suite / "stages" / "queries" / "manifest.json").is_file()


def _run(engine: str, python: Path, terms: Path, queries: Path, k: int, k1_b: tuple[float, float]) -> dict[str, Any]:
    arguments = [engine, str(terms), str(queries), str(k), *(str(value) for value in k1_b)]
    command = [str(python), str(HERE / "engine_process.py"), *arguments]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def _share(found: Sequence[Sequence[int]], good: Sequence[Sequence[int]]) -> float:
    """The mean share of the documents found that are among the good ones."""
    shares = [len(set(f) & set(g)) / len(f) for f, g in zip(found, good, strict=True) if f]
    return sum(shares) / len(shares)
