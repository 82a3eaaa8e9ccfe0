"""A build that is killed at any moment gives the same bundle when it is run again, and does not begin anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.text import Document
from constraintsuite.core.store import workspace
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.vectors import subset, tables
from constraintsuite.vectors.bundle import Bundle, reading
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.tables import write_parquet
from tiny_bundle import make_bundle, write_source

# A child kills itself without warning at a certain call of a function, so that the moment does not depend on the machine.
KILLING = """
import os, random, signal, sys
from pathlib import Path
import pyarrow
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.core.execution.progress import Silent
from constraintsuite.vectors import subset, tables
from constraintsuite.corpora.registry import open_source
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.draft import draft_subset
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset

folder = Path(sys.argv[1])
tables.PART_ROWS = 7
source = SourceSettings(**{name: str(folder / file) for name, file in
                           {"source": "docs.jsonl", "queries": "queries.jsonl", "qrels": "qrels.txt"}.items()})
settings = SubsetSettings(size=30, namespace="tiny", dedup="exact_text")

def build(out, last):
    calls = 0
    def count(frame, event, argument):
        nonlocal calls
        calls += 1
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count if last is not None else None)
    build_subset(source, settings, out, Silent())
    sys.setprofile(None)
    return calls

def in_child(out, last):
    # Whether it was killed. Nothing is built in this process: threads that a library has started do not survive a fork.
    child = os.fork()
    if child == 0:
        (folder / "calls").write_text(str(build(out, last)))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

os.fsync = lambda file: None  # against a loss of power, which is not what happens here; most of the time goes there
draft_subset(open_source(source), settings, False, Silent())  # what a first use loads is loaded here, once
pyarrow.array(["text"])
in_child(folder / "whole", 0)
whole = int((folder / "calls").read_text())
chance, kills = random.Random(5), 0
for number in range(12):
    kills += in_child(folder / f"once{number}", chance.randrange(1, whole))
    assert not in_child(folder / f"once{number}", None)
for _ in range(6):
    kills += in_child(folder / "often", chance.randrange(1, whole))
assert not in_child(folder / "often", None)
ids = {Bundle.open(path).id for path in folder.iterdir() if path.is_dir()}
left = sorted(path.name for path in (folder / "often").iterdir() if not path.name.startswith("."))
print(kills, len(ids), *left)
"""


def test_killed_at_random_moments_the_bundle_is_the_same(tmp_path: Path) -> None:
    write_source(tmp_path)
    command = [sys.executable, "-c", KILLING, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    kills, ids, *left = result.stdout.split()
    assert int(kills) >= 12
    assert ids == "1"
    assert left == [
        *("corpus", "coverage.json", "environment.json", "manifest.json"),
        *("qrels.parquet", "queries.parquet", "rejects.jsonl", "twins.jsonl"),
    ]


class Stopped(Exception):  # noqa: N818 - stands for a kill, not for a fault
    """The build ends here."""


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one whenever the documents of a source are read."""
    seen: list[str] = []

    def counting(settings: SourceSettings) -> Source:
        source = open_source(settings)
        own = source.documents

        def documents(bad: BadRows) -> Iterator[Document]:
            seen.append(source.name)
            return own(bad)

        monkeypatch.setattr(source, "documents", documents)
        return source

    monkeypatch.setattr(subset, "open_source", counting)
    monkeypatch.setattr(tables, "PART_ROWS", 7)
    return seen


@pytest.mark.parametrize(
    ("place", "function", "call", "again"),
    [
        (tables.LooseParts, "fill", 1, 1),  # surveyed: only the texts are read again
        (tables, "write_parquet", 1, 0),  # texts are there: no document is read again
        (tables, "write_parquet", 4, 0),
        (subset, "write_jsonl", 5, 0),
        (Workspace, "finish", 1, 0),
        (workspace, "finish", 1, 0),
        (subset, "remove_other_parts", 1, 0),
    ],
)
def test_what_was_finished_is_not_done_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    readings: list[str],
    place: object,
    function: str,
    call: int,
    again: int,
) -> None:
    whole = Bundle.open(make_bundle(tmp_path / "whole"))
    with monkeypatch.context() as patch:
        patch.setattr(place, function, stopping(getattr(place, function), call))
        with pytest.raises(Stopped):
            make_bundle(tmp_path / "stopped")
    readings.clear()
    with monkeypatch.context() as patch:
        written: list[str] = []

        def noting(path: Path, schema: object, rows: Iterable[Sequence[object]]) -> int:
            written.append(path.name)
            return write_parquet(path, schema, rows)

        patch.setattr(tables, "write_parquet", noting)
        resumed = Bundle.open(make_bundle(tmp_path / "stopped"))
    assert resumed.id == whole.id
    assert len(readings) == again
    assert not (resumed.path / "stages").exists()
    if function == "write_parquet":
        assert [name for name in written if name.startswith("part-")] == [
            f"part-{i:05}.parquet" for i in range(call - 1, 5)
        ]


def stopping(function: Callable[..., object], call: int) -> Callable[..., object]:
    """The same function, until that call of it."""
    calls = 0

    def stopped(*arguments: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Stopped
        return function(*arguments, **named)

    return stopped


def test_what_other_settings_left_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: list[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tables, "write_parquet", stopping(write_parquet, 3))
        with pytest.raises(Stopped):
            make_bundle(tmp_path / "a", size=31)
    readings.clear()
    assert Bundle.open(make_bundle(tmp_path / "a")).id == Bundle.open(make_bundle(tmp_path / "b")).id
    assert len(readings) == 4


def test_a_refused_coverage_keeps_the_survey_for_the_next_try(tmp_path: Path, readings: list[str]) -> None:
    source = write_source(tmp_path / "source", documents=600)
    few = SubsetSettings(mode="uniform", size=3)
    with pytest.raises(UserError, match="--accept-coverage"):
        build_subset(source, few, tmp_path / "out", Silent())
    readings.clear()
    build_subset(source, few, tmp_path / "out", Silent(), accept_coverage=True)
    assert len(readings) == 1


def test_rows_that_were_left_out_are_not_passed_over_by_who_does_not_skip_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: list[str]
) -> None:
    strict = write_source(tmp_path)
    with Path(strict.source).open("a") as file:
        file.write("not json\n")
    skipping = strict.model_copy(update={"skip_bad_rows": True})
    settings = SubsetSettings(size=30, namespace="tiny")
    with monkeypatch.context() as patch:
        patch.setattr(tables, "write_parquet", stopping(write_parquet, 3))
        with pytest.raises(Stopped):
            build_subset(skipping, settings, tmp_path / "out", Silent())
    left_out = "1 broken rows of the source were left out here, with --skip-bad-rows"
    with pytest.raises(UserError, match=left_out):
        build_subset(strict, settings, tmp_path / "out", Silent())
    readings.clear()
    build_subset(skipping, settings, tmp_path / "out", Silent())
    assert readings == []  # the refusal has thrown nothing away
    with pytest.raises(UserError, match=left_out):
        build_subset(strict, settings, tmp_path / "out", Silent())


def test_an_old_bundle_stays_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: list[str]
) -> None:
    old = Bundle.open(make_bundle(tmp_path))
    source = write_source(tmp_path / "source")
    settings = SubsetSettings(size=31, namespace="tiny")
    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "finish", stopping(Workspace.finish, 1))
        with pytest.raises(Stopped):
            build_subset(source, settings, old.path, Silent(), force=True)
    assert Bundle.open(old.path).id == old.id
    assert len(list(old.rows())) == 30


def test_vectors_that_are_being_made_are_left_alone_by_a_build_that_has_nothing_to_do(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    unfinished = path / "vectors" / "encoder" / "stages"
    unfinished.mkdir(parents=True)
    with reading(path):  # as `csuite embed` does
        make_bundle(tmp_path)
    assert unfinished.is_dir()
