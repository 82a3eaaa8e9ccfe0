"""Names of entities: their normal form, finding known names in a text, and pairs of names that are alike."""

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
"""The most links of one name: a link counts if each of the two names is among this many nearest of the other."""
_CELLS = 4_000_000  # of the matrix of products that is in memory at once
_ROUNDING = 1e-5  # a product from a matrix multiplication differs by less from one that is computed alone


def normalise_entity(name: str) -> str:
    """Remove case, compatibility characters, extra white space, leading articles and possessives from a name.

    Normalising twice changes nothing more; a name that is only an article is kept.
    """
    folded = _fold(name)
    return _POSSESSIVE.sub("", _ARTICLES.sub("", folded, count=1) if _ARTICLES.match(folded) else folded)


def _fold(text: str) -> str:
    if text.isascii():  # the common case, eight times faster
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_APOSTROPHES)
    return _SPACE.sub(" ", folded).strip()


class EntityFinder:
    """Finds known entities in a text: at word boundaries, from left to right, the longest where several begin."""

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers: dict[str, list[int]] = {}  # by form; all of them, because `among` may exclude the first
        self._longest: dict[str, int] = {}  # by first token: the number of tokens of its longest name
        for number, name in enumerate(names):
            form = normalise_entity(name)
            tokens = _TOKEN.findall(form)
            if tokens:
                self._numbers.setdefault(form, []).append(number)
                self._longest[tokens[0]] = max(self._longest.get(tokens[0], 0), len(tokens))

    def find(self, text: str, among: BoolArray | None = None) -> list[int]:
        """Return the positions in `names` of the entities, each once, in the order of the text.

        Names outside of `among` count as unknown.
        """
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
    """Pairs of entities by their positions among the names, each pair once, the first below the second, sorted."""

    first: Int32Array
    second: Int32Array
    cosine: FloatArray

    def take(self, rows: BoolArray | npt.NDArray[np.intp]) -> EntitySynonyms:
        """Return some rows, given by a mask or by numbers."""
        return EntitySynonyms(self.first[rows], self.second[rows], self.cosine[rows])


class NameVectors:
    """The vectors of names; each name is embedded at first use."""

    def __init__(self, index: DenseIndex) -> None:
        self._index = index
        self._rows: dict[str, Matrix] = {}

    def synonyms(self, names: Sequence[str], least: float, among: BoolArray) -> EntitySynonyms:
        """Return the pairs of `among` whose names have at least a cosine of `least`."""
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
        """Return one row per name, of length 1, or 0 if the encoder gives a zero vector."""
        new = [name for name in dict.fromkeys(names) if name not in self._rows]
        if new:
            rows = self._index.embed(new)
            rows = rows / np.maximum(np.sqrt(np.vecdot(rows, rows)), np.float32(1e-12))[:, None]
            self._rows |= zip(new, rows, strict=True)
        return np.stack([self._rows[name] for name in names])


def _nearest(vectors: Matrix, least: float) -> EntitySynonyms:
    """Return, for each row, its most similar others; of equals the first."""
    found = []
    step = max(1, _CELLS // len(vectors))
    for start in range(0, len(vectors), step):
        rough = vectors[start : start + step] @ vectors.T
        rough[np.arange(len(rough)), np.arange(start, start + len(rough))] = -np.inf
        row, other = np.nonzero(rough >= least - _ROUNDING)
        nearness = np.round(rough[row, other], 5)  # so that equal names tie, whatever else is in the matrix
        order = np.lexsort((other, -nearness, row))
        rank = np.arange(len(row)) - np.searchsorted(row, row)
        kept = order[rank < MOST]
        found.append((row[kept] + start, other[kept]))
    first, second = (np.concatenate(column) for column in zip(*found, strict=True))
    cosine = np.vecdot(vectors[first].astype(np.float64), vectors[second].astype(np.float64))
    return EntitySynonyms(first.astype(np.int32), second.astype(np.int32), cosine).take(cosine >= least)


def _mutual(links: EntitySynonyms, names: int) -> EntitySynonyms:
    """Return the links that exist in both directions."""
    there = links.first.astype(np.int64) * names + links.second
    back = links.second.astype(np.int64) * names + links.first
    kept = np.flatnonzero((links.first < links.second) & np.isin(there, back))
    return links.take(kept[np.argsort(there[kept])])
