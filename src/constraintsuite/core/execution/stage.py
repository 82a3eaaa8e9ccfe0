"""Stages of a pipeline: each reads finished folders and writes one; a rerun skips folders that are up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.shard_runs import ShardFunction, WorkCounts, spread
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.environment import TEXT_LIBRARIES
from constraintsuite.core.store.revisions import Revision
from constraintsuite.core.store.workspace import claim, discard, is_resumable

Settings = TypeVar("Settings", bound=BaseModel)


@dataclass(frozen=True)
class Job(Generic[Settings]):
    """The recipe, folders and engine that a stage works with."""

    recipe: Settings
    out: Path
    inputs: Mapping[str, Path]
    engine: Engine
    reporter: Reporter

    def map_shards(self, title: str, function: ShardFunction, tasks: Mapping[str, object]) -> WorkCounts:
        """Run `function` on each named task with the job's engine; see `spread`."""
        return spread(title, function, tasks, self.out, self.engine, self.reporter)


@dataclass(frozen=True)
class Stage(Generic[Settings]):
    """One step: its name, the stages it reads, the parts of the recipe it depends on, and the work itself."""

    name: str
    work: Callable[[Job[Settings]], WorkCounts]
    revision: int
    """Raised when the same inputs and settings give other bytes; see `core/store/revisions.py`."""
    needs: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    """The inputs of the pipeline (files outside the folder) that it depends on."""


@dataclass(frozen=True)
class Pipeline(Generic[Settings]):
    """Stages in the order in which they run."""

    stages: tuple[Stage[Settings], ...]

    def names(self) -> tuple[str, ...]:
        """The names of the stages, in order."""
        return tuple(stage.name for stage in self.stages)

    def revisions(self) -> str:
        """The revisions of all stages as text, for the `Revision` of the artifact that they make."""
        return ", ".join(f"{stage.name} {stage.revision}" for stage in self.stages)

    def first_stale(self, recipe: Settings, folder: Path, source: Mapping[str, str]) -> str | None:
        """The first stage that is not finished or out of date; None if `run` has nothing to do."""
        done: dict[str, Artifact] = {}
        for stage in self.stages:
            manifest = read_manifest(folder / stage.name)
            if manifest is None or manifest.fingerprint != _origin(stage, recipe, source, done).fingerprint:
                return stage.name
            done[stage.name] = Artifact(folder / stage.name, manifest)
        return None

    def check_names(self, *names: str | None) -> None:
        """Raise a UserError for a name that no stage has."""
        for name in names:
            if name is not None and name not in self.names():
                raise UserError(f"No stage named {name!r}. The stages are: {', '.join(self.names())}.")

    def run(
        self,
        recipe: Settings,
        folder: Path,
        source: Mapping[str, str],
        engine: Engine,
        reporter: Reporter,
        *,
        redo_from: str | None = None,
        until: str | None = None,
    ) -> dict[str, Artifact]:
        """Bring every stage up to date, up to and including `until`; `redo_from` and all later stages run again."""
        self.check_names(redo_from, until)
        if redo_from and until and self.names().index(until) < self.names().index(redo_from):
            raise UserError(
                f"The stage {until!r} comes before {redo_from!r}: no stage would run. Choose a later --until."
            )
        done: dict[str, Artifact] = {}
        redo = False
        for stage in self.stages:
            redo = redo or stage.name == redo_from
            out, origin = folder / stage.name, _origin(stage, recipe, source, done)
            manifest = None if redo else read_manifest(out)  # with --from, an unreadable manifest does not matter
            if manifest is not None and manifest.fingerprint == origin.fingerprint:
                done[stage.name] = Artifact(out, manifest)
            else:
                for name in stage.needs:
                    done[name].refuse_foreign()
                if redo or not is_resumable(out, origin):
                    discard(out)  # shards are written in place, so no file of an earlier run may remain
                job = Job(recipe, out, {name: done[name].path for name in stage.needs}, engine, reporter)
                with claim(out, origin, ("**",)) as space:
                    outcome = stage.work(job)
                    done[stage.name] = space.finish(outcome.counts, outcome.rejects)
                reporter.note(f"{stage.name}: {_in_words(outcome)}")
            if stage.name == until:
                break
        return done


def _origin(
    stage: Stage[Settings], recipe: Settings, source: Mapping[str, str], done: Mapping[str, Artifact]
) -> ArtifactOrigin:
    inputs = {name: done[name].manifest.content for name in stage.needs}
    inputs |= {name: source[name] for name in stage.reads if name in source}
    settings = {name: recipe.model_dump(mode="json")[name] for name in stage.sections}
    seed = int(getattr(recipe, "seed", 0))
    return ArtifactOrigin("stage", stage.name, inputs, settings, seed, Revision(stage.revision, TEXT_LIBRARIES))


def _in_words(outcome: WorkCounts) -> str:
    parts = [f"{count:,} {name}" for name, count in outcome.counts.items()]
    if outcome.rejects:
        parts.append(f"{sum(outcome.rejects.values()):,} rejected")
    return ", ".join(parts) or "done"
