"""The contrasts of a question in shards: each is answered by whoever has the model in memory, and writes its own file."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.execution.bulk import in_bulk
from constraintsuite.execution.care import Care, Poison, are_few, notes_of, read_poison
from constraintsuite.execution.engine import Engine
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.spread import WorkCounts, spread
from constraintsuite.execution.travel import clear
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import Grid
from constraintsuite.mechanism.effects.table import part_file, write_effects
from constraintsuite.mechanism.explain.held import begun_here
from constraintsuite.mechanism.explain.planning import PlannedAnalysis
from constraintsuite.mechanism.explain.questions import Begun, ExplainQuestion
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.process_cache import naming_node

_NONE = np.empty(0)
_NO_ROWS = Grid((), (), "noising", "exact", _NONE, _NONE, np.empty((0, 0)), _NONE, np.empty((0, 0)))


@dataclass(frozen=True)
class EffectsTask:
    """Some contrasts of a question, and where their effects go."""

    question: ExplainQuestion
    subject: str
    """Fingerprint of the model that is asked."""
    first: int
    last: int
    file: Path


class LeftOut(NamedTuple):
    """Contrasts that break the model."""

    contrasts: frozenset[str]
    events: tuple[str, ...]
    """The same in words."""


def write_all_effects(planned: PlannedAnalysis, out: Path, folder: Path, engine: Engine, reporter: Reporter) -> LeftOut:
    """A file every so many contrasts in `out`; what is finished in `folder` is kept."""
    contrasts, size = len(planned.contrasts), planned.own["shard"]
    tasks = {}
    for number, first in enumerate(range(0, contrasts, size)):
        file = folder / part_file(out, number).name
        last = min(contrasts, first + size)
        tasks[file.stem] = EffectsTask(planned.question, planned.subject.fingerprint, first, last, file)
    done = sum(task.last - task.first for name, task in tasks.items() if _outcome(folder, name).is_file())
    if done:
        reporter.note(f"{out}: goes on after {done:,} of {contrasts:,} contrasts")
    spread(planned.question.analysis, write_shard, tasks, folder, engine, reporter)
    poison = {name: read_poison(folder, name) for name in tasks}
    _refuse_many(poison, contrasts, folder)
    for number, task in enumerate(tasks.values()):
        target = part_file(out, number)
        target.parent.mkdir(exist_ok=True)
        if task.file.is_file():  # else it was moved before, by a process that was stopped then
            task.file.replace(target)
    lost = [each for some in poison.values() for each in some]
    return LeftOut(
        frozenset(each.record for each in lost), tuple(f"left out {each.record}: {each.reason}" for each in lost)
    )


def write_shard(task: EffectsTask, care: Care) -> WorkCounts:
    """The effects of a shard, all in one call; contrasts that break the model are left out."""
    with naming_node():
        begun = begun_here(task.question)
    if begun.work.subject.fingerprint != task.subject:
        raise UserError(
            f"Model {begun.work.subject.name!r}: its files were changed while it was in use, or on {platform.node()} it is "
            "not the same: other weights, versions of libraries, threads or device."
        )
    made = in_bulk(care, begun.work.contrasts[task.first : task.last], _name, lambda some: _together(begun, some), None)
    grids = next((grids for grids in made if grids), [_NO_ROWS])
    return WorkCounts({"rows": write_effects(task.file, grids)})


def _together(begun: Begun, contrasts: Sequence[TokenContrast | None]) -> list[list[Grid]]:
    """For each contrast the grids of all: what they are asked in one batch decides their last bits. None asks nothing."""
    asked = [one for one in contrasts if one is not None]
    try:
        begun.prepare()
        grids = begun.effects(asked) if asked else []
    except OutOfMemory as error:
        raise UserError(
            f"The device has no memory left ({error}). Run it again with a smaller --memory: it goes on where it was."
        ) from None
    return [grids] * len(contrasts)


def _name(one: TokenContrast | None) -> str:
    return one.contrast.id if one is not None else ""


def _refuse_many(poison: Mapping[str, Sequence[Poison]], contrasts: int, folder: Path) -> None:
    """So many are no fault of their own: nothing is held against them, and their shards are begun anew."""
    lost = [each for some in poison.values() for each in some]
    if are_few(len(lost), contrasts) and len(lost) < contrasts:  # of all: a shard may be a single one
        return
    for name in (name for name, some in poison.items() if some):
        for file in (_outcome(folder, name), *notes_of(folder, name)):
            file.unlink(missing_ok=True)
            clear(file)
    raise UserError(
        f"The model breaks at {len(lost):,} of {contrasts:,} contrasts, among them {lost[0].record!r} ({lost[0].reason}). Is "
        "something wrong with the installation? What was finished is kept: run the same command again."
    )


def _outcome(folder: Path, shard: str) -> Path:
    return folder / f"{shard}.outcome.json"
