"""The first pass over a corpus, and how what it found is kept for a build that is run again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.corpora.base import BadRow, BadRows, Source
from constraintsuite.execution.progress import Reporter
from constraintsuite.records.text import Document
from constraintsuite.store.files import atomic_writer, write_text
from constraintsuite.store.jsonl import adapter
from constraintsuite.store.workspace import Workspace
from constraintsuite.vectors.keys import KeyMaker
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.strata import StrataReader
from constraintsuite.vectors.survey import Survey, survey
from constraintsuite.vectors.tables import passage, text_hash
from constraintsuite.vectors.twins import TextHashes

_KEYS, _HASHES, _STRATA, _REST = "keys.npy", "hashes.npy", "strata.npy", "survey.json"


@dataclass(frozen=True)
class FirstPass:
    """What is kept of a corpus after one pass: some bytes of each document."""

    survey: Survey
    hashes: TextHashes | None
    """Only where equal texts are looked for."""
    strata: npt.NDArray[np.uint16] | None
    names: list[str]
    """Of the strata."""
    bytes: int
    """Of all texts, as they are written."""
    bad: BadRows


def read_corpus(
    source: Source,
    settings: SubsetSettings,
    wanted: frozenset[str],
    bad: BadRows,
    reporter: Reporter,
    space: Workspace | None = None,
) -> FirstPass:
    """Read all documents once, unless `space` has kept what such a pass found; an id that is there twice is a UserError."""
    reader = _Reader(source, settings, bad)
    if space is not None and space.is_done("surveyed"):
        reporter.note("The documents were surveyed before; that is not done again.")
        return _recall(space.stages, reader.ids)
    make_keys = KeyMaker("corpus", settings.namespace or source.name, settings.seed)
    with reporter.track("documents", None) as advance:
        found = survey(reader.ids, make_keys, wanted, advance)
    found.refuse_repeated_ids()
    seen = reader.seen(found)
    if space is not None:
        _keep(seen, space)
    return seen


def left_out_before(space: Workspace) -> Mapping[str, int]:
    """Broken rows that the pass which `space` has kept left out, by reason."""
    counts: dict[str, int] = _rest(space.stages)["bad"]["counts"] if space.is_done("surveyed") else {}
    return counts


class _Reader:
    """Notes what is wanted of each document as it passes; a second reading begins anew."""

    def __init__(self, source: Source, settings: SubsetSettings, bad: BadRows) -> None:
        self._source = source
        self._bad = bad
        self._strata = StrataReader(settings.strata) if settings.mode == "stratified" else None
        self._hashing = settings.dedup == "exact_text"
        self._readings = 0

    def ids(self) -> Iterator[str]:
        """The id of each document."""
        bad = BadRows(skip=self._bad.skip) if self._readings else self._bad  # each bad row is counted once
        self._readings += 1
        self._bytes, self._hashes = 0, bytearray()
        documents: Iterable[Document] = self._source.documents(bad)
        for document in documents if self._strata is None else self._strata.reading(documents):
            self._bytes += _bytes_of(document.text) + _bytes_of(document.title)
            if self._hashing:
                self._hashes += text_hash(passage(document.title, document.text))
            yield document.id

    def seen(self, found: Survey) -> FirstPass:
        """All that was noted."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64).reshape(-1, 2) if self._hashing else None
        codes, names = self._strata.result() if self._strata else (None, [])
        return FirstPass(found, hashes, codes, names, self._bytes, self._bad)


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())  # whether it is ASCII, a string knows


def _keep(seen: FirstPass, space: Workspace) -> None:
    for name, array in ((_KEYS, seen.survey.keys), (_HASHES, seen.hashes), (_STRATA, seen.strata)):
        if array is not None:
            with atomic_writer(space.stages / name) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    rest = {
        "found": seen.survey.found,
        "names": seen.names,
        "bytes": seen.bytes,
        "bad": {"skip": seen.bad.skip, "counts": seen.bad.counts, "rows": [asdict(row) for row in seen.bad.rows]},
    }
    write_text(space.stages / _REST, json.dumps(rest))
    space.mark_done("surveyed")


def _recall(folder: Path, ids: Callable[[], Iterator[str]]) -> FirstPass:
    rest = _rest(folder)
    hashes, strata = (np.load(folder / name) if (folder / name).is_file() else None for name in (_HASHES, _STRATA))
    rows = [adapter(BadRow).validate_python(row) for row in rest["bad"]["rows"]]
    bad = BadRows(rest["bad"]["skip"], Counter(rest["bad"]["counts"]), rows)
    keys = np.load(folder / _KEYS)
    return FirstPass(Survey(keys, rest["found"], ids), hashes, strata, rest["names"], rest["bytes"], bad)


def _rest(folder: Path) -> dict[str, Any]:
    rest: dict[str, Any] = json.loads((folder / _REST).read_text(encoding="utf-8"))
    return rest
