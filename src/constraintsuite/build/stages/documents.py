"""Stage 1: the corpus, cleaned, without empty or repeated texts, in shards by id hash, with near-duplicate clusters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from constraintsuite.build.recipe import DocumentSettings, Recipe
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.execution.shards import shard_of
from constraintsuite.execution.spread import Outcome
from constraintsuite.execution.stage import Job
from constraintsuite.records.text import Document
from constraintsuite.store.files import atomic_writer, sha256_text, write_text
from constraintsuite.store.jsonl import encode, read_jsonl, write_jsonl
from constraintsuite.text.cleaning import clean, repair_spacing
from constraintsuite.text.neardup import near_duplicate_clusters


def work(job: Job[Recipe]) -> Outcome:
    """Read the source once and write `part-NN.jsonl`, `clusters.json`, `queries.jsonl`, `qrels.jsonl` and `bad-rows.jsonl`."""
    source = open_source(job.recipe.corpus)
    bad = BadRows(skip=job.recipe.corpus.skip_bad_rows)
    rejects: Counter[str] = Counter()
    shards = job.recipe.documents.shards
    kept: list[tuple[str, str]] = []
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(part_path(job.out, shard))) for shard in range(shards)]
        with job.reporter.track("documents", None) as advance:
            for document in accepted_documents(source.documents(bad), job.recipe.documents, rejects):
                files[shard_of(document.id, shards)].write(encode(document) + b"\n")
                kept.append((document.id, document.text))
                advance()
    if not kept:
        raise UserError(
            f"{source.name}: no usable document. Rejected: {dict(rejects) or 'none'}, bad rows: {dict(bad.counts) or 'none'}."
        )
    roots = near_duplicate_clusters([text for _, text in kept], job.recipe.documents.near_duplicate)
    clusters = {kept[i][0]: kept[root][0] for i, root in enumerate(roots) if i != root}
    write_text(
        job.out / "clusters.json", json.dumps(dict(sorted(clusters.items())), ensure_ascii=False, indent=0) + "\n"
    )
    queries = write_jsonl(job.out / "queries.jsonl", source.queries(bad))
    qrels = write_jsonl(job.out / "qrels.jsonl", source.qrels(bad))
    write_jsonl(job.out / "bad-rows.jsonl", bad.rows)
    counts = {"documents": len(kept), "near-duplicates": len(clusters), "queries": queries, "judgments": qrels}
    return Outcome(counts, dict(rejects + Counter(bad.counts)))


def part_path(folder: Path, shard: int) -> Path:
    """The file of one shard."""
    return folder / f"part-{shard:05d}.jsonl"


def read_documents(folder: Path) -> Iterator[Document]:
    """All documents of the stage, shard by shard."""
    for path in sorted(folder.glob("part-*.jsonl")):
        yield from read_jsonl(path, Document)


def read_clusters(folder: Path) -> dict[str, str]:
    """The cluster's name of each document that has a near-duplicate before it."""
    clusters: dict[str, str] = json.loads((folder / "clusters.json").read_text(encoding="utf-8"))
    return clusters


def accepted_documents(
    documents: Iterator[Document], settings: DocumentSettings, rejects: Counter[str]
) -> Iterator[Document]:
    """Cleaned, and only those that a suite can use; the others are counted by reason."""
    ids: set[str] = set()
    texts: set[bytes] = set()
    for document in documents:
        cleaned = _cleaned(document, settings)
        reason = _fault(cleaned, settings)
        digest = bytes.fromhex(sha256_text(cleaned.text.casefold())[:32])
        if reason is None and cleaned.id in ids:
            reason = "duplicate_id"
        if reason is None and digest in texts:
            reason = "duplicate_text"
        if reason is not None:
            rejects[reason] += 1
            continue
        ids.add(cleaned.id)
        texts.add(digest)
        yield cleaned


def _cleaned(document: Document, settings: DocumentSettings) -> Document:
    text, title = clean(document.text), clean(document.title)
    if settings.repair_spacing:
        text = repair_spacing(text)
    return Document(clean(document.id), text, title, document.metadata)


def _fault(document: Document, settings: DocumentSettings) -> str | None:
    words = len(document.text.split())
    if not document.id:
        return "empty_id"
    if words == 0:
        return "empty_text"
    if words < settings.min_words:
        return "too_short"
    if words > settings.max_words or len(document.text) > 12 * settings.max_words:
        return "too_long"
    letters = sum(character.isalpha() for character in document.text)
    return "not_prose" if letters < len(document.text) / 2 else None
