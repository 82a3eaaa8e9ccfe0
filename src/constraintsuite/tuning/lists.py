"""Training data in one form: a query, some texts, and a score for each; each distinct text is kept once.

Texts that must not be trained on, such as a test set, are recognised whatever their case and punctuation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_core import from_json

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.text.terms import words

TEXTS, ROWS = "texts.jsonl", "lists.jsonl"
_FEWEST_WORDS = 3  # a shorter one is an id or a name


@dataclass(frozen=True)
class Exclusion:
    """Texts that must not be trained on, in their plain form."""

    texts: frozenset[str] = frozenset()

    def forbids(self, text: str) -> bool:
        """Whether a text is one of them."""
        return bool(self.texts) and plain_form(text) in self.texts


@dataclass(frozen=True, slots=True)
class ListRow:
    """A list by the numbers of its texts; the first of `texts` is the right one."""

    query: int
    texts: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Lists:
    """All lists of a task."""

    texts: Sequence[str]
    rows: Sequence[ListRow]

    def write(self, folder: Path) -> None:
        """Write the texts and the rows into two files of a folder."""
        write_jsonl(folder / TEXTS, self.texts)
        write_jsonl(folder / ROWS, self.rows)

    @classmethod
    def read(cls, folder: Path) -> Lists:
        """Read the files of `write`."""
        return cls(list(read_jsonl(folder / TEXTS, str)), list(read_jsonl(folder / ROWS, ListRow)))


@dataclass(frozen=True)
class Prepared:
    """The lists of a task, what they were made from, and what was left out."""

    lists: Lists
    counts: Mapping[str, int]
    rejects: Mapping[str, int]


@dataclass(frozen=True)
class DataContext:
    """What all readers of data need."""

    exclusion: Exclusion
    reporter: Reporter = field(default_factory=Silent)


class ListsBuilder:
    """Collects lists, without the texts that must not be trained on."""

    def __init__(self, exclusion: Exclusion) -> None:
        self.rejects: Counter[str] = Counter()
        self._exclusion = exclusion
        self._places: dict[str, int] = {}
        self._rows: list[ListRow] = []

    def add(self, query: str, texts: Sequence[str], scores: Sequence[float]) -> None:
        """Add a list without its forbidden texts; if the query or the first text is forbidden, leave it out."""
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
        """The lists that were added."""
        lists = Lists(list(self._places), self._rows)
        rejects = {reason: count for reason, count in self.rejects.items() if count}
        return Prepared(lists, {**(counts or {}), "lists": len(self._rows), "texts": len(self._places)}, rejects)

    def _place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))


def pairs_of(lists: Lists) -> Iterator[tuple[str, str]]:
    """Every query with each of its texts."""
    for row in lists.rows:
        for text in row.texts:
            yield lists.texts[row.query], lists.texts[text]


def plain_form(text: str) -> str:
    """The words of a text in lower case, and nothing else."""
    return " ".join(words(text))


def read_exclusion(paths: Iterable[Path]) -> Exclusion:
    """Read all texts of at least three words from files of JSON lines, or from all such files of a folder."""
    return Exclusion(frozenset(form for path in paths for file in _files(path) for form in _forms(file)))


def exclusion_inputs(paths: Iterable[Path]) -> dict[str, str]:
    """The hash of each file, for a manifest."""
    return {
        f"exclude {file.name} {number}": sha256_of(file)
        for number, file in enumerate(f for p in paths for f in _files(p))
    }


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(file for file in path.rglob("*.jsonl") if file.is_file()) if path.is_dir() else []
    if not files:
        raise UserError(f"exclude: {path}: there is no such file, and no folder with *.jsonl files.")
    return files


def _forms(file: Path) -> Iterator[str]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record: object = from_json(line)
            except ValueError as error:
                raise UserError(
                    f"{file}:{number}: this is not JSON ({error}), so its texts cannot be kept out."
                ) from None
            for text in _strings(record):
                form = plain_form(text)
                if form.count(" ") >= _FEWEST_WORDS - 1:
                    yield form


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
