"""Records that break the work: found one by one, left out, and named, so that one of them does not stop a shard for ever."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import read_jsonl, write_jsonl

Record = TypeVar("Record")
Made = TypeVar("Made")
AT_ONCE = 1_024
"""Records that are in memory at a time; a multiple of the batches of all analysers."""
MOST = 100
"""Poison records of a shard; if there are more, it is not the records that are wrong."""
KILLED = "the process that worked on it died"


@dataclass(frozen=True, slots=True)
class Poison:
    """A record that was left out because it breaks the work."""

    record: str
    reason: str


@dataclass
class Care:
    """How one shard goes through its records: many at once, or, once that has killed a process, one by one.

    What is known of poison lies beside the shard, so that the next process, perhaps on another machine, knows it too.
    """

    folder: Path
    shard: str
    one_by_one: bool = False
    share: Callable[[Path], None] = lambda path: None
    """Told of a file that the next process must find, before the work goes on."""
    poison: list[Poison] = field(default_factory=list)
    suspects: list[str] = field(default_factory=list)
    """Records from which one process did not come back. It may have died of something else: the second time counts."""

    def __post_init__(self) -> None:
        if self.listing.is_file():
            self.poison = list(read_jsonl(self.listing, Poison))
        text = self.trail.read_text(encoding="utf-8") if self.trail.is_file() else ""
        last, *self.suspects = json.loads(text or '[""]')  # a full disk leaves it empty
        if last in self.suspects:
            self.suspects.remove(last)
            self._set_aside(last, KILLED)
        elif last:
            self.suspects.append(last)
            self._mark("")

    @property
    def listing(self) -> Path:
        """The file of what was left out; there is none where nothing was."""
        return notes_of(self.folder, self.shard)[0]

    @property
    def deaths(self) -> int:
        """How many processes died at a record."""
        return 2 * sum(each.reason == KILLED for each in self.poison) + len(self.suspects)

    @property
    def trail(self) -> Path:
        """Names the record at work, while they are worked on one by one, and behind it the suspects."""
        return notes_of(self.folder, self.shard)[1]

    def each(
        self,
        records: Iterable[Record],
        name_of: Callable[[Record], str],
        make: Callable[[tuple[Record, ...]], Iterable[Made]],
    ) -> Iterator[tuple[Record, Made]]:
        """Every record with what `make` gives for it, in order; `make` gives one result a record.

        A record for which it fails is left out. Errors of the user and of the disk are no fault of a record, and go on.
        """
        known = {poison.record for poison in self.poison}
        left = (record for record in records if name_of(record) not in known)
        while some := tuple(islice(left, AT_ONCE)):
            yield from self._singly(some, name_of, make) if self.one_by_one else self._together(some, name_of, make)
        self.trail.unlink(missing_ok=True)

    def _together(
        self,
        records: tuple[Record, ...],
        name_of: Callable[[Record], str],
        make: Callable[[tuple[Record, ...]], Iterable[Made]],
    ) -> Iterator[tuple[Record, Made]]:
        try:
            made = list(make(records))
        except (UserError, OSError):
            raise
        except Exception:
            made = None
        yield from self._singly(records, name_of, make) if made is None else zip(records, made, strict=True)

    def _singly(
        self,
        records: tuple[Record, ...],
        name_of: Callable[[Record], str],
        make: Callable[[tuple[Record, ...]], Iterable[Made]],
    ) -> Iterator[tuple[Record, Made]]:
        for record in records:
            if self.one_by_one:
                self._mark(name_of(record))
            try:
                (made,) = make((record,))
            except (UserError, OSError):
                raise
            except Exception as error:
                self._set_aside(name_of(record), _in_words(error))
            else:
                yield record, made

    def _set_aside(self, record: str, reason: str) -> None:
        self.poison.append(Poison(record, reason))
        if len(self.poison) > MOST:
            first = self.poison[0]
            raise UserError(
                f"{self.shard}: more than {MOST} records cannot be worked on, the first of them {first.record!r} "
                f"({first.reason}). Is something wrong with the installation? All are in {self.listing}"
            )
        write_jsonl(self.listing, self.poison)
        self.share(self.listing)
        if self.trail.is_file():
            self._mark("")

    def _mark(self, record: str) -> None:
        self.trail.write_text(json.dumps([record, *self.suspects]), encoding="utf-8")
        self.share(self.trail)


def notes_of(folder: Path, shard: str) -> tuple[Path, Path]:
    """The two files in which a shard's care is written down: its listing and its trail."""
    return folder / f"{shard}.poison.jsonl", folder / f".{shard}.trail"


def _in_words(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
