"""Training data in one form: a query, some texts, and a score for each; each distinct text is kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.tuning.data.exclusion import Exclusion

TEXTS, ROWS = "texts.jsonl", "lists.jsonl"


@dataclass(frozen=True, slots=True)
class ListRow:
    """A list by the places of its texts; the first of `texts` is the right one."""

    query: int
    texts: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Lists:
    """All lists of a task."""

    texts: Sequence[str]
    rows: Sequence[ListRow]

    def write(self, folder: Path) -> None:
        """Into two files."""
        write_jsonl(folder / TEXTS, self.texts)
        write_jsonl(folder / ROWS, self.rows)

    @classmethod
    def read(cls, folder: Path) -> Lists:
        """From the files that `write` left."""
        return cls(list(read_jsonl(folder / TEXTS, str)), list(read_jsonl(folder / ROWS, ListRow)))


@dataclass(frozen=True)
class Prepared:
    """The lists of a task, what they were made from, and what was left out of them."""

    lists: Lists
    counts: Mapping[str, int]
    rejects: Mapping[str, int]


@dataclass(frozen=True)
class DataContext:
    """What the making of data finds in its place."""

    exclusion: Exclusion
    reporter: Reporter = field(default_factory=Silent)


class ListsBuilder:
    """Puts lists together, less the texts that must not be trained on."""

    def __init__(self, exclusion: Exclusion) -> None:
        self.rejects: Counter[str] = Counter()
        self._exclusion = exclusion
        self._places: dict[str, int] = {}
        self._rows: list[ListRow] = []

    def add(self, query: str, texts: Sequence[str], scores: Sequence[float]) -> None:
        """One list; a forbidden text is left out of it, and without its query or its first text it is no list."""
        if self._exclusion.forbids(query) or self._exclusion.forbids(texts[0]):
            self.rejects["forbidden_list"] += 1
            return
        kept = [(text, score) for text, score in zip(texts, scores, strict=True) if not self._exclusion.forbids(text)]
        self.rejects["forbidden_text"] += len(texts) - len(kept)
        if len(kept) < 2:
            self.rejects["too_short_list"] += 1
            return
        places = tuple(self._place(text) for text, _ in kept)
        self._rows.append(ListRow(self._place(query), places, tuple(score for _, score in kept)))

    def done(self, counts: Mapping[str, int] | None = None) -> Prepared:
        """All lists that were added."""
        lists = Lists(list(self._places), self._rows)
        rejects = {reason: count for reason, count in self.rejects.items() if count}
        return Prepared(lists, {**(counts or {}), "lists": len(self._rows), "texts": len(self._places)}, rejects)

    def _place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))


def pairs_of(lists: Lists) -> Iterator[tuple[str, str]]:
    """Every query and text that stand together."""
    for row in lists.rows:
        for text in row.texts:
            yield lists.texts[row.query], lists.texts[text]


def distinct(texts: Iterable[str]) -> list[str]:
    """Each text once, in order."""
    return list(dict.fromkeys(texts))
