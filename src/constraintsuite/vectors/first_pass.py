"""The first pass over a corpus, whose result is stored for a build that is resumed."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.text import Document, passage_of
from constraintsuite.core.store.files import atomic_writer, write_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.corpora.base import BadRow, BadRows, Source
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.survey import KeyMaker, Survey, TextHashes, survey, text_hash

_KEYS, _HASHES, _STRATA, _REST = "keys.npy", "hashes.npy", "strata.npy", "survey.json"
LENGTH, MISSING = "length", "(none)"
_MOST_STRATA = 1_000


@dataclass(frozen=True)
class FirstPass:
    """What one pass over the corpus found: a few bytes per document."""

    survey: Survey
    hashes: TextHashes | None
    """Only if equal texts are looked for."""
    strata: npt.NDArray[np.uint16] | None
    names: list[str]
    """Names of the strata."""
    bytes: int
    """Bytes of all texts."""
    bad: BadRows


def read_corpus(
    source: Source,
    settings: SubsetSettings,
    wanted: frozenset[str],
    bad: BadRows,
    reporter: Reporter,
    space: Workspace | None = None,
) -> FirstPass:
    """Read all documents once, unless the result of such a pass is stored in `space`.

    Raises UserError if an id is repeated.
    """
    reader = _Reader(source, settings, bad)
    if space is not None and space.is_done("surveyed"):
        reporter.note("The documents were surveyed before; this pass is not repeated.")
        return _load(space.stages, reader.ids)
    make_keys = KeyMaker("corpus", settings.namespace or source.name, settings.seed)
    with reporter.track("documents", None) as advance:
        found = survey(reader.ids, make_keys, wanted, advance)
    found.refuse_repeated_ids()
    seen = reader.seen(found)
    if space is not None:
        _store(seen, space)
    return seen


def left_out_before(space: Workspace) -> Mapping[str, int]:
    """Broken rows that the stored pass left out, by reason."""
    counts: dict[str, int] = _rest(space.stages)["bad"]["counts"] if space.is_done("surveyed") else {}
    return counts


class _Reader:
    """Reads the ids, and collects what the settings need of each document; another reading starts again."""

    def __init__(self, source: Source, settings: SubsetSettings, bad: BadRows) -> None:
        self._source, self._settings, self._bad = source, settings, bad
        self._by = settings.strata if settings.mode == "stratified" else None
        self._hashing = settings.dedup == "exact_text"
        self._numbers: dict[str, int] = {}
        self._readings = 0

    def ids(self) -> Iterator[str]:
        """The id of each document."""
        bad = BadRows(skip=self._bad.skip) if self._readings else self._bad  # count each bad row once
        self._readings += 1
        self._bytes, self._hashes, self._codes = 0, bytearray(), array("H")
        for document in self._source.documents(bad):
            self._bytes += _bytes_of(document.text) + _bytes_of(document.title)
            if self._hashing:
                self._hashes += text_hash(passage_of(document.title, document.text))
            if self._by is not None:
                self._codes.append(self._number(stratum_of(document, self._by)))
            yield document.id

    def seen(self, found: Survey) -> FirstPass:
        """What was collected during the last reading, together with the survey `found`."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64).reshape(-1, 2) if self._hashing else None
        codes, names = self._strata() if self._by is not None else (None, [])
        return FirstPass(found, hashes, codes, names, self._bytes, self._bad)

    def _number(self, name: str) -> int:
        """The number of a stratum, in the order of their first documents."""
        if name not in self._numbers and len(self._numbers) == _MOST_STRATA:
            raise UserError(
                f"--strata {self._by}: more than {_MOST_STRATA:,} different values. Choose a field with fewer."
            )
        return self._numbers.setdefault(name, len(self._numbers))

    def _strata(self) -> tuple[npt.NDArray[np.uint16], list[str]]:
        """The stratum of each document, and the sorted names of the strata."""
        if list(self._numbers) == [MISSING]:
            raise UserError(f"--strata {self._by}: no document has a field of that name.")
        names = sorted(self._numbers, key=_sort_key)
        renumbered = np.zeros(len(names), dtype=np.uint16)
        for number, name in enumerate(names):
            renumbered[self._numbers[name]] = number
        return renumbered[np.frombuffer(self._codes, dtype=np.uint16)], names


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())  # isascii is fast


def _store(seen: FirstPass, space: Workspace) -> None:
    for name, values in ((_KEYS, seen.survey.keys), (_HASHES, seen.hashes), (_STRATA, seen.strata)):
        if values is not None:
            with atomic_writer(space.stages / name) as file:
                np.lib.format.write_array(file, values, allow_pickle=False)
    rest = {
        "found": seen.survey.found,
        "names": seen.names,
        "bytes": seen.bytes,
        "bad": {"skip": seen.bad.skip, "counts": seen.bad.counts, "rows": [asdict(row) for row in seen.bad.rows]},
    }
    write_text(space.stages / _REST, json.dumps(rest))
    space.mark_done("surveyed")


def _load(folder: Path, ids: Callable[[], Iterator[str]]) -> FirstPass:
    rest = _rest(folder)
    hashes, strata = (np.load(folder / name) if (folder / name).is_file() else None for name in (_HASHES, _STRATA))
    rows = [adapter(BadRow).validate_python(row) for row in rest["bad"]["rows"]]
    bad = BadRows(rest["bad"]["skip"], Counter(rest["bad"]["counts"]), rows)
    keys = np.load(folder / _KEYS)
    return FirstPass(Survey(keys, rest["found"], ids), hashes, strata, rest["names"], rest["bytes"], bad)


def _rest(folder: Path) -> dict[str, Any]:
    rest: dict[str, Any] = json.loads((folder / _REST).read_text(encoding="utf-8"))
    return rest


def stratum_of(document: Document, by: str) -> str:
    """The stratum of a document: its length in words, in buckets that double, or the value of a field."""
    if by != LENGTH:
        return document.metadata.get(by, MISSING)
    words = len(document.text.split())
    top = max(16, 1 << max(0, words - 1).bit_length())
    return f"{top // 2 + 1 if top > 16 else 1}-{top} words"


def _sort_key(name: str) -> tuple[int, str]:
    """Sort key of a stratum: lengths by number, others by name."""
    first = name.partition("-")[0]
    return (int(first) if name.endswith(" words") and first.isdecimal() else 0, name)
