"""Work in shards: a shard is done when its outcome file exists, whichever process did it and however often it was started."""

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
from constraintsuite.core.execution.record_isolation import RecordIsolation, list_left_out, note_files
from constraintsuite.core.execution.remote_paths import localize, map_paths, mirrors_in, paths_in
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.core.store.mirror import mirror_of, pull_path, push_path, remove_from_store

UNWORKABLE = "unworkable"
"""The reason under which records that break the work are counted."""
_TOLERATED_DEATHS = 2  # of a shard's processes, before its records are tried one by one: chance may have killed these
_UNEXPLAINED_DEATHS = 6  # of further processes, for which no record is to blame, before the shard is given up
_SHOWN = 5
_THIS_PROCESS = uuid4().hex


@dataclass(frozen=True)
class WorkCounts:
    """What a stage, or one shard of it, made and rejected."""

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


ShardFunction = Callable[[Any, RecordIsolation], WorkCounts]
"""The work of a shard. Its task is a dataclass whose fields of type Path are all the files that it reads and writes."""


@dataclass(frozen=True)
class Shard:
    """One part of the work, as it is sent to a worker."""

    function: ShardFunction
    task: object
    folder: Path
    name: str
    mirrors: Mapping[Path, str] = field(default_factory=dict)
    """The mirrors of object stores on the sending machine; see `remote_paths`."""
    driver: str = _THIS_PROCESS
    """The process that sent the shard."""

    @property
    def outcome_file(self) -> Path:
        """The file of its counts, which is written last."""
        return self.folder / f"{self.name}.outcome.json"

    @property
    def deaths_file(self) -> Path:
        """The file that counts the processes that started this shard and did not finish it."""
        return self.folder / f".{self.name}.deaths"


def spread(
    title: str, function: ShardFunction, tasks: Mapping[str, object], folder: Path, engine: Engine, reporter: Reporter
) -> WorkCounts:
    """Run `function` on each named task and add up the counts; a task whose outcome is already in the folder is skipped.

    A shard whose processes die is resumed record by record; the records that kill them are left out and named.
    """
    folder = folder.absolute()
    absolute = map_paths(tuple(tasks.values()), Path.absolute)  # workers start in another folder
    shards = [
        Shard(function, task, folder, name, mirrors_in((task, folder)))
        for name, task in zip(tasks, absolute, strict=True)
    ]
    push_path(folder)
    with reporter.track(title, len(shards)) as advance:
        waiting = [shard for shard in shards if not shard.outcome_file.is_file()]
        advance(len(shards) - len(waiting))
        while waiting:
            ends = engine.map(run_shard, waiting, lambda index: advance())
            waiting = [shard for shard, end in zip(waiting, ends, strict=True) if isinstance(end, Crash)]
            advance(-len(waiting))
            if waiting:
                _refuse_early_deaths(title, waiting)
                names = ", ".join(shard.name for shard in waiting)
                reporter.note(f"{title}: processes died at {names}; continuing there record by record")
    pull_path(folder)
    left_out = list_left_out(folder, tasks)
    for sentence in left_out[:_SHOWN]:
        reporter.note(f"{title}: {sentence}")
    if len(left_out) > _SHOWN:
        reporter.note(f"{title}: left out {len(left_out) - _SHOWN:,} more, named in {folder}/*.poison.jsonl")
    return WorkCounts.merged([adapter(WorkCounts).validate_json(shard.outcome_file.read_bytes()) for shard in shards])


def _refuse_early_deaths(title: str, crashed: Sequence[Shard]) -> None:
    """Raise a UserError if a process died before it could count itself: starting it again would go on for ever."""
    for shard in crashed:
        pull_path(shard.deaths_file)
        if not shard.deaths_file.is_file():
            raise UserError(
                f"{title}: worker processes die before they start {shard.name}. Is there enough memory, and is the package complete on "
                "every node? What was finished is kept: run the same command again."
            )


def run_shard(sent: Shard) -> None:
    """Do the work of a shard and write its outcome. Raises UserError if the shard has killed too many processes."""
    shard = _localize_shard(sent)
    if shard.outcome_file.is_file():  # a worker that was thought lost has done it after all
        return
    if not shard.folder.is_dir():
        raise UserError(
            f"{platform.node()} does not see {shard.folder}. All nodes need the same folder: a shared file system, or an "
            "address such as s3://bucket/folder."
        )
    deaths, excused = _count_deaths(shard)
    isolation = RecordIsolation(shard.folder, shard.name, deaths >= _TOLERATED_DEATHS, excused)
    if deaths > _TOLERATED_DEATHS + _UNEXPLAINED_DEATHS + isolation.deaths:
        _forget_deaths(shard)
        raise UserError(
            f"{shard.name}: {deaths} worker processes died in this shard, and no single record is the cause. "
            "Is there enough memory? What was finished is kept: run the same command again, with fewer --workers."
        )
    write_text(shard.deaths_file, json.dumps([deaths + 1, shard.driver, shard.driver == _THIS_PROCESS]))
    push_path(shard.deaths_file)
    try:
        outcome = shard.function(shard.task, isolation)
    finally:
        _forget_deaths(shard)
    for path in paths_in(shard.task):
        if path.is_relative_to(shard.folder):
            push_path(path)
    if isolation.poison:
        outcome = WorkCounts(outcome.counts, {**outcome.rejects, UNWORKABLE: len(isolation.poison)})
    write_text(shard.outcome_file, adapter(WorkCounts).dump_json(outcome).decode() + "\n")
    push_path(shard.outcome_file)


def _localize_shard(sent: Shard) -> Shard:
    """The shard with its paths on this machine and its inputs downloaded; on a shared disk nothing changes."""
    shard = localize(sent, sent.mirrors)
    if mirror_of(shard.folder) is not None:
        shard.folder.mkdir(parents=True, exist_ok=True)
    for path in paths_in(shard.task):
        pull_path(path, None if path.is_relative_to(shard.folder) else shard.folder)  # not the output of other shards
    for path in (shard.outcome_file, shard.deaths_file, *note_files(shard.folder, shard.name)):
        pull_path(path)
    return shard


def _count_deaths(shard: Shard) -> tuple[int, bool]:
    """How many processes died at the shard, and whether another one ended only because its command ended."""
    if not shard.deaths_file.is_file():
        return 0, False
    started, driver, in_driver = json.loads(shard.deaths_file.read_text(encoding="utf-8"))
    excused = driver != shard.driver and not in_driver
    return int(started) - excused, excused


def _forget_deaths(shard: Shard) -> None:
    shard.deaths_file.unlink(missing_ok=True)
    remove_from_store(shard.deaths_file)
