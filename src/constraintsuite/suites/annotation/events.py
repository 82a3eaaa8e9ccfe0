"""Events in SQLite: appended, never changed; safe under many processes; on disk when `append` returns."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.records import AnnotationEvent, EventDraft, EventKind

WAIT_SECONDS = 30.0
"""How long a writer waits for the others."""
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
    """A file of events. Connections live as long as a call, so one store may be shared by threads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, drafts: Sequence[EventDraft], now: datetime) -> tuple[AnnotationEvent, ...]:
        """Write some events, all or none; they outlive a crash and a power cut from here on."""
        time = _written(now)
        with self._writing() as connection:
            return tuple(_insert(connection, draft, time) for draft in drafts)

    def events(self, annotator: str = "") -> list[AnnotationEvent]:
        """All events, or those of one person, in the order in which they were written."""
        with _explain(self.path), closing(self._connect_to_read()) as connection:
            return _read(connection, annotator)

    @contextmanager
    def turn(self, now: datetime) -> Iterator[EventTransaction]:
        """A while in which nobody else writes: what is read in it still holds when something is added. All or nothing is kept."""
        with self._writing() as connection:
            yield EventTransaction(connection, _written(now))

    def create(self) -> None:
        """Make the file before anybody writes; nothing else makes one, since a file that is missing later was lost."""
        _check_own(self.path)
        with (
            _explain(self.path),
            closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as new,
        ):
            if not _has_table(new, self.path):
                new.execute("PRAGMA journal_mode = WAL")
                new.executescript(f"BEGIN IMMEDIATE; {_TABLE} COMMIT;")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _explain(self.path), closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        """A connection that writes through to the disk at every commit."""
        connection = self._open("mode=rw", isolation_level=None)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """A connection that neither makes nor changes anything, also where nothing may be written."""
        connection = self._open(_way_to_read(self.path))
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _open(self, way: str, isolation_level: Literal["DEFERRED"] | None = "DEFERRED") -> sqlite3.Connection:
        """A connection to the events that are there; a file that is gone, or empty, is a UserError."""
        _check_own(self.path)
        if not self.path.is_file():
            raise UserError(f"{self.path}: {_GONE}")
        address = f"{self.path.absolute().as_uri()}?{way}"
        connection = sqlite3.connect(address, timeout=WAIT_SECONDS, isolation_level=isolation_level, uri=True)
        try:
            if not _has_table(connection, self.path):
                raise UserError(f"{self.path}: {_GONE}")
        except BaseException:
            connection.close()
            raise
        return connection


class EventTransaction:
    """What one may do while nobody else writes."""

    def __init__(self, connection: sqlite3.Connection, time: str) -> None:
        self._connection, self._time = connection, time

    def events(self, annotator: str = "", item: str = "") -> list[AnnotationEvent]:
        """All events, or those of one person, or on one item."""
        return _read(self._connection, annotator, item)

    def append(self, drafts: Sequence[EventDraft]) -> None:
        """Add events to the file; they count when the transaction ends."""
        for draft in drafts:
            _insert(self._connection, draft, self._time)

    def take_back(self, said: Sequence[AnnotationEvent], by: str) -> None:
        """Add an undo for each of some answers or rulings that stand."""
        for one in said:
            draft = EventDraft(by, one.item, one.question, "", one.copy, kind="undo")
            _insert(self._connection, draft, self._time, one.number)


def _check_own(path: Path) -> None:
    """A link would have another file read and written, perhaps another program's."""
    if path.is_symlink():
        raise UserError(
            f"{path}: this is a link. Answers are stored in the batch itself: replace the link by the file."
        )


def _way_to_read(path: Path) -> str:
    """How SQLite opens a file that is there. Its log needs files beside it, which are taken away again only by who may write."""
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return "mode=rw"
    # Nobody can have a log where there is none and none can be made, so the file stays as it is while it is read.
    return "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"


def _has_table(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether there are events; False for a file that was only just begun. Any other database is a UserError."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if names and "events_stay" not in names:
        raise UserError(f"{path}: not a file of annotations, but another database. It was left as it is.")
    return bool(names)


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    """Turns what the file or the disk refuses into a UserError; what breaks a rule of the table is our own fault."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        raise UserError(f"{path}: {error}. Is the disk full, or another program holding the file?") from None
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path}: not a file of annotations ({error}).") from None


def _insert(connection: sqlite3.Connection, draft: EventDraft, time: str, undoes: int | None = None) -> AnnotationEvent:
    spoken = json.dumps(draft.value, ensure_ascii=False)
    row = (draft.kind, draft.annotator, draft.item, draft.question, spoken, draft.copy, time, draft.note, undoes)
    number = connection.execute(f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid
    assert number is not None
    return _event((number, *row))


def _read(connection: sqlite3.Connection, annotator: str, item: str = "") -> list[AnnotationEvent]:
    chosen = {"annotator": annotator, "item": item}
    which = " AND ".join(["TRUE", *(f"{column} = :{column}" for column, value in chosen.items() if value)])
    return [_event(row) for row in connection.execute(f"SELECT * FROM events WHERE {which} ORDER BY number", chosen)]


def _event(row: tuple[int, EventKind, str, str, str, str, int, str, str, int | None]) -> AnnotationEvent:
    number, kind, annotator, item, question, value, copy, time, note, undoes = row
    try:
        found: object = json.loads(value)
        if datetime.fromisoformat(time).tzinfo is None:
            raise ValueError(time)  # one without a zone cannot be compared with the others
    except ValueError:
        raise UserError(f"Event {number}, by {annotator}, cannot be read: was the file of answers edited?") from None
    said = tuple(map(str, found)) if isinstance(found, list) else str(found)
    return AnnotationEvent(number, kind, annotator, item, question, said, copy, time, note, undoes)


def _written(now: datetime) -> str:
    return now.astimezone(UTC).isoformat(timespec="milliseconds")
