"""Full text: which examples hold some words, in a query or a document."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from constraintsuite.records.examples import Example
from constraintsuite.reports.marks import Segment, TextMark, cut
from constraintsuite.web.suites.facets import Mask

MOST = 20
"""Words and phrases of one search that are looked for."""
_AROUND = 70  # characters
_TERM = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class TextIndex:
    """Every distinct text once: documents stand in several examples."""

    size: int
    texts: tuple[str, ...]
    examples: NDArray[np.int64]
    """Which example holds the text beside it in `owners`."""
    owners: NDArray[np.int64]

    def holding(self, terms: Sequence[str]) -> Mask:
        """The examples that hold all terms, each somewhere."""
        found = np.ones(self.size, dtype=bool)
        for term in terms:
            hits = np.fromiter((term in text for text in self.texts), dtype=bool, count=len(self.texts))
            holds = np.zeros(self.size, dtype=bool)
            holds[self.examples[hits[self.owners]]] = True
            found &= holds
        return found


def index_texts(examples: Sequence[Example]) -> TextIndex:
    """The texts of examples, ready to be searched."""
    places: dict[str, int] = {}
    pairs = [
        (number, places.setdefault(text, len(places)))
        for number, example in enumerate(examples)
        for text in _texts(example)
    ]
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64, count=2 * len(pairs)).reshape(-1, 2)
    return TextIndex(len(examples), tuple(folded(text) for text in places), flat[:, 0], flat[:, 1])


def parse_terms(search: str) -> tuple[str, ...]:
    """The words of a search, and what stands between quotation marks as a whole."""
    terms = (folded(phrase or word).strip() for phrase, word in _TERM.findall(search))
    return tuple(dict.fromkeys(term for term in terms if term))[:MOST]


def snippet(example: Example, terms: Sequence[str]) -> tuple[Segment, ...]:
    """Where a document first holds one of the terms; empty where only a query does."""
    wanted = re.compile("|".join(map(re.escape, terms)), re.IGNORECASE) if terms else None
    for text in (document.text for document in example.documents):
        found = wanted.search(text) if wanted else None
        if found:
            start = max(0, text.rfind(" ", 0, max(0, found.start() - _AROUND)) + 1)
            end = text.find(" ", found.end() + _AROUND)
            end = len(text) if end < 0 else end
            marks = [TextMark(found.start() - start, found.end() - start, "found")]
            before, after = "… " if start else "", " …" if end < len(text) else ""
            return (Segment(before), *cut(text[start:end], marks), Segment(after))
    return ()


def folded(text: str) -> str:
    """As it is compared: without case, composed."""
    return unicodedata.normalize("NFC", text).casefold()


def _texts(example: Example) -> tuple[str, ...]:
    asked = "\n".join((example.id, *example.queries.values()))
    return asked, *(f"{document.title}\n{document.text}" for document in example.documents)
