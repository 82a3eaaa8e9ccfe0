"""Events: appended, never changed, kept by whatever happens to the process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.events import EventStore
from constraintsuite.suites.annotation.records import EventDraft
from suites.annotation.small_batch import START, make_batch

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from constraintsuite.suites.annotation.events import EventStore
from constraintsuite.suites.annotation.records import EventDraft
store, name, count = EventStore(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(count):
    store.append([EventDraft(name, f"item-{number}", "q", "yes")], datetime.now(UTC))
    print(f"{name}/item-{number}", flush=True)
"""


def store_in(folder: Path) -> EventStore:
    return EventStore(folder / "annotations.sqlite")


def new_store(folder: Path) -> EventStore:
    store = store_in(folder)
    store.create()
    return store


def writer(store: EventStore, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(store.path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.append([EventDraft("ann", "a", "q", ("u1", "u2"), 1, "an odd one ☃")], START)
    (event,) = store.events()
    assert (event.annotator, event.item, event.question, event.copy) == ("ann", "a", "q", 1)
    assert (event.value, event.note, event.time) == (("u1", "u2"), "an odd one ☃", "2026-03-02T09:00:00.000+00:00")


def test_an_untouched_batch_has_no_events(tmp_path: Path) -> None:
    assert make_batch(tmp_path).store.events() == []


USES = [EventStore.events, lambda store: store.append([EventDraft("ann", "a", "q", "yes")], START)]


@pytest.mark.parametrize("use", USES)
def test_a_file_that_is_gone_is_told_and_none_is_made(tmp_path: Path, use: Callable[[EventStore], object]) -> None:
    with pytest.raises(UserError, match=r"annotations\.sqlite: the answers of this batch were deleted or emptied"):
        use(store_in(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("use", USES)
def test_a_file_that_was_emptied_is_told_and_left_so(tmp_path: Path, use: Callable[[EventStore], object]) -> None:
    store = store_in(tmp_path)
    store.path.touch()
    with pytest.raises(UserError, match="deleted or emptied"):
        use(store)
    assert store.path.stat().st_size == 0


@pytest.mark.parametrize(
    ("value", "time"), [("not json", START.isoformat()), ('"yes"', "yesterday"), ('"yes"', "2026-03-02T09:00:00")]
)
def test_a_row_that_cannot_be_read_is_told(tmp_path: Path, value: str, time: str) -> None:
    store = new_store(tmp_path)
    connection = sqlite3.connect(store.path)
    row = ("answer", "ann", "a", "q", value, 0, time, "")
    names = "kind, annotator, item, question, value, copy, time, note"
    connection.execute(f"INSERT INTO events ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    with pytest.raises(UserError, match="Event 1, by ann, cannot be read"):
        store.events()


def test_several_are_appended_together_or_not_at_all(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    broken = EventDraft("ann", "b", "q", "yes", kind="bribe")  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        store.append([EventDraft("ann", "a", "q", "yes"), broken], START)
    assert store.events() == []


@pytest.mark.parametrize("statement", ["UPDATE events SET value = '\"no\"'", "DELETE FROM events"])
def test_an_event_is_never_changed_or_taken_away(tmp_path: Path, statement: str) -> None:
    store = new_store(tmp_path)
    store.append([EventDraft("ann", "a", "q", "yes")], START)
    connection = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError, match="events are never"):
        connection.execute(statement)
    connection.close()
    assert [event.value for event in store.events()] == ["yes"]


def test_many_processes_lose_nothing(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    running = [writer(store, f"person-{number}", 25) for number in range(4)]
    acknowledged = {line for process in running for line in process.communicate(timeout=120)[0].split()}
    events = store.events()
    assert acknowledged == {f"{event.annotator}/{event.item}" for event in events}
    assert [event.number for event in events] == list(range(1, 101))


def test_fifty_people_at_once_lose_nothing(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    drafts = [[EventDraft(f"person-{n}", f"dish-{k}", "fit", "well") for k in range(6)] for n in range(50)]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda each: batch.store.append(each, START), drafts))
    events = batch.store.events()
    assert [event.number for event in events] == list(range(1, 301))
    assert len({(event.annotator, event.item) for event in events}) == 300


def test_a_killed_process_loses_no_answer_that_was_acknowledged(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    process = writer(store, "ann", 100_000)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(40)]
    process.send_signal(signal.SIGKILL)
    acknowledged += process.stdout.read().split()
    process.wait(timeout=60)
    process.stdout.close()
    assert set(acknowledged) <= {f"{event.annotator}/{event.item}" for event in store.events()}
    store.append([EventDraft("bob", "a", "q", "yes")], datetime.now(UTC))


def test_another_file_is_refused_by_name(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.path.write_text("these are my notes, and no database at all" * 50)
    with pytest.raises(UserError, match=r"annotations\.sqlite: not a file of annotations"):
        store.events()


def other_database(file: Path) -> bytes:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    return file.read_bytes()


@pytest.mark.parametrize("use", [EventStore.events, EventStore.create, lambda store: store.append([], START)])
def test_another_programs_database_is_left_as_it_is(tmp_path: Path, use: Callable[[EventStore], object]) -> None:
    store = store_in(tmp_path)
    before = other_database(store.path)
    with pytest.raises(UserError, match="another database"):
        use(store)
    assert store.path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [store.path]


@pytest.mark.parametrize("use", [EventStore.events, EventStore.create, lambda store: store.append([], START)])
def test_a_link_is_neither_read_nor_written_through(tmp_path: Path, use: Callable[[EventStore], object]) -> None:
    (tmp_path / "batch").mkdir()
    new_store(tmp_path).append([EventDraft("ann", "a", "q", "yes")], START)
    linked = store_in(tmp_path / "batch")
    linked.path.symlink_to(tmp_path / "annotations.sqlite")
    with pytest.raises(UserError, match="this is a link"):
        use(linked)


def test_reading_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.append([EventDraft("ann", "a", "q", "yes")], START)
    assert len(store.events()) == 1
    assert list(tmp_path.iterdir()) == [store.path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_events_are_read_where_nothing_may_be_written(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.append([EventDraft("ann", "a", "q", "yes")], START)
    tmp_path.chmod(0o500)
    try:
        assert [event.value for event in store.events()] == ["yes"]
    finally:
        tmp_path.chmod(0o700)
