"""Checkpoint after checkpoint, looked into beside the first; what is on disk already is not looked at again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.execution.progress import Reporter
from constraintsuite.mechanism.contrasts.selection import choose
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.drift import comparison
from constraintsuite.mechanism.drift.checkpoints import about
from constraintsuite.mechanism.drift.comparison import DriftContext
from constraintsuite.mechanism.drift.observation import (
    CROSSED,
    Observation,
    cross_patch,
    layers_of,
    load_observation,
    observe_checkpoint,
    plan,
    save_observation,
)
from constraintsuite.mechanism.drift.records import CheckpointStep, CircuitChange, Crossing, HeadChange, PartChange
from constraintsuite.mechanism.drift.weights import against_others, head_changes, part_changes
from constraintsuite.mechanism.effects.records import DIRECTIONS, PatchDirection
from constraintsuite.mechanism.loaded_model import LoadedModel, load_model
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter

Circuits = dict[PatchDirection, list[Site]]


@dataclass(frozen=True)
class CheckpointWalk:
    """From the first checkpoint on, over contrasts in the tokens that all checkpoints share."""

    first: LoadedModel
    labels: tuple[str, ...]
    contrasts: tuple[TokenContrast, ...]
    ground: DriftContext
    folder: Path
    """Where what was seen is kept until all is done."""
    mib: int | None = None

    def start(self) -> tuple[CheckpointStep, Circuits]:
        """What the first checkpoint shows, and its circuits."""
        with about(self.labels[0]):
            seen = self._observe(0, self.first)
            step = self._kept(0, lambda: self._alone(0, seen, seen))
        return step, {direction: comparison.circuit_of(seen, direction, self.ground) for direction in DIRECTIONS}

    def go_on(self, number: int, model: str, circuits: Circuits) -> CheckpointStep:
        """What a later checkpoint shows, beside the first and the one before it."""
        with about(self.labels[number]):
            return self._kept(number, lambda: self._later(number, model, circuits))

    def _later(self, number: int, model: str, circuits: Circuits) -> CheckpointStep:
        second = load_model(model)
        first, seen = self._load(0), self._observe(number, second)
        others = {0: first} | ({number - 1: self._load(number - 1)} if number > 1 else {})
        pairs = [((self.labels[place], self.labels[number]), other) for place, other in others.items()]
        alone, changes = self._alone(number, first, seen), head_changes(self.first, second)
        pair = (self.labels[0], self.labels[number])
        either = {site for sites in circuits.values() for site in sites}
        return CheckpointStep(
            alone.margins,
            alone.importances,
            alone.reliabilities,
            alone.probes,
            likenesses=tuple(
                one for names, other in pairs for one in comparison.likeness_of(names, other, seen, self.ground)
            ),
            alignments=tuple(comparison.alignments_of(pair, first, seen, self.ground)),
            head_changes=tuple(HeadChange(*pair, str(site), value, site in either) for site, value in changes.items()),
            part_changes=tuple(PartChange(*pair, *part) for part in part_changes(self.first, second).items()),
            circuit_changes=tuple(
                CircuitChange(*pair, direction, against_others(changes, circuit, self.ground.chance()))
                for direction, circuit in circuits.items()
            ),
            crossings=tuple(self._crossings(pair, second, circuits)),
        )

    def _alone(self, number: int, first: Observation, seen: Observation) -> CheckpointStep:
        label, ground = self.labels[number], self.ground
        return CheckpointStep(
            (comparison.margins_of(label, seen, ground),),
            tuple(comparison.importances_of(label, seen, ground)),
            tuple(comparison.reliability_of(label, seen, ground)),
            tuple(comparison.probes_of(label, first, seen, ground)),
        )

    def _crossings(self, pair: tuple[str, str], second: LoadedModel, circuits: Circuits) -> Iterator[Crossing]:
        places = crossed_places(self.ground)
        asked, clusters = [self.contrasts[place] for place in places], self.ground.clusters[places]
        budget = plan(second, asked, self.mib)
        for direction, circuit in circuits.items():
            patches = [SitePatch(tuple(sorted(circuit))), *(SitePatch((site,)) for site in layers_of(second))]
            crossed = cross_patch(self.first, second, asked, patches, direction, budget)
            yield from comparison.crossings_of(pair, direction, patches, crossed, clusters, self.ground.chance())

    def _observe(self, number: int, subject: LoadedModel) -> Observation:
        if not self._observed(number).is_file():
            budget = plan(subject, self.contrasts, self.mib)
            save_observation(self._observed(number), observe_checkpoint(subject, self.contrasts, budget))
        return self._load(number)

    def _load(self, number: int) -> Observation:
        return load_observation(self._observed(number))

    def _observed(self, number: int) -> Path:
        return self.folder / f"{number:03d}.npz"

    def _kept(self, number: int, make: Callable[[], CheckpointStep]) -> CheckpointStep:
        file = self.folder / f"{number:03d}.json"
        if not file.is_file():
            write_text(file, adapter(CheckpointStep).dump_json(make()).decode())
        step: CheckpointStep = adapter(CheckpointStep).validate_json(file.read_bytes())
        return step


def crossed_places(ground: DriftContext) -> list[int]:
    """Which contrasts values are carried over in, of those that did not choose the circuit: exact, and most of the work."""
    others = [contrast for contrast in ground.contrasts if contrast.half == "check"]
    chosen = {contrast.id for contrast in choose(others, CROSSED, ground.seed)}
    return [place for place, contrast in enumerate(ground.contrasts) if contrast.id in chosen]


def walk(walker: CheckpointWalk, models: Sequence[str], reporter: Reporter) -> tuple[CheckpointStep, Circuits]:
    """All steps together."""

    def note(number: int) -> None:
        reporter.note(f"{walker.labels[number]}: looking inside, checkpoint {number + 1} of {len(models)}")

    with reporter.track("checkpoints", len(models)) as advance:
        note(0)
        first, circuits = walker.start()
        advance()
        steps = [first]
        for number, model in enumerate(models[1:], 1):
            note(number)
            steps.append(walker.go_on(number, model, circuits))
            advance()
    return CheckpointStep.joined(steps), circuits
