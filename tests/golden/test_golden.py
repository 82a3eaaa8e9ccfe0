"""The same inputs give the same bytes until a declared revision is raised, and a raised one gives others.

If a case fails because a result was meant to change: add one to its revision in the file that the message names, then

    make golden        (python -m pytest tests/golden --renew-golden)

and commit `table.json` with the change. The table has for each case its revisions, the oldest first, each with the hash of
what the case is made of and the hash of its content. Results change without a new revision of their own only where what
they are made of has changed; then too the table is renewed. `golden/content.py` says what is hashed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.suites.build import STAGES
from constraintsuite.suites.importers import IMPORTERS
from golden.cases import CASES, EXEMPT, make_all
from golden.importing import SOURCES

TABLE = Path(__file__).parent / "table.json"
Entry = tuple[int, str, str]
"""A revision, the hash of what was read, and the hash of what came out."""


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entry]:
    """Every case as it is now."""
    folder = tmp_path_factory.mktemp("golden")
    make_all(folder)
    contents = {name: case.content(folder) for name, case in CASES.items()}
    return {
        name: (case.revision, sha256_text(*(contents[each] for each in case.reads))[:16], contents[name][:16])
        for name, case in CASES.items()
    }


def fault_of(name: str, history: list[Entry], now: Entry) -> str:
    """What is wrong with a case, and what to do; empty if nothing is."""
    case = CASES[name]
    if not history:
        return f"{name}: a new case. Run `make golden`."
    revision, read, content = history[-1]
    raised = f"Add one to the revision of {case.kind!r} in {case.place}, then run `make golden`"
    if now[0] == revision and now[1] == read and now[2] != content:
        return f"{name}: its bytes have changed, its revision has not. {raised}, or undo the change."
    if now != history[-1]:
        return f"{name}: it is of revision {now[0]}, or made of others, than the table has. Run `make golden`."
    if any(later[0] <= earlier[0] for earlier, later in pairwise(history)):
        return f"{name}: the revisions in the table do not rise."
    return ""


def idle_revisions(histories: Iterable[list[Entry]]) -> set[int]:
    """Revisions of a kind with which none of its cases got other bytes."""
    steps = [(later[0], later[2] != earlier[2]) for history in histories for earlier, later in pairwise(history)]
    return {revision for revision, _ in steps} - {revision for revision, changed in steps if changed}


def renewed(name: str, history: list[Entry], now: Entry) -> list[Entry]:
    """The history with the case as it is now; bytes that changed under the same revision stay a fault."""
    if history and history[-1][0] == now[0]:
        unexplained = history[-1][1] == now[1] and history[-1][2] != now[2]
        return history if unexplained else [*history[:-1], now]
    return [*history, now]


def read_table() -> dict[str, list[Entry]]:
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    return {name: [(entry[0], entry[1], entry[2]) for entry in history] for name, history in table.items()}


@pytest.fixture(scope="session")
def table(found: dict[str, Entry], request: pytest.FixtureRequest) -> dict[str, list[Entry]]:
    """The histories of all cases, renewed first if that was asked for."""
    histories = read_table()
    if request.config.getoption("--renew-golden", default=False):
        histories = {name: renewed(name, histories.get(name, []), now) for name, now in found.items()}
        lines = (f"  {json.dumps(name)}: {json.dumps(history)}" for name, history in histories.items())
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return histories


@pytest.mark.parametrize("name", CASES)
def test_a_result_has_the_bytes_of_its_revision(
    found: dict[str, Entry], table: dict[str, list[Entry]], name: str
) -> None:
    fault = fault_of(name, table.get(name, []), found[name])
    assert not fault, fault


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES.values()}))
def test_a_new_revision_changes_the_bytes_of_a_case(table: dict[str, list[Entry]], kind: str) -> None:
    cases = {name: case for name, case in CASES.items() if case.kind == kind}
    idle = idle_revisions(table.get(name, []) for name in cases)
    place = next(iter(cases.values())).place
    assert not idle, (
        f"Revision {idle} of {kind!r} has the same bytes. Take it back in {place}, or let a case show what changed."
    )


ONE, TWO = (1, "read", "one"), (2, "read", "two")


@pytest.mark.parametrize(
    ("history", "now", "said"),
    [
        ([ONE], ONE, ""),
        ([ONE, TWO], TWO, ""),
        ([ONE], (1, "read", "two"), "its bytes have changed, its revision has not"),
        ([ONE], TWO, "it is of revision 2, or made of others"),
        ([ONE], (1, "other", "two"), "it is of revision 1, or made of others"),
        ([TWO, ONE], ONE, "do not rise"),
        ([], ONE, "a new case"),
    ],
)
def test_a_change_without_a_new_revision_is_a_fault(history: list[Entry], now: Entry, said: str) -> None:
    fault = fault_of("mentions", history, now)
    assert said in fault
    assert bool(fault) == bool(said)


@pytest.mark.parametrize(
    ("histories", "idle"),
    [
        ([[ONE], [ONE]], set()),
        ([[ONE, (2, "read", "one")]], {2}),
        ([[ONE, (2, "read", "one")], [ONE, TWO]], set()),
        ([[ONE, TWO, (3, "read", "two")], [(3, "read", "two")]], {3}),
    ],
)
def test_a_revision_must_change_one_case_of_its_kind(histories: list[list[Entry]], idle: set[int]) -> None:
    assert idle_revisions(histories) == idle


@pytest.mark.parametrize(
    ("now", "after"),
    [
        (TWO, [ONE, TWO]),
        ((1, "other", "two"), [(1, "other", "two")]),
        ((1, "read", "two"), [ONE]),
    ],
)
def test_renewing_keeps_earlier_revisions_and_hides_no_change(now: Entry, after: list[Entry]) -> None:
    assert renewed("mentions", [ONE], now) == after


def test_the_table_has_no_case_that_is_gone(table: dict[str, list[Entry]]) -> None:
    assert set(table) == set(CASES)


def test_every_revision_has_a_case_or_a_reason_why_not() -> None:
    declared = {*REVISIONS, *(f"stage {stage.name}" for stage in STAGES)}
    covered = {case.kind for case in CASES.values()}
    forgotten = declared - covered - EXEMPT.keys()
    assert not forgotten, (
        f"Write a case for {sorted(forgotten)} into golden/cases.py, or say in EXEMPT why none can be."
    )
    assert not EXEMPT.keys() & covered, "EXEMPT names what has a case: take it out."
    assert EXEMPT.keys() <= declared, "EXEMPT names what is no longer there: take it out."


def test_every_importer_has_a_case() -> None:
    assert set(SOURCES) == set(IMPORTERS.names()), "Write a tiny test set of that format into golden/importing.py."
