"""Events in SQLite: only added, never changed. Many processes may write, and an event is on disk when its call returns."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.records import AnnotationEvent, EventDraft, EventKind

WAIT_SECONDS = 30.0
"""How long a writer waits for other writers."""
_GONE = "the answers of this batch were deleted or emptied. Restore the file: all answers are stored in it."
_COLUMNS = "kind, annotator, item, question, value, copy, time, note, undoes"
_TABLE = """
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'undo', 'ruling')),
    annotator TEXT NOT NULL,
    item TEXT NOT NULL,
    question TEXT NOT NULL,
    value TEXT NOT NULL,
    copy INTEGER NOT NULL,
    time TEXT NOT NULL,
    note TEXT NOT NULL,
    undoes INTEGER UNIQUE REFERENCES events (number)
) STRICT;
CREATE INDEX IF NOT EXISTS events_of_annotator ON events (annotator, number);
CREATE TRIGGER IF NOT EXISTS events_stay_as_they_are BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER IF NOT EXISTS events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never taken away'); END;
"""


class EventStore:
    """A file of events. A connection lives for one call only, so threads may share a store."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, drafts: Sequence[EventDraft], now: datetime) -> None:
        """Store some events, all or none. When the call returns, they survive a crash and a power cut."""
        with self.transaction(now) as transaction:
            transaction.append(drafts)

    def events(self, annotator: str = "") -> list[AnnotationEvent]:
        """All events, or the events of one person, in the order in which they were stored."""
        with self._connect(_read_mode(self.path)) as connection:
            connection.execute("PRAGMA query_only = ON")
            return _read(connection, annotator)

    @contextmanager
    def transaction(self, now: datetime) -> Iterator[EventTransaction]:
        """Read and then add events while nobody else can write. If the block fails, nothing is stored."""
        with self._connect("mode=rw") as connection:
            connection.execute("PRAGMA synchronous = FULL")  # every commit waits for the disk
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield EventTransaction(connection, now.astimezone(UTC).isoformat(timespec="milliseconds"))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def create(self) -> None:
        """Create the file. Only a new batch does this: a file that is missing later was lost, and must be restored."""
        _refuse_link(self.path)
        with _explain(self.path), closing(_open(str(self.path))) as new:
            if not _has_table(new, self.path):
                new.execute("PRAGMA journal_mode = WAL")
                new.executescript(f"BEGIN IMMEDIATE; {_TABLE} COMMIT;")

    @contextmanager
    def _connect(self, mode: str) -> Iterator[sqlite3.Connection]:
        """Connect to the existing file. Raises UserError if it is missing or empty."""
        _refuse_link(self.path)
        address = f"{self.path.absolute().as_uri()}?{mode}"
        if not self.path.is_file():
            raise UserError(f"{self.path}: {_GONE}")
        with _explain(self.path), closing(_open(address, uri=True)) as connection:
            if not _has_table(connection, self.path):
                raise UserError(f"{self.path}: {_GONE}")
            yield connection


class EventTransaction:
    """Reads and adds events while nobody else can write."""

    def __init__(self, connection: sqlite3.Connection, time: str) -> None:
        self._connection, self._time = connection, time

    def events(self, annotator: str = "", item: str = "") -> list[AnnotationEvent]:
        """All events, or only the events of one person or item."""
        return _read(self._connection, annotator, item)

    def append(self, drafts: Sequence[EventDraft]) -> None:
        """Add events; they count when the transaction ends."""
        for draft in drafts:
            self._insert(draft)

    def take_back(self, events: Sequence[AnnotationEvent], by: str) -> None:
        """Add an undo for each of some answers or rulings that count."""
        for event in events:
            self._insert(EventDraft(by, event.item, event.question, "", event.copy, kind="undo"), event.number)

    def _insert(self, draft: EventDraft, undoes: int | None = None) -> None:
        value = json.dumps(draft.value, ensure_ascii=False)
        about = (draft.kind, draft.annotator, draft.item, draft.question, value, draft.copy)
        row = (*about, self._time, draft.note, undoes)
        self._connection.execute(f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def _open(address: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=WAIT_SECONDS, isolation_level=None, uri=uri)


def _refuse_link(path: Path) -> None:
    """Through a link, the file of another program might be read and written."""
    if path.is_symlink():
        raise UserError(
            f"{path}: this is a link. Answers are stored in the batch itself: replace the link by the file."
        )


def _read_mode(path: Path) -> str:
    """How SQLite should open a file for reading. Its log needs files next to it, which only a writer can remove again."""
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return "mode=rw"
    # If there is no log and nobody can make one, the file does not change while it is read.
    return "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"


def _has_table(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has the table of events; an empty file has none. Raises UserError for any other database."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if names and "events_stay" not in names:
        raise UserError(f"{path}: not a file of annotations, but another database. It was left as it is.")
    return bool(names)


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    """Turn errors of the file or the disk into a UserError. A broken rule of the table is an error of the program."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        raise UserError(f"{path}: {error}. Is the disk full, or another program holding the file?") from None
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path}: not a file of annotations ({error}).") from None


def _read(connection: sqlite3.Connection, annotator: str, item: str = "") -> list[AnnotationEvent]:
    chosen = {"annotator": annotator, "item": item}
    which = " AND ".join(["TRUE", *(f"{column} = :{column}" for column, value in chosen.items() if value)])
    return [_event(row) for row in connection.execute(f"SELECT * FROM events WHERE {which} ORDER BY number", chosen)]


def _event(row: tuple[int, EventKind, str, str, str, str, int, str, str, int | None]) -> AnnotationEvent:
    number, kind, annotator, item, question, stored, copy, time, note, undoes = row
    try:
        found: object = json.loads(stored)
        if datetime.fromisoformat(time).tzinfo is None:
            raise ValueError(time)  # a time without a zone cannot be compared with the others
    except ValueError:
        raise UserError(f"Event {number}, by {annotator}, cannot be read: was the file of answers edited?") from None
    value = tuple(map(str, found)) if isinstance(found, list) else str(found)
    return AnnotationEvent(number, kind, annotator, item, question, value, copy, time, note, undoes)
