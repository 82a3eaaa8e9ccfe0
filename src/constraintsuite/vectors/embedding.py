"""The work of one shard."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.execution.stage import Outcome
from constraintsuite.models.base import Encoder, Role
from constraintsuite.models.dense import TruncatingEncoder
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.encoders import encoder_for, folder_name
from constraintsuite.vectors.lengths import check_lengths, slack_of, zero_count
from constraintsuite.vectors.matrices import Matrix, write_matrix
from constraintsuite.vectors.reuse import open_known
from constraintsuite.vectors.tables import text_hash

PLURALS: Mapping[Role, str] = {"document": "documents", "query": "queries"}


@dataclass(frozen=True)
class ShardTask:
    """Some rows of a bundle, and where their vectors go."""

    bundle: Path
    model: str
    encoder: str
    """Its fingerprint."""
    role: Role
    start: int
    stop: int
    file: Path
    known: tuple[Path, ...] = ()
    """Bundles whose vectors may be used."""


def embed_shard(task: ShardTask) -> Outcome:
    """Encode the texts of a shard, each distinct one once."""
    texts = _texts(task)
    scorer = encoder_for(task.model, task.encoder, texts)
    distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    known = task.known if task.role == "document" else ()
    vectors, reused = _encode(list(distinct), scorer.encoder, task.role, known, folder_name(scorer.fingerprint))
    rows = vectors[[distinct[text] for text in texts]]
    lengths = check_lengths(rows, slack_of(scorer.describe()))
    if lengths.fault:
        row = task.start + lengths.row
        raise UserError(f"{scorer.name}: the vector of {task.role} {row:,} {lengths.fault}. Is this model whole?")
    write_matrix(task.file, [rows], len(texts), rows.shape[1])
    counts = {
        PLURALS[task.role]: len(texts),
        f"{PLURALS[task.role]}_reused": sum(distinct[text] in reused for text in texts),
        zero_count(PLURALS[task.role]): lengths.zeros,
    }
    return Outcome({**counts, **_truncation(texts, scorer.encoder, task.role)})


def _texts(task: ShardTask) -> list[str]:
    bundle = Bundle.open(task.bundle)
    if task.role == "query":
        return [query.text or "" for query in bundle.queries[task.start : task.stop]]
    return [row.passage for row in bundle.rows(task.start, task.stop)]


def _encode(
    texts: list[str], encoder: Encoder, role: Role, known: tuple[Path, ...], name: str
) -> tuple[Matrix, Set[int]]:
    """The vectors, and which of them others had."""
    found: dict[int, Matrix] = {}
    hashes = [text_hash(text) for text in texts]
    for other in open_known(known, name):
        places, vectors = other.find(hashes)
        found.update(zip(places.tolist(), vectors, strict=True))
    missing = [place for place in range(len(texts)) if place not in found]
    fresh = encoder.encode([texts[place] for place in missing], role) if missing else None
    example = fresh if fresh is not None else next(iter(found.values()))
    rows = np.empty((len(texts), example.shape[-1]), dtype=np.float32)
    if fresh is not None:
        if fresh.ndim != 2:
            raise UserError(f"{encoder.name}: gave an array of shape {fresh.shape}, expected one vector a text.")
        rows[missing] = fresh
    for place, vector in found.items():
        rows[place] = vector
    return rows, found.keys()


def _truncation(texts: list[str], encoder: Encoder, role: Role) -> dict[str, int]:
    """How much of the texts the encoder does not read; nothing where it cannot say."""
    if not isinstance(encoder, TruncatingEncoder):
        return {}
    lengths = np.array([len(text) for text in texts])
    unread = np.maximum(lengths - encoder.visible(texts, role), 0)
    return {
        f"{PLURALS[role]}_truncated": int((unread > 0).sum()),
        f"{role}_characters": int(lengths.sum()),
        f"{role}_characters_unread": int(unread.sum()),
    }
