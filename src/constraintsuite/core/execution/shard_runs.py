"""Work in shards: each is done when its outcome lies in the folder, whoever did it, and however often it was begun."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Crash, Engine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.record_isolation import PoisonRecord, RecordIsolation, notes_of, read_poison
from constraintsuite.core.execution.remote_paths import arrive, changed, clear, fetch, mirrors_in, paths_in, send
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.core.store.mirror import mirror_of

UNWORKABLE = "unworkable"
"""The reason under which records that break the work are counted."""
_PATIENCE = 2  # deaths of a shard's processes that may have been none of its fault
_HOPELESS = 6  # more of them, though it goes record by record and none of the records is at fault
_SHOWN = 5
_HERE = uuid4().hex  # this process, among all that ever worked on a shard


@dataclass(frozen=True)
class WorkCounts:
    """What a stage (or one shard of it) did."""

    counts: Mapping[str, int] = field(default_factory=dict)
    rejects: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def merged(parts: Sequence[WorkCounts]) -> WorkCounts:
        """The sum of the parts."""
        counts: Counter[str] = Counter()
        rejects: Counter[str] = Counter()
        for part in parts:
            counts.update(part.counts)
            rejects.update(part.rejects)
        return WorkCounts(dict(sorted(counts.items())), dict(sorted(rejects.items())))

    def without(self, poison: Sequence[PoisonRecord]) -> WorkCounts:
        """The same, with what was left out counted."""
        return WorkCounts(self.counts, {**self.rejects, UNWORKABLE: len(poison)}) if poison else self


ShardFunction = Callable[[Any, RecordIsolation], WorkCounts]
"""The work of a shard. Its task is a dataclass whose fields of type Path are all the files that it reads and writes."""


@dataclass(frozen=True)
class Shard:
    """A part of some work, as it travels to whoever does it."""

    function: ShardFunction
    task: object
    folder: Path
    name: str
    mirrors: Mapping[Path, str] = field(default_factory=dict)
    """Of object stores, as they are where the work was planned; see `travel`."""
    driver: str = _HERE
    """Who planned the work, and hears of its end."""

    @property
    def outcome_file(self) -> Path:
        """Where its outcome goes, last of all."""
        return self.folder / f"{self.name}.outcome.json"

    @property
    def deaths_file(self) -> Path:
        """Tells of the processes that began with it and did not come back."""
        return self.folder / f".{self.name}.deaths"


def spread(
    title: str, function: ShardFunction, tasks: Mapping[str, object], folder: Path, engine: Engine, reporter: Reporter
) -> WorkCounts:
    """Run `function` on each named task; one whose outcome is already in the folder is not run again.

    A shard whose processes die is continued record by record; the records that kill them are left out and named.
    """
    folder = folder.absolute()
    planned = changed(tuple(tasks.values()), Path.absolute)  # workers begin in another folder
    shards = [
        Shard(function, task, folder, name, mirrors_in((task, folder)))
        for name, task in zip(tasks, planned, strict=True)
    ]
    send(folder)
    with reporter.track(title, len(shards)) as advance:
        waiting = [shard for shard in shards if not shard.outcome_file.is_file()]
        advance(len(shards) - len(waiting))
        while waiting:
            ends = engine.map(run_shard, waiting, lambda index: advance())
            waiting = [shard for shard, end in zip(waiting, ends, strict=True) if isinstance(end, Crash)]
            advance(-len(waiting))
            if waiting:
                _refuse_uncounted(title, waiting)
                names = ", ".join(shard.name for shard in waiting)
                reporter.note(f"{title}: processes died at {names}; continuing there record by record")
    fetch(folder)
    _report_left_out(title, [each for shard in shards for each in read_poison(folder, shard.name)], folder, reporter)
    return WorkCounts.merged([adapter(WorkCounts).validate_json(shard.outcome_file.read_bytes()) for shard in shards])


def _refuse_uncounted(title: str, crashed: Sequence[Shard]) -> None:
    """Processes that die before they have counted that would die for ever."""
    for shard in crashed:
        fetch(shard.deaths_file)
        if not shard.deaths_file.is_file():
            raise UserError(
                f"{title}: worker processes die before they start {shard.name}. Is there enough memory, and is the package whole on "
                "every node? What was finished is kept: run the same command again."
            )


def run_shard(planned: Shard) -> None:
    """Do the work of a shard, where it has not killed too many yet."""
    shard = _localized(planned)
    if shard.outcome_file.is_file():  # a worker that was thought lost has done it after all
        return
    if not shard.folder.is_dir():
        raise UserError(
            f"{platform.node()} does not see {shard.folder}. All nodes need the same folder: a shared file system, or an "
            "address such as s3://bucket/folder."
        )
    deaths, excused = _deaths(shard)
    care = RecordIsolation(shard.folder, shard.name, deaths >= _PATIENCE, excused)
    if deaths > _PATIENCE + _HOPELESS + care.deaths:
        _forget_deaths(shard)
        raise UserError(
            f"{shard.name}: {deaths} worker processes died in this shard, and no single record is the cause. "
            "Is there enough memory? What was finished is kept: run the same command again, with fewer --workers."
        )
    write_text(shard.deaths_file, json.dumps([deaths + 1, shard.driver, shard.driver == _HERE]))
    send(shard.deaths_file)
    try:
        outcome = shard.function(shard.task, care)
    finally:
        _forget_deaths(shard)
    for path in paths_in(shard.task):
        if path.is_relative_to(shard.folder):
            send(path)
    write_text(shard.outcome_file, adapter(WorkCounts).dump_json(outcome.without(care.poison)).decode() + "\n")
    send(shard.outcome_file)


def _localized(planned: Shard) -> Shard:
    """The shard with its paths as they are on this machine, and what it reads there; on the same disk that is all so already."""
    shard = arrive(planned, planned.mirrors)
    if mirror_of(shard.folder) is not None:
        shard.folder.mkdir(parents=True, exist_ok=True)
    for path in paths_in(shard.task):
        fetch(path, None if path.is_relative_to(shard.folder) else shard.folder)  # not what other shards make
    for path in (shard.outcome_file, shard.deaths_file, *notes_of(shard.folder, shard.name)):
        fetch(path)
    return shard


def _deaths(shard: Shard) -> tuple[int, bool]:
    """How many processes have died of it, or with it, and whether another one has only ended with the command that had sent it."""
    if not shard.deaths_file.is_file():
        return 0, False
    begun, driver, alone = json.loads(shard.deaths_file.read_text(encoding="utf-8"))
    excused = driver != shard.driver and not alone
    return int(begun) - excused, excused


def _forget_deaths(shard: Shard) -> None:
    shard.deaths_file.unlink(missing_ok=True)
    clear(shard.deaths_file)


def _report_left_out(title: str, poison: Sequence[PoisonRecord], folder: Path, reporter: Reporter) -> None:
    for each in poison[:_SHOWN]:
        reporter.note(f"{title}: left out {each.record}: {each.reason}")
    if len(poison) > _SHOWN:
        reporter.note(f"{title}: left out {len(poison) - _SHOWN:,} more, named in {folder}/*.poison.jsonl")
