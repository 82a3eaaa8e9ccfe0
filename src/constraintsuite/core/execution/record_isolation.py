"""Isolation of records that break the work: each is found, left out and named, so that one record cannot stop its shard."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from constraintsuite.core.errors import RecordError, UserError
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.mirror import push_path, remove_from_store

Record = TypeVar("Record")
Made = TypeVar("Made")
NameOf = Callable[[Record], str]
"""The name of a record, for the list of those that were left out."""
Make = Callable[[tuple[Record, ...]], Iterable[Made]]
"""The work: one result per record, in order."""
BLOCK_RECORDS = 1_024
"""Records that are in memory at a time; a multiple of the batch size of every analyser."""
KILLED = "the process that worked on it died"
_DEADLY = 3  # processes in a row that a record kills before it is left out
MACHINE_ERRORS = (UserError, OSError, ImportError, MemoryError)  # no record is to blame for these


@dataclass(frozen=True, slots=True)
class PoisonRecord:
    """A record that was left out because it breaks the work."""

    record: str
    reason: str


@dataclass
class RecordIsolation:
    """Runs a function over the records of one shard and leaves out those that break it.

    It works on many records at once. After processes died at the shard, it works on one record at a time and writes down
    which one, so that the next process, perhaps on another machine, knows where the last one died.
    """

    folder: Path
    shard: str
    one_by_one: bool = False
    excused: bool = False
    """Whether the last process ended only because its command ended: then no record is to blame."""
    poison: list[PoisonRecord] = field(default_factory=list)
    suspect: str = ""
    """The record at which the last process died while it worked on one record at a time."""
    times: int = 0
    """How many processes in a row died at the suspect. A single one may have died of something else."""

    def __post_init__(self) -> None:
        self.poison = read_poison(self.folder, self.shard)
        text = self.trail.read_text(encoding="utf-8") if self.trail.is_file() else ""
        try:
            last, suspect, times = json.loads(text)
        except ValueError:  # the file is missing, or a full disk cut it short
            last, suspect, times = "", "", 0
        last = "" if self.excused else last
        self.suspect, self.times = (last, times + 1 if last == suspect else 1) if last else (suspect, times)
        if self.times == _DEADLY:
            self._add_poison([PoisonRecord(self.suspect, KILLED)])
            self.suspect, self.times = "", 0
        if text:
            self._mark("")

    @property
    def listing(self) -> Path:
        """The file that names the records that were left out; it exists only if there are any."""
        return note_files(self.folder, self.shard)[0]

    @property
    def deaths(self) -> int:
        """How many processes died of records that are left out now."""
        return _DEADLY * sum(each.reason == KILLED for each in self.poison)

    @property
    def trail(self) -> Path:
        """The file that names the record that is being worked on, and the suspect."""
        return note_files(self.folder, self.shard)[1]

    def map_blocks(
        self, records: Iterable[Record], name_of: NameOf[Record], make: Make[Record, Made]
    ) -> Iterator[tuple[Record, Made]]:
        """Every record with the result of `make`, in order; `make` takes a block of records and gives one result for each.

        Records for which `make` fails are left out, as long as they are few. Errors of the user and of the machine are
        raised, since no record is to blame for them; a RecordError blames the record.
        """
        known = {poison.record for poison in self.poison}
        left = (record for record in records if name_of(record) not in known)
        seen, broken = 0, list[tuple[PoisonRecord, Exception]]()
        while block := tuple(islice(left, BLOCK_RECORDS)):
            seen += len(block)
            together = None if self.one_by_one else _try_block(block, make)
            yield from self._map_singly(block, name_of, make, broken) if together is None else together
            self._refuse_many(broken, seen)
        if broken:
            self._add_poison([poison for poison, _ in broken])
        self.forget_trail()

    def map_shard(
        self, records: Sequence[Record], name_of: NameOf[Record], make: Make[Record, Made], harmless: Record
    ) -> list[Made | None]:
        """The results of one call of `make` for all records of a shard, None for records that break it.

        The last bits of a model's result depend on the batch, and so on all of the shard. Therefore single records are tried
        only to find those to leave out, and the others are then computed together: the results are the same whether or not
        processes died on the way. `harmless` is a record that breaks no model. It is tried first, so that no other record is
        blamed when the model cannot be loaded.
        """
        if not self.one_by_one:
            try:
                return self._map_unpoisoned(records, name_of, make)
            except Exception as error:
                if not _blames_record(error):
                    raise
        list(make((harmless,)))
        for _ in self.map_blocks(records, name_of, make):
            pass
        return self._map_unpoisoned(records, name_of, make)

    def forget_trail(self) -> None:
        """Remove the trail once all records are done: no record is to blame for what happens afterwards."""
        if self.trail.is_file():
            self.trail.unlink()
            remove_from_store(self.trail)

    def _map_singly(
        self,
        records: tuple[Record, ...],
        name_of: NameOf[Record],
        make: Make[Record, Made],
        broken: list[tuple[PoisonRecord, Exception]],
    ) -> Iterator[tuple[Record, Made]]:
        for record in records:
            if self.one_by_one:
                self._mark(name_of(record))
            try:
                (made,) = make((record,))
            except Exception as error:
                if not _blames_record(error):
                    raise
                broken.append((PoisonRecord(name_of(record), _reason(error)), error))
            else:
                yield record, made

    def _map_unpoisoned(
        self, records: Sequence[Record], name_of: NameOf[Record], make: Make[Record, Made]
    ) -> list[Made | None]:
        known = {poison.record for poison in self.poison}
        left = [place for place, record in enumerate(records) if name_of(record) not in known]
        made = make(tuple(records[place] for place in left)) if left else ()
        results: list[Made | None] = [None] * len(records)
        for place, result in zip(left, made, strict=True):
            results[place] = result
        return results

    def _refuse_many(self, broken: Sequence[tuple[PoisonRecord, Exception]], seen: int) -> None:
        """Raise a UserError if too many records are broken.

        They are not written to the listing, so that they are worked on again when the fault is repaired.
        """
        if not are_few(len(broken), seen):
            first, error = broken[0]
            detail = f" {error}" if isinstance(error, RecordError) else ""
            raise UserError(
                f"{self.shard}: {len(broken):,} of the first {seen:,} records cannot be worked on, among them {first.record!r} "
                f"({first.reason}). That many failures suggest a problem with the installation, not with the records. What was "
                f"finished is kept: run the same command again.{detail}"
            )

    def _add_poison(self, poison: list[PoisonRecord]) -> None:
        self.poison = [*self.poison, *poison]
        write_jsonl(self.listing, self.poison)
        push_path(self.listing)

    def _mark(self, record: str) -> None:
        self.trail.write_text(json.dumps([record, self.suspect, self.times]), encoding="utf-8")
        push_path(self.trail)


def are_few(broken: int, seen: int) -> bool:
    """Whether the records themselves may be to blame: at most 3 of them, or 1 %, break the work."""
    return broken <= max(3, 0.01 * seen)


def read_poison(folder: Path, shard: str) -> list[PoisonRecord]:
    """The records that were left out of a shard."""
    listing, _ = note_files(folder, shard)
    return list(read_jsonl(listing, PoisonRecord)) if listing.is_file() else []


def note_files(folder: Path, shard: str) -> tuple[Path, Path]:
    """The two files about a shard's broken records: its listing and its trail."""
    return folder / f"{shard}.poison.jsonl", folder / f".{shard}.trail"


def list_left_out(folder: Path, shards: Iterable[str]) -> list[str]:
    """One sentence for each record that was left out of these shards, with the reason."""
    return [f"left out {each.record}: {each.reason}" for shard in shards for each in read_poison(folder, shard)]


def _blames_record(error: Exception) -> bool:
    return isinstance(error, RecordError) or not isinstance(error, MACHINE_ERRORS)


def _try_block(records: tuple[Record, ...], make: Make[Record, Made]) -> list[tuple[Record, Made]] | None:
    """The records with their results, None if one of them breaks the block."""
    try:
        return list(zip(records, make(records), strict=True))
    except Exception as error:
        if not _blames_record(error):
            raise
        return None


def _reason(error: Exception) -> str:
    """The kind of error and its place in the code.

    Its message is left out: it may name addresses and sizes of one machine, and the listing is hashed.
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({Path(last.filename).name}:{last.lineno})"
