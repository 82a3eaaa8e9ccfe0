"""Encode one shard of a bundle, or reuse vectors that another bundle has of the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.store.files import write_text
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer, TruncatingEncoder
from constraintsuite.models.worker_model import cached_model
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, locked
from constraintsuite.vectors.matrices import (
    Matrix,
    check_lengths,
    length_tolerance,
    map_matrix,
    write_matrix,
    zero_count,
)
from constraintsuite.vectors.survey import text_hash

PLURALS: Mapping[TextRole, str] = {"document": "documents", "query": "queries"}


@dataclass(frozen=True)
class ShardTask:
    """Some rows of a bundle, and the files for their vectors."""

    bundle: Path
    model: str
    encoder: str
    """Fingerprint of the encoder."""
    role: TextRole
    start: int
    stop: int
    file: Path
    report: Path
    """File for the facts about the encoder and the events of the work."""
    known: tuple[Path, ...] = ()
    """Bundles whose vectors may be reused."""


def embed_shard(task: ShardTask, isolation: RecordIsolation) -> WorkCounts:
    """Encode the texts of a shard, each distinct text once."""
    texts = _texts(task)
    cached = cached_model(task.model, task.encoder, [text.text for text in texts])
    scorer, before = cached.scorer, len(cached.bench.events)
    assert isinstance(scorer, DenseScorer)  # `load_encoder` has refused all others
    distinct: dict[str, _Text] = {}
    for text in texts:
        distinct.setdefault(text.text, text)
    places = {text: place for place, text in enumerate(distinct)}
    known = task.known if task.role == "document" else ()
    found = _known(list(distinct), known, folder_name(scorer.fingerprint))
    vectors, lost = _encode(list(distinct.values()), found, scorer.encoder, task.role, isolation)
    rows = vectors[[places[text.text] for text in texts]]
    facts = scorer.describe()
    lengths = check_lengths(rows, length_tolerance(facts))
    if lengths.fault:
        row = task.start + lengths.row
        raise UserError(f"{scorer.name}: the vector of {task.role} {row:,} {lengths.fault}. Is the model complete?")
    write_matrix(task.file, [rows], len(texts), rows.shape[1])
    write_text(task.report, json.dumps({"facts": facts, "events": cached.bench.events[before:]}, ensure_ascii=False))
    counts = {
        PLURALS[task.role]: len(texts),
        f"{PLURALS[task.role]}_reused": sum(places[text.text] in found for text in texts),
        zero_count(PLURALS[task.role]): lengths.zeros,
    }
    read = [text.text for text in texts if places[text.text] not in lost]
    return WorkCounts({**counts, **_truncation(read, scorer.encoder, task.role)})


class _Text(NamedTuple):
    """A text and the id of its document or query."""

    id: str
    text: str


def _texts(task: ShardTask) -> list[_Text]:
    bundle = Bundle.open_unverified(task.bundle)
    if task.role == "query":
        return [_Text(query.id, query.text or "") for query in bundle.queries[task.start : task.stop]]
    return [_Text(row.id, row.passage) for row in bundle.rows(task.start, task.stop)]


def _known(texts: Sequence[str], known: tuple[Path, ...], name: str) -> dict[int, Matrix]:
    """Vectors that other bundles have of these texts, by place."""
    found: dict[int, Matrix] = {}
    hashes = [text_hash(text) for text in texts]
    for folder in known:
        places, vectors = open_known(folder, name).find(hashes)
        found.update(zip(places.tolist(), vectors, strict=True))
    return found


def _encode(
    texts: Sequence[_Text], found: Mapping[int, Matrix], encoder: Encoder, role: TextRole, isolation: RecordIsolation
) -> tuple[Matrix, Set[int]]:
    """All vectors, and the places of those that are zero because the encoder failed on their text."""
    missing = [place for place in range(len(texts)) if place not in found]

    def encode(some: tuple[_Text, ...]) -> Matrix:
        fresh = encoder.encode([text.text for text in some], role)
        if fresh.ndim != 2:
            raise UserError(f"{encoder.name}: gave an array of shape {fresh.shape}, expected one vector per text.")
        return fresh

    fresh = isolation.map_shard(
        [texts[place] for place in missing], lambda text: f"{role} {text.id}", encode, _Text("", "a")
    )
    there = {**found, **{p: vector for p, vector in zip(missing, fresh, strict=True) if vector is not None}}
    if not there:
        raise UserError(f"{encoder.name}: fails on every text of a shard. They are named in {isolation.listing}")
    rows = np.zeros((len(texts), len(next(iter(there.values())))), dtype=np.float32)
    for place, vector in there.items():
        rows[place] = vector
    return rows, set(missing) - there.keys()


def _truncation(texts: list[str], encoder: Encoder, role: TextRole) -> dict[str, int]:
    """How much of the texts the encoder does not read; empty if it cannot say."""
    read = encoder.visible(texts, role) if isinstance(encoder, TruncatingEncoder) else None
    if read is None:
        return {}
    lengths = np.array([len(text) for text in texts])
    unread = np.maximum(lengths - read, 0)
    return {
        f"{PLURALS[role]}_truncated": int((unread > 0).sum()),
        f"{role}_characters": int(lengths.sum()),
        f"{role}_characters_unread": int(unread.sum()),
    }


SHOWN_DIGITS = 16


def folder_name(fingerprint: str) -> str:
    """The name of the folder of an encoder's vectors."""
    return fingerprint[:SHOWN_DIGITS]


_HASH = np.dtype([("first", ">u8"), ("second", ">u8")])


class KnownVectors:
    """The vectors of a bundle by hash of the text: sixteen bytes per document in memory, the vectors on disk."""

    def __init__(self, bundle: Bundle, encoder: str) -> None:
        self._vectors: Matrix = map_matrix(bundle.path / files.VECTORS / encoder / files.DOCUMENT_VECTORS)
        hashes = np.frombuffer(bundle.text_hashes(), dtype=_HASH)
        self._order = np.argsort(hashes["first"], kind="stable")
        self._sorted = hashes[self._order]

    def find(self, hashes: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], Matrix]:
        """Which of the texts are known, and their vectors."""
        wanted = np.frombuffer(b"".join(hashes), dtype=_HASH)
        places = np.minimum(np.searchsorted(self._sorted["first"], wanted["first"]), len(self._sorted) - 1)
        known = np.flatnonzero(self._sorted[places] == wanted)
        return known, self._vectors[self._order[places[known]]]


@cache  # keeps them between two shards of a worker process
def open_known(folder: Path, encoder: str) -> KnownVectors:
    """The vectors of a bundle, opened once per process."""
    return KnownVectors(Bundle.open_unverified(folder), encoder)


@contextmanager
def reading_known(folders: Sequence[Path]) -> Iterator[None]:
    """While the block runs, no command can replace these bundles; at its end, their cache is cleared."""
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(locked(folder))
        try:
            yield
        finally:
            open_known.cache_clear()
