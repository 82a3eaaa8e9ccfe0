"""TREC run files: `query Q0 document rank score tag`, one line per hit."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.corpora.base import STRICT_ALWAYS
from constraintsuite.corpora.files import decode, read_lines
from constraintsuite.models.retrieval.base import Hit

_SPACE = re.compile(r"[\s%]")
_LARGEST = float(np.finfo(np.float32).max)


def write_run(path: Path, hits: Mapping[str, Sequence[Hit]], tag: str) -> int:
    """Write the hits of each query so that every tool reads them in this order; returns the number of hits.

    Tools order by score in 32 bits and break ties in different ways. So scores are written in 32 bits, each at least one step
    below the one before. White space in names is percent-encoded.
    """
    count = 0
    with atomic_writer(path) as file:
        for query, found in hits.items():
            for hit, score in zip(found, descending(hit.score for hit in found), strict=True):
                line = f"{_plain(query)} Q0 {_plain(hit.document)} {hit.rank} {score:.9g} {_plain(tag)}\n"
                file.write(line.encode())
                count += 1
    return count


def descending(scores: Iterable[float]) -> list[float]:
    """The scores in 32 bits, lowered if necessary so that each is below the one before."""
    lowered: list[float] = []
    ceiling = np.float32(np.inf)
    for score in scores:
        below = min(np.float32(np.clip(score, -_LARGEST, _LARGEST)), np.nextafter(ceiling, np.float32(-np.inf)))
        lowered.append(float(below))
        ceiling = below
    return lowered


def read_run(path: Path) -> dict[str, list[str]]:
    """The documents of each query as trec_eval orders them: by score in 32 bits, ties by id, the last id first.

    The column of ranks is ignored, as in trec_eval.
    """
    scores: dict[str, dict[str, np.float32]] = defaultdict(dict)
    for line in read_lines(path):
        cells = (decode(line, STRICT_ALWAYS) or "").split()
        if not cells:
            continue
        if len(cells) != 6:
            raise UserError(
                f"{line.where}: expected six columns, query Q0 document rank score tag, found {len(cells)}."
            )
        query, document, score = cells[0], cells[2], _number(cells[4])
        if score is None:
            raise UserError(f"{line.where}: the score {cells[4]!r} is not a number.")
        if document in scores[query]:
            raise UserError(f"{line.where}: the document {document!r} was there before for the query {query!r}.")
        scores[query][document] = score
    if not scores:
        raise UserError(f"{path}: this run holds no hit. Is it the right file?")
    return {query: _ordered(found) for query, found in scores.items()}


def name_as_judged(run: Mapping[str, list[str]], judged: Iterable[str]) -> Mapping[str, list[str]]:
    """Decode the names of a run if `write_run` has probably written it.

    A file does not say who wrote it, and names of another tool may contain a %. So every name must be one that `write_run`
    could have written, and more judged names must match in the encoded form than as they are.
    """
    odd = [name for name in judged if _plain(name) != name]
    there = {*run, *(document for found in run.values() for document in found)}
    ours = sum(_plain(name) in there for name in odd) > sum(name in there for name in odd)
    if not ours or any(_plain(unquote(name)) != name for name in there):
        return run
    return {unquote(query): [unquote(document) for document in found] for query, found in run.items()}


def _ordered(scores: Mapping[str, np.float32]) -> list[str]:
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def _number(text: str) -> np.float32 | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return np.float32(np.clip(number, -_LARGEST, _LARGEST)) if np.isfinite(number) else None


def _plain(name: str) -> str:
    return _SPACE.sub(lambda character: quote(character[0]), name)
