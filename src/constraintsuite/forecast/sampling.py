"""Draw samples of a corpus by hash of the id, and write them as small corpora with recipes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from itertools import islice
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.forecast.clock import now
from constraintsuite.suites.recipe import Recipe

READ_SECONDS = 30.0
_LOOK_EVERY = 256
_MOST_JUDGMENTS = 2_000_000
_LEAST = 8
_MOST_SHARDS = 16


@dataclass(frozen=True)
class DrawnDocuments:
    """Several samples of a corpus, each drawn by another hash."""

    draws: tuple[tuple[Document, ...], ...]
    read: int
    """Number of documents that were read."""
    whole: bool
    """Whether all of the corpus was read."""
    known: int | None
    """Number of documents in the source, if it says so."""
    seconds: float
    """Seconds to read one document of the source."""


def draw_documents(recipe: Recipe, size: int, draws: int, seconds: float = READ_SECONDS) -> DrawnDocuments:
    """Read the source for at most `seconds`, and keep the `size` documents with the smallest hashes for each draw."""
    source = open_source(recipe.corpus)
    heaps: list[list[tuple[int, int, Document]]] = [[] for _ in range(draws)]
    begin = now()
    read, whole = 0, True
    for document in source.documents(BadRows(skip=recipe.corpus.skip_bad_rows)):
        read += 1
        for number, heap in enumerate(heaps):
            entry = (-stable_hash("plan", str(number), document.id), read, document)
            if len(heap) < size:
                heappush(heap, entry)
            elif entry > heap[0]:
                heapreplace(heap, entry)
        if read % _LOOK_EVERY == 0 and (now() - begin).wall > seconds:
            whole = False
            break
    spent = (now() - begin).own
    if read < _LEAST:
        raise UserError(
            f"{source.name}: {read} documents are too few to estimate anything from. Build the suite instead."
        )
    ordered = (tuple(document for _, _, document in sorted(heap, reverse=True)) for heap in heaps)
    return DrawnDocuments(tuple(ordered), read, whole, source.size(), spent / read)


def write_sample(recipe: Recipe, documents: Sequence[Document], share: float, folder: Path) -> Path:
    """Write these documents, with their queries and judgments, and a recipe that builds only them; gives its path."""
    folder.mkdir(parents=True)
    corpus = folder / "corpus.jsonl"
    write_text(corpus, "".join(f"{_line(document)}\n" for document in documents))
    judged = _write_judged(open_source(recipe.corpus), {document.id for document in documents}, share, folder)
    settings = SourceSettings(
        source=str(corpus),
        format="jsonl",
        id_field="id",
        title_field="title",
        text_field="text",
        skip_bad_rows=True,
        queries=judged.get("queries"),
        qrels=judged.get("qrels"),
    )
    # Approved proposals and dropped examples are of the complete corpus; the sample does not have them.
    split = recipe.documents.model_copy(update={"shards": shards_of(recipe)})
    update = {"corpus": settings, "documents": split, "approved": None, "drop": ()}
    content = recipe.model_copy(update=update).model_dump(
        mode="json", exclude={"candidates": {"index"}}, exclude_none=True
    )
    path = folder / "recipe.yaml"
    write_text(path, json.dumps(content, ensure_ascii=False))
    return path


def shards_of(recipe: Recipe) -> int:
    """Number of shards of a sample: few enough that each has documents, from which a worker's memory is estimated."""
    return min(recipe.documents.shards, _MOST_SHARDS)


def reading_seconds(recipe: Path) -> float:
    """Seconds to read one document of a written sample."""
    source = open_source(Recipe.read(recipe).corpus)
    begin = now()
    read = sum(1 for _ in source.documents(BadRows(skip=True)))
    return (now() - begin).own / read


def _line(document: Document) -> str:
    row = {**document.metadata, "id": document.id, "title": document.title, "text": document.text}
    return json.dumps(row, ensure_ascii=False)


def _write_judged(source: Source, documents: set[str], share: float, folder: Path) -> dict[str, str]:
    """Write the judgments of the documents and their queries. Without judgments, write a share of all queries."""
    bad = BadRows(skip=True)
    judgments = list(islice(source.qrels(bad), _MOST_JUDGMENTS))
    kept = [qrel for qrel in judgments if qrel.document in documents]
    asked = {qrel.query for qrel in kept}
    queries = [
        query
        for query in islice(source.queries(bad), _MOST_JUDGMENTS)
        if (query.id in asked if judgments else _drawn(query.id, share))
    ]
    files = {}
    if queries:
        write_jsonl(folder / "queries.jsonl", queries)
        files["queries"] = str(folder / "queries.jsonl")
    if kept and queries:
        write_text(folder / "qrels.txt", "".join(f"{q.query}\t0\t{q.document}\t{q.grade}\n" for q in kept))
        files["qrels"] = str(folder / "qrels.txt")
    return files


def _drawn(identity: str, share: float) -> bool:
    return stable_hash("plan", identity) < share * 2**64
