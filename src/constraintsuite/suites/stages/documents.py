"""Stage 1: reads and cleans the corpus, leaves out empty and repeated texts, and finds near-duplicate clusters."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import merge
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import shard_of
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.core.store.jsonl import encode, read_jsonl, write_jsonl
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.corpus.corpus import PackedIds
from constraintsuite.suites.corpus.files import part_path, part_paths, read_table, row_at, walk, write_table
from constraintsuite.suites.recipe import DocumentSettings, Recipe
from constraintsuite.text.neardup import Sketches
from constraintsuite.text.normalization import clean, repair_spacing

CLUSTERS = "clusters.json"
RUN = 1 << 16
"""Number of near-duplicates whose ids are sorted at a time."""


def work(job: Job[Recipe]) -> WorkCounts:
    """Write the documents in shards by the hash of their ids, their clusters, and the queries and judgments of the source."""
    source = open_source(job.recipe.corpus)
    bad = BadRows(skip=job.recipe.corpus.skip_bad_rows)
    rejects: Counter[str] = Counter()
    with Sketches(job.out) as sketches:
        accepted = accepted_documents(source.documents(bad), job.recipe.documents, rejects)
        written = _write_parts(job, accepted, sketches)
        if not written.places:
            counts = f"Rejected: {dict(rejects) or 'none'}, bad rows: {dict(bad.counts) or 'none'}"
            raise UserError(f"{source.name}: no usable document. {counts}.")
        roots = sketches.clusters(lambda index: written.read(index).text, job.recipe.documents.near_duplicate)
    near = array("q", (index for index, root in enumerate(roots) if index != root))
    write_table(job.out / CLUSTERS, _by_id(written, near, roots))
    queries = write_jsonl(job.out / "queries.jsonl", source.queries(bad))
    qrels = write_jsonl(job.out / "qrels.jsonl", source.qrels(bad))
    write_jsonl(job.out / "bad-rows.jsonl", bad.rows)
    return WorkCounts(
        {"documents": len(written.places), "near-duplicates": len(near), "queries": queries, "judgments": qrels},
        dict(rejects + bad.counts),
    )


@dataclass(frozen=True)
class _Written:
    """The place of each document in the shards, in the order of the source."""

    folder: Path
    shards: int
    places: array[int] = field(default_factory=lambda: array("q"))

    def add(self, shard: int, offset: int) -> None:
        self.places.append(offset * self.shards + shard)

    def read(self, index: int) -> Document:
        offset, shard = divmod(self.places[index], self.shards)
        return row_at(part_path(self.folder, shard), offset).parse(Document)


def _write_parts(job: Job[Recipe], documents: Iterator[Document], sketches: Sketches) -> _Written:
    written = _Written(job.out, job.recipe.documents.shards)
    with ExitStack() as stack, job.reporter.track("documents", None) as advance:
        files = [stack.enter_context(atomic_writer(part_path(job.out, shard))) for shard in range(written.shards)]
        for document in documents:
            shard = shard_of(document.id, written.shards)
            written.add(shard, files[shard].tell())
            files[shard].write(encode(document) + b"\n")
            sketches.add(document.text)
            advance()
    return written


def _by_id(written: _Written, near: array[int], roots: array[int]) -> Iterator[tuple[str, str]]:
    """Each near-duplicate with the first document of its cluster, in the order of ids.

    Ids are sorted in runs and then merged: as strings, all of them together would take much memory.
    """
    members = np.asarray(near, dtype=np.int64)
    named = np.union1d(members, np.asarray(roots, dtype=np.int64)[members])
    ids = PackedIds(written.read(index).id for index in named.tolist())

    def id_of(index: int) -> str:
        return ids[int(np.searchsorted(named, index))]

    runs = [array("q", sorted(near[begin : begin + RUN], key=id_of)) for begin in range(0, len(near), RUN)]
    return ((id_of(index), id_of(roots[index])) for index in merge(*runs, key=id_of))


def read_documents(folder: Path) -> Iterator[Document]:
    """All documents of the stage, shard by shard."""
    for path in part_paths(folder):
        yield from read_jsonl(path, Document)


def read_some(folder: Path, wanted: Container[str]) -> Iterator[Document]:
    """The wanted documents of the stage; the others are not parsed."""
    return (row.parse(Document) for row in walk(folder) if row.id in wanted)


def read_clusters(folder: Path, wanted: Container[str]) -> dict[str, str]:
    """The first document of its cluster for each wanted document that is a near-duplicate of an earlier one."""
    return {document: first for document, first in read_table(folder / CLUSTERS) if document in wanted}


def accepted_documents(
    documents: Iterator[Document], settings: DocumentSettings, rejects: Counter[str]
) -> Iterator[Document]:
    """The cleaned documents that a suite can use; the others are counted in `rejects` by reason."""
    ids, texts = DigestSet(), DigestSet()
    for document in documents:
        text = repair_spacing(clean(document.text)) if settings.repair_spacing else clean(document.text)
        cleaned = Document(clean(document.id), text, clean(document.title), document.metadata)
        id_digest, text_digest = digest_of(cleaned.id), digest_of(text.casefold())
        reason = _fault(cleaned, settings)
        if reason is None and id_digest in ids:
            reason = "duplicate_id"
        if reason is None and text_digest in texts:
            reason = "duplicate_text"
        if reason is not None:
            rejects[reason] += 1
            continue
        ids.add(id_digest)
        texts.add(text_digest)
        yield cleaned


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
    if document.text.rstrip().endswith(("refer to:", "refer to")):  # the start of a list of other pages
        return "not_prose"
    letters = sum(character.isalpha() for character in document.text)
    return "not_prose" if letters < len(document.text) / 2 else None


DIGEST_BYTES = 16
_BUCKETS = 1 << 16


class DigestSet:
    """The digests of texts that were seen, in 14 bytes each; texts with equal digests count as equal.

    A digest is kept in the bucket of its first two bytes, without these.
    """

    def __init__(self) -> None:
        self._buckets = [bytearray() for _ in range(_BUCKETS)]

    def add(self, digest: bytes) -> None:
        """Add a digest that is not there yet."""
        self._buckets[int.from_bytes(digest[:2])] += digest[2:]

    def __contains__(self, digest: bytes) -> bool:
        bucket, rest = self._buckets[int.from_bytes(digest[:2])], digest[2:]
        at = bucket.find(rest)
        while at > 0 and at % len(rest):  # found across the border of two digests
            at = bucket.find(rest, at + 1)
        return at >= 0


def digest_of(text: str) -> bytes:
    """The digest of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
