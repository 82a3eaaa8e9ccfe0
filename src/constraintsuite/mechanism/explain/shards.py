"""The contrasts of a question in shards: each is answered by whoever has the model in memory, and writes its own file."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.care import Care
from constraintsuite.execution.engine import Engine
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.spread import Outcome, spread
from constraintsuite.mechanism.effects.table import part_file, write_effects
from constraintsuite.mechanism.explain.questions import Begun, Question
from constraintsuite.models.base import OutOfMemory


@dataclass(frozen=True)
class EffectsTask:
    """Some contrasts of a question, and where their effects go."""

    question: Question
    subject: str
    """Fingerprint of the model that is asked."""
    first: int
    last: int
    file: Path


def write_all_effects(
    question: Question, begun: Begun, out: Path, folder: Path, engine: Engine, reporter: Reporter
) -> None:
    """A file every so many contrasts in `out`; what is finished in `folder` is kept."""
    contrasts, size = len(begun.work.contrasts), begun.own["shard"]
    tasks = {}
    for number, first in enumerate(range(0, contrasts, size)):
        file = folder / part_file(out, number).name
        last = min(contrasts, first + size)
        tasks[file.stem] = EffectsTask(question, begun.work.subject.fingerprint, first, last, file)
    done = sum(task.last - task.first for name, task in tasks.items() if (folder / f"{name}.outcome.json").is_file())
    if done:
        reporter.note(f"{out}: goes on after {done:,} of {contrasts:,} contrasts")
    with _holding(question, begun):
        spread(question.analysis, write_shard, tasks, folder, engine, reporter)
    for number, task in enumerate(tasks.values()):
        target = part_file(out, number)
        target.parent.mkdir(exist_ok=True)
        if task.file.is_file():  # else it was moved before, by a process that was stopped then
            task.file.replace(target)


def write_shard(task: EffectsTask, care: Care) -> Outcome:
    """The effects of a shard; a contrast has no name to be left out by, so that an error of one is an error of all."""
    begun = _begun(task)
    try:
        grids = begun.effects(begun.work.contrasts[task.first : task.last])
    except OutOfMemory as error:
        raise UserError(
            f"The device has no memory left ({error}). Run it again with a smaller --memory: it goes on where it was."
        ) from None
    return Outcome({"rows": write_effects(task.file, grids)})


_held: list[tuple[Question, Begun]] = []  # one at most; a worker has no other way to keep it between two shards


def _begun(task: EffectsTask) -> Begun:
    """The question with its model, loaded once in a process."""
    if not (_held and _held[0][0] == task.question):
        _held.clear()  # before the next one is loaded: one model is in memory
        begun = task.question.begin()
        if begun.work.subject.fingerprint != task.subject:
            raise UserError(
                f"Model {begun.work.subject.name!r}: its files were changed while it was in use, or on {platform.node()} it is "
                "not the same: other weights, versions of libraries, threads or device."
            )
        _held.append((task.question, begun))
    return _held[0][1]


@contextmanager
def _holding(question: Question, begun: Begun) -> Iterator[None]:
    """While the block runs, shards of this process use this very model; when it ends, the process keeps none."""
    _held[:] = [(question, begun)]
    try:
        yield
    finally:
        _held.clear()
