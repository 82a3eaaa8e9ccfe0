"""One way to find the pools of all queries, in a process of its own.

Usage: python shards_process.py prepare CORPUS SUITE FOLDER SHARDS, and then python shards_process.py run FOLDER SHARDS WORKERS, where no
workers is one index over everything.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.shards import shard_of
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.models.retrieval.bm25 import Bm25Retriever, HitColumns
from constraintsuite.suites.corpus.files import part_path
from constraintsuite.suites.recipe import DocumentSettings, Recipe
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.suites.stages.shard_search import read_hits, search_by_shards


def prepare(corpus: Path, suite: Path, folder: Path, shards: int) -> None:
    """Write the shards and the queries."""
    parts: list[list[Document]] = [[] for _ in range(shards)]
    with corpus.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            parts[shard_of(row["id"], shards)].append(Document(id=row["id"], text=row["text"]))
    for shard, part in enumerate(parts):
        write_jsonl(part_path(folder / "documents", shard), part)
    # What reads them loads hundreds of megabytes, which the measured processes must not have.
    proposals = import_module("constraintsuite.suites.stages.queries").read_proposals(suite / "stages" / "queries")
    chosen = [proposal for proposal in proposals if proposal.status in ("build", "accepted")]
    queries = sorted({text for proposal in chosen for text in (proposal.topic, proposal.base)})
    (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")


def run(folder: Path, shards: int, workers: int) -> None:
    """Write the pools of all queries, and how many MiB were handed over."""
    queries: list[str] = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    found = _by_shards(folder, queries, shards, workers) if workers else _one_index(folder, queries)
    with (folder / "pools.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps([list(ranking.documents), list(ranking.scores)]) + "\n" for ranking in found)
    handed = sum(each.stat().st_size for each in out.iterdir())
    (folder / "handed.json").write_text(json.dumps(handed / (1 << 20)))


def _one_index(folder: Path, queries: list[str]) -> Iterable[HitColumns]:
    documents = list(read_documents(folder / "documents"))
    ids, texts = [d.id for d in documents], [f"{d.title} {d.text}" for d in documents]
    del documents
    retriever = Bm25Retriever(ids, texts)
    found = (retriever.search(query, 200) for query in queries)
    return (HitColumns([hit.document for hit in hits], [hit.score for hit in hits]) for hits in found)


def _by_shards(folder: Path, queries: list[str], shards: int, workers: int) -> Iterable[HitColumns]:
    recipe = Recipe(corpus=SourceSettings(source="sample"), documents=DocumentSettings(shards=shards))
    job = Job(recipe, folder / "out", {"documents": folder / "documents"}, LocalEngine(workers), Silent())
    search_by_shards(job, queries)
    return read_hits(job)


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        corpus_file, suite_folder, target = map(Path, sys.argv[2:5])
        prepare(corpus_file, suite_folder, target, int(sys.argv[5]))
    else:
        run(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
