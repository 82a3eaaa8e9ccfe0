"""Answers of a blind reading: who counts, what is still unread, and the shares of valid examples."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.core.store.jsonl import read_jsonl
from reading_items import KeyRow
from reading_plants import UNSURE

QUESTIONS = ("natural", "clear", "violates", "satisfies", "on_topic", "edit")
MOST_MISSED = 0.1
"""A reader who misses a larger share of the plants does not count."""
ALL = "all"
_FILE = re.compile(r"(?P<reader>.+)-(?P<batch>batch-\d+)")


@dataclass(frozen=True)
class Answer:
    """What a reader said of an item."""

    item: str
    natural: bool
    clear: bool
    violates: bool
    satisfies: bool
    on_topic: bool
    edit: bool
    reason: str = ""

    @property
    def faults(self) -> tuple[str, ...]:
        """The questions that were answered with no."""
        return tuple(question for question in QUESTIONS if not getattr(self, question))


@dataclass(frozen=True)
class Reading:
    """All answers of a folder, by reader and item."""

    key: Mapping[str, KeyRow]
    answers: Mapping[str, Mapping[str, Answer]]

    def caught(self, reader: str) -> Interval:
        """The share of the plants in which the reader found a fault."""
        plants = [answer for item, answer in self.answers[reader].items() if self.key[item].plant not in ("", UNSURE)]
        return wilson(sum(bool(answer.faults) for answer in plants), len(plants))

    def counts(self, reader: str) -> bool:
        """Whether the reader met plants, and missed at most one in ten of them."""
        value = self.caught(reader).value
        return value is not None and value >= 1 - MOST_MISSED

    def faults(self) -> dict[str, frozenset[str]]:
        """The faults of every example that a reader who counts has read; one reader's no is enough."""
        found: dict[str, frozenset[str]] = {}
        for reader in filter(self.counts, self.answers):
            for item, answer in self.answers[reader].items():
                if not self.key[item].plant:
                    found[item] = found.get(item, frozenset()) | frozenset(answer.faults)
        return found

    def unread(self) -> dict[str, int]:
        """The number of examples that nobody who counts has read, by batch."""
        read = self.faults()
        left = Counter(row.batch for row in self.key.values() if not row.plant and row.item not in read)
        return dict(sorted(left.items()))


def read_reading(folder: Path) -> Reading:
    """The key and the answers of a folder. Raises UserError for answers that are not those to their batch."""
    key = {row.item: row for row in read_jsonl(folder / "key.jsonl", KeyRow)}
    answers: dict[str, dict[str, Answer]] = defaultdict(dict)
    for path in sorted((folder / "answers").glob("*.jsonl")):
        name = _FILE.fullmatch(path.stem)
        if name is None:
            raise UserError(f"{path}: the name must be READER-batch-01.jsonl, with the reader and the batch.")
        given = list(read_jsonl(path, Answer))
        asked = [row.item for row in key.values() if row.batch == name["batch"]]
        wrong = Counter(answer.item for answer in given)
        wrong.subtract(asked)
        faults = sorted(item for item, count in wrong.items() if count)
        if faults:
            raise UserError(f"{path}: needs one answer to every item of {name['batch']}; see {', '.join(faults[:8])}.")
        answers[name["reader"]] |= {answer.item: answer for answer in given}
    return Reading(key, answers)


def validity_table(reading: Reading) -> Table:
    """The share of valid examples by suite and slice, by suite, and over all, with the faults by question."""
    rows = [row for row in reading.key.values() if not row.plant]
    found = reading.faults()
    shown = tuple(
        (suite, name, *_cells([found[row.item] for row in part if row.item in found]))
        for suite, name, part in _groups(rows)
    )
    heading = (
        Column("suite"),
        Column("slice"),
        Column("n", "count"),
        Column("valid", "count"),
        Column("share", "share"),
    )
    caption = "Valid examples: every question answered with yes by every reader who counts."
    return Table("validity", caption, (*heading, *columns("count", *QUESTIONS)), shown)


def reader_table(reading: Reading) -> Table:
    """How many plants each reader caught, and whether the reader counts."""
    rows = tuple(
        (reader, len(given), reading.caught(reader), "yes" if reading.counts(reader) else "no")
        for reader, given in sorted(reading.answers.items())
    )
    heading = (Column("reader"), Column("items", "count"), Column("plants caught", "share"), Column("counts"))
    return Table("readers", "A reader who misses more than one plant in ten does not count.", heading, rows)


def _groups(rows: Sequence[KeyRow]) -> Iterator[tuple[str, str, list[KeyRow]]]:
    suites = list(dict.fromkeys(row.suite for row in sorted(rows, key=lambda row: row.suite)))
    for suite in suites:
        part = [row for row in rows if row.suite == suite]
        for name in sorted({row.slice for row in part}):
            yield suite, name, [row for row in part if row.slice == name]
        yield suite, ALL, part
    yield ALL, ALL, list(rows)


def _cells(faults: Sequence[frozenset[str]]) -> tuple[int | Interval, ...]:
    """n, valid, their share, and the faults by question."""
    valid = sum(not one for one in faults)
    by_question = (sum(question in one for one in faults) for question in QUESTIONS)
    return len(faults), valid, wilson(valid, len(faults)), *by_question
