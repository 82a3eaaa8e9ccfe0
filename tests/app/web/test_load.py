"""Many people at once, and a server that dies among them: what was acknowledged is on disk, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Lock

import pytest
from httpx2 import Client, HTTPError, Limits

from app.web.queueing import GOOD, QUEUE, row_of, values_of
from app.web.served import Served, serve
from app.web.site import OWNER
from constraintsuite.app.web.access import Person
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of
from constraintsuite.suites.annotation.current_answers import current_answers
from suites.annotation.small_batch import make_batch

ANSWERS = 10
"""By each person: nine dishes and a decoy."""
CROWD = tuple(Person(f"p{number:02d}", "annotator") for number in range(50))
FEW = CROWD[:6]
Acknowledged = Callable[[Person, str], None]


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    return make_batch(tmp_path, ANSWERS - 1)


def answer_all(served: Served, person: Person, acknowledged: Acknowledged) -> None:
    """Walk through one's queue without script; told of each row as soon as the server has said that it is kept."""
    with Client(base_url=served.origin, verify=False, timeout=60, limits=Limits(max_connections=1)) as client:
        client.get(served.links[person.name])
        location = client.get(QUEUE).headers.get("location")
        while location and "row=" in location:
            row, page = row_of(location), client.get(location).text
            fields = {"guard": values_of(page, "guard"), "row": row, "seen": values_of(page, "seen"), **GOOD}
            kept = client.post(f"{QUEUE}/answer", data=fields)
            assert kept.status_code == 303, kept.text
            acknowledged(person, row)
            location = kept.headers["location"]


def kept_rows(batch: AnnotationBatch, people: tuple[Person, ...]) -> dict[str, set[str]]:
    """Rows by person whose answers are all among the events."""
    said = current_answers(batch.store.events())
    return {
        person.name: {
            task.row
            for task in tasks_of(batch, person.name)
            if all(
                person.name in said.of(task.item.id, name.removeprefix("answer."), task.copy)
                for name in GOOD  # the questions that must be answered
            )
        }
        for person in people
    }


def count_events(batch: AnnotationBatch) -> Counter[tuple[str, str, int, str]]:
    return Counter((event.annotator, event.item, event.copy, event.question) for event in batch.store.events())


def test_fifty_people_at_once_lose_nothing(tmp_path: Path, batch: AnnotationBatch) -> None:
    told: dict[str, list[str]] = {person.name: [] for person in CROWD}
    together = Barrier(len(CROWD))

    def judge(person: Person) -> None:
        together.wait()
        answer_all(served, person, lambda who, row: told[who.name].append(row))

    with serve(tmp_path, (OWNER, *CROWD)) as served, ThreadPoolExecutor(len(CROWD)) as pool:
        list(pool.map(judge, CROWD))
    assert {name: len(rows) for name, rows in told.items()} == {person.name: ANSWERS for person in CROWD}
    assert {name: set(rows) for name, rows in told.items()} == kept_rows(batch, CROWD)
    assert set(count_events(batch).values()) == {1}
    assert len(batch.store.events()) == len(CROWD) * ANSWERS * len(GOOD)


def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path, batch: AnnotationBatch) -> None:
    told: dict[str, list[str]] = {person.name: [] for person in FEW}
    lock = Lock()

    def judge(person: Person) -> None:
        def acknowledged(who: Person, row: str) -> None:
            with lock:
                told[who.name].append(row)
                if sum(map(len, told.values())) == len(FEW) * ANSWERS // 2:  # in the middle of the burst
                    served.process.kill()

        try:
            answer_all(served, person, acknowledged)
        except HTTPError:  # the server is gone, and what was on its way may be kept or not
            return

    with serve(tmp_path, (OWNER, *FEW)) as served, ThreadPoolExecutor(len(FEW)) as pool:
        list(pool.map(judge, FEW))
        assert served.process.wait(60) < 0
    kept = kept_rows(batch, FEW)
    acknowledged = {name: set(rows) for name, rows in told.items()}
    assert all(acknowledged[name] <= kept[name] for name in kept)
    assert sum(map(len, acknowledged.values())) >= len(FEW) * ANSWERS // 2
    assert set(count_events(batch).values()) == {1}

    with serve(tmp_path, (OWNER, *FEW)) as served:
        for person in FEW:
            answer_all(served, person, lambda *_: None)  # the links are still theirs, and each goes on where they were
    assert kept_rows(batch, FEW) == {person.name: {task.row for task in tasks_of(batch, person.name)} for person in FEW}
    assert set(count_events(batch).values()) == {1}
