"""The one form under which all mentions of an entity meet, the entities that a text names, and names that are alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.graph import BoolArray, FloatArray, Int32Array

if TYPE_CHECKING:
    from constraintsuite.memory.dense import DenseIndex, Matrix

_SPACE = re.compile(r"\s+")
_APOSTROPHES = str.maketrans("’‘ʼ＇", "''''")
_ARTICLES = re.compile(r"(?:(?:the|an?) )+(?=\S)")
_POSSESSIVE = re.compile(r"(?<=[^'\s])(?:'s?)+$")
_TOKEN = re.compile(r"\w+|[^\w\s]")
MOST = 10
"""Links of one name: a link counts if each of the two is among so many that are nearest to the other."""
_CELLS = 4_000_000  # of the products that are looked at at once
_ROUNDING = 1e-5  # products that are made many at once differ by less from those that are made one by one


def normalise_entity(name: str) -> str:
    """A name without case, compatibility characters, spare white space, leading article and possessive.

    What has been normalised stays as it is; a name of nothing but an article is kept.
    """
    folded = _fold(name)
    return _POSSESSIVE.sub("", _ARTICLES.sub("", folded, count=1) if _ARTICLES.match(folded) else folded)


def _fold(text: str) -> str:
    if text.isascii():  # the common case, eight times as fast
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_APOSTROPHES)
    return _SPACE.sub(" ", folded).strip()


class EntityFinder:
    """Finds known entities in a text: between word boundaries, from left to right, the longest where several begin."""

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers: dict[str, list[int]] = {}  # by form; all of them, because the first may not be asked for
        self._longest: dict[str, int] = {}  # by first token: how many tokens its longest name has
        for number, name in enumerate(names):
            form = normalise_entity(name)
            tokens = _TOKEN.findall(form)
            if tokens:
                self._numbers.setdefault(form, []).append(number)
                self._longest[tokens[0]] = max(self._longest.get(tokens[0], 0), len(tokens))

    def find(self, text: str, among: BoolArray | None = None) -> list[int]:
        """Positions in `names` of the entities, each once, in the order in which they are first named; with `among`, as if
        the others were not known."""
        folded = _fold(text)
        tokens = list(_TOKEN.finditer(folded))
        found: dict[int, None] = {}
        at = 0
        while at < len(tokens):
            most = min(self._longest.get(tokens[at].group(), 0), len(tokens) - at)
            for count in range(most, 0, -1):
                numbers = self._numbers.get(folded[tokens[at].start() : tokens[at + count - 1].end()], ())
                number = next((one for one in numbers if among is None or among[one]), None)
                if number is not None:
                    found[number] = None
                    at += count - 1
                    break
            at += 1
        return list(found)


class EntitySynonyms(NamedTuple):
    """Pairs of entities by their places among the names, each pair once, the first below the second, sorted."""

    first: Int32Array
    second: Int32Array
    cosine: FloatArray

    def take(self, rows: BoolArray | npt.NDArray[np.intp]) -> EntitySynonyms:
        """The pairs in these rows, given by a mask or by numbers."""
        return EntitySynonyms(self.first[rows], self.second[rows], self.cosine[rows])


class NameVectors:
    """The vectors of names, each embedded when it is first asked for."""

    def __init__(self, index: DenseIndex) -> None:
        self._index = index
        self._rows: dict[str, Matrix] = {}

    def synonyms(self, names: Sequence[str], least: float, among: BoolArray) -> EntitySynonyms:
        """Those of some of the names whose cosine is at least `least`."""
        places = np.flatnonzero(among).astype(np.int32)
        some = [names[place] for place in places.tolist()]
        if len(some) < 2:
            return EntitySynonyms(places[:0], places[:0], np.empty(0))
        links = _mutual(_nearest(self._vectors(some), least), len(some))
        forms = [normalise_entity(name) for name in some]
        other = [forms[a] != forms[b] for a, b in zip(links.first.tolist(), links.second.tolist(), strict=True)]
        kept = links.take(np.array(other, dtype=np.bool_))
        return EntitySynonyms(places[kept.first], places[kept.second], kept.cosine)

    def _vectors(self, names: Sequence[str]) -> Matrix:
        """One row a name, of length 1, or of 0 where the encoder gives nothing."""
        new = [name for name in dict.fromkeys(names) if name not in self._rows]
        if new:
            rows = self._index.embed(new)
            rows = rows / np.maximum(np.sqrt(np.vecdot(rows, rows)), np.float32(1e-12))[:, None]
            self._rows |= zip(new, rows, strict=True)
        return np.stack([self._rows[name] for name in names])


def _nearest(vectors: Matrix, least: float) -> EntitySynonyms:
    """Of each row the most alike others, both ways; of equal ones the first."""
    found = []
    step = max(1, _CELLS // len(vectors))
    for start in range(0, len(vectors), step):
        rough = vectors[start : start + step] @ vectors.T
        rough[np.arange(len(rough)), np.arange(start, start + len(rough))] = -np.inf
        row, other = np.nonzero(rough >= least - _ROUNDING)
        nearness = np.round(rough[row, other], 5)  # so that equal names tie, whatever stands beside them
        order = np.lexsort((other, -nearness, row))
        rank = np.arange(len(row)) - np.searchsorted(row, row)
        kept = order[rank < MOST]
        found.append((row[kept] + start, other[kept]))
    first, second = (np.concatenate(column) for column in zip(*found, strict=True))
    cosine = np.vecdot(vectors[first].astype(np.float64), vectors[second].astype(np.float64))
    return EntitySynonyms(first.astype(np.int32), second.astype(np.int32), cosine).take(cosine >= least)


def _mutual(links: EntitySynonyms, names: int) -> EntitySynonyms:
    """Those that lead both ways."""
    there = links.first.astype(np.int64) * names + links.second
    back = links.second.astype(np.int64) * names + links.first
    kept = np.flatnonzero((links.first < links.second) & np.isin(there, back))
    return links.take(kept[np.argsort(there[kept])])
