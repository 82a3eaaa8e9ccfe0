"""Records that break the work: found one by one, left out, and named, so that one of them does not stop a shard for ever."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.remote_paths import clear, send
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl

Record = TypeVar("Record")
Made = TypeVar("Made")
AT_ONCE = 1_024
"""Records that are in memory at a time; a multiple of the batches of all analysers."""
KILLED = "the process that worked on it died"
_DEADLY = 3  # processes in a row that a record kills before it is left out
NOT_OF_A_RECORD = (UserError, OSError, ImportError, MemoryError)


@dataclass(frozen=True, slots=True)
class PoisonRecord:
    """A record that was left out because it breaks the work."""

    record: str
    reason: str


@dataclass
class RecordIsolation:
    """How one shard goes through its records: many at once, or, once that has killed a process, one by one.

    What is known of poison lies beside the shard, so that the next process, perhaps on another machine, knows it too.
    """

    folder: Path
    shard: str
    one_by_one: bool = False
    excused: bool = False
    """Whether the last process that worked on the shard ended with the command that had sent it: no record is to blame."""
    poison: list[PoisonRecord] = field(default_factory=list)
    suspect: str = ""
    """The record from which the last process that died one by one did not come back."""
    times: int = 0
    """How many processes in a row. One may have died of something else."""

    def __post_init__(self) -> None:
        self.poison = read_poison(self.folder, self.shard)
        text = self.trail.read_text(encoding="utf-8") if self.trail.is_file() else ""
        try:
            last, suspect, times = json.loads(text)
        except ValueError:  # there is none, or a full disk cut it short
            last, suspect, times = "", "", 0
        last = "" if self.excused else last
        self.suspect, self.times = (last, times + 1 if last == suspect else 1) if last else (suspect, times)
        if self.times == _DEADLY:
            self._write([*self.poison, PoisonRecord(self.suspect, KILLED)])
            self.suspect, self.times = "", 0
        if text:
            self._mark("")

    @property
    def listing(self) -> Path:
        """The file of what was left out; there is none where nothing was."""
        return notes_of(self.folder, self.shard)[0]

    @property
    def deaths(self) -> int:
        """How many processes died of records that are left out."""
        return _DEADLY * sum(each.reason == KILLED for each in self.poison)

    @property
    def trail(self) -> Path:
        """The file that names the record at work, while they are worked on one by one, and then the suspect."""
        return notes_of(self.folder, self.shard)[1]

    def each(
        self,
        records: Iterable[Record],
        name_of: Callable[[Record], str],
        make: Callable[[tuple[Record, ...]], Iterable[Made]],
    ) -> Iterator[tuple[Record, Made]]:
        """Every record with what `make` gives for it, in order; `make` gives one result a record.

        Records for which it fails are left out, if they are few. Errors of the user and of the machine are no fault of a
        record, and are raised.
        """
        known = {poison.record for poison in self.poison}
        left = (record for record in records if name_of(record) not in known)
        seen, broken = 0, list[PoisonRecord]()
        while some := tuple(islice(left, AT_ONCE)):
            seen += len(some)
            together = None if self.one_by_one else _together(some, make)
            yield from self._singly(some, name_of, make, broken) if together is None else together
            self._refuse_many(broken, seen)
        if broken:
            self._write([*self.poison, *broken])
        self.forget_trail()

    def forget_trail(self) -> None:
        """All records were gone through: what a process dies of from now on is none of them."""
        if self.trail.is_file():
            self.trail.unlink()
            clear(self.trail)

    def _singly(
        self,
        records: tuple[Record, ...],
        name_of: Callable[[Record], str],
        make: Callable[[tuple[Record, ...]], Iterable[Made]],
        broken: list[PoisonRecord],
    ) -> Iterator[tuple[Record, Made]]:
        for record in records:
            if self.one_by_one:
                self._mark(name_of(record))
            try:
                (made,) = make((record,))
            except NOT_OF_A_RECORD:
                raise
            except Exception as error:
                broken.append(PoisonRecord(name_of(record), _in_words(error)))
            else:
                yield record, made

    def _refuse_many(self, broken: Sequence[PoisonRecord], seen: int) -> None:
        """Nothing of them is written down: once the machine is well again, they are worked on."""
        if not are_few(len(broken), seen):
            raise UserError(
                f"{self.shard}: {len(broken):,} of the first {seen:,} records cannot be worked on, among them {broken[0].record!r} "
                f"({broken[0].reason}). So many cannot be the fault of the records: is something wrong with the installation? What was "
                "finished is kept: run the same command again."
            )

    def _write(self, poison: list[PoisonRecord]) -> None:
        self.poison = poison
        write_jsonl(self.listing, poison)
        send(self.listing)

    def _mark(self, record: str) -> None:
        self.trail.write_text(json.dumps([record, self.suspect, self.times]), encoding="utf-8")
        send(self.trail)


def are_few(broken: int, seen: int) -> bool:
    """Whether so many records may break the work; if more do, it is not they that are wrong."""
    return broken <= max(3, 0.01 * seen)


def read_poison(folder: Path, shard: str) -> list[PoisonRecord]:
    """What was left out of a shard."""
    listing, _ = notes_of(folder, shard)
    return list(read_jsonl(listing, PoisonRecord)) if listing.is_file() else []


def notes_of(folder: Path, shard: str) -> tuple[Path, Path]:
    """The two files in which a shard's care is written down: its listing and its trail."""
    return folder / f"{shard}.poison.jsonl", folder / f".{shard}.trail"


def _together(
    records: tuple[Record, ...], make: Callable[[tuple[Record, ...]], Iterable[Made]]
) -> list[tuple[Record, Made]] | None:
    """All at once, None where one of them breaks it."""
    try:
        return list(zip(records, make(records), strict=True))
    except NOT_OF_A_RECORD:
        raise
    except Exception:  # whatever a record brings about, the others are worked on
        return None


def _in_words(error: Exception) -> str:
    """What was raised where; not what it said, which may name addresses and sizes of one machine, and this is hashed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({Path(last.filename).name}:{last.lineno})"


def in_bulk(
    care: RecordIsolation,
    records: Sequence[Record],
    name_of: Callable[[Record], str],
    make: Callable[[tuple[Record, ...]], Iterable[Made]],
    harmless: Record,
) -> list[Made | None]:
    """What `make` gives for all records of a shard in one call, None for those that break it.

    A model's result depends in its last bits on the batch, and so on the whole shard. Therefore working one by one only finds
    out what must be left out; the rest is then done together, and comes out the same whether or not processes died on the way.
    `make` gives one result per record. `harmless` is a record that breaks no model: with it the model is loaded before any
    other record can be blamed for that.
    """
    if not care.one_by_one:
        try:
            return _all_but_poison(care, records, name_of, make)
        except NOT_OF_A_RECORD:
            raise
        except Exception:  # of which record, is found out below
            pass
    list(make((harmless,)))
    for _ in care.each(records, name_of, make):
        pass
    return _all_but_poison(care, records, name_of, make)


def _all_but_poison(
    care: RecordIsolation,
    records: Sequence[Record],
    name_of: Callable[[Record], str],
    make: Callable[[tuple[Record, ...]], Iterable[Made]],
) -> list[Made | None]:
    known = {poison.record for poison in care.poison}
    left = [place for place, record in enumerate(records) if name_of(record) not in known]
    made = make(tuple(records[place] for place in left)) if left else ()
    whole: list[Made | None] = [None] * len(records)
    for place, one in zip(left, made, strict=True):
        whole[place] = one
    return whole


def left_out(folder: Path, shards: Iterable[str]) -> list[str]:
    """One sentence for each record that was left out of these shards, with the reason."""
    return [f"left out {each.record}: {each.reason}" for shard in shards for each in read_poison(folder, shard)]
