"""Observe each checkpoint and compare it with the first and the one before; finished steps are read from disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.core.errors import prefixed_errors
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.mechanism.contrasts.selection import choose_contrasts
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.drift import comparison, observation
from constraintsuite.mechanism.drift.checkpoints import Checkpoint
from constraintsuite.mechanism.drift.comparison import DriftContext
from constraintsuite.mechanism.drift.records import (
    CheckpointStep,
    CircuitChange,
    CrossCheckpointPatch,
    HeadChange,
    PartChange,
)
from constraintsuite.mechanism.drift.similarity import against_others, head_changes, part_changes
from constraintsuite.mechanism.effects.records import DIRECTIONS, PatchDirection
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site

Circuits = dict[PatchDirection, list[Site]]


@dataclass(frozen=True)
class CheckpointWalk:
    """Goes through the checkpoints in order, on contrasts in the tokens that all of them share."""

    first: LoadedModel
    checkpoints: tuple[Checkpoint, ...]
    contrasts: tuple[TokenContrast, ...]
    context: DriftContext
    folder: Path
    """Where observations are kept until all checkpoints are finished."""
    mib: int | None = None

    def run(self, reporter: Reporter) -> tuple[CheckpointStep, Circuits]:
        """The figures of all checkpoints, and the circuits of the first."""
        steps, circuits = [], Circuits()
        with reporter.track("checkpoints", len(self.checkpoints)) as advance:
            for number, checkpoint in enumerate(self.checkpoints):
                reporter.note(f"{checkpoint.label}: looking inside, checkpoint {number + 1} of {len(self.checkpoints)}")
                with prefixed_errors(f"Checkpoint {checkpoint.label}"):
                    steps.append(self.step(number, circuits))
                if not circuits:
                    seen = self._load(0)
                    circuits |= {name: comparison.circuit_of(seen, name, self.context) for name in DIRECTIONS}
                advance()
        return CheckpointStep.joined(steps), circuits

    def step(self, number: int, circuits: Circuits) -> CheckpointStep:
        """The figures of one checkpoint, from disk if they were computed before."""
        file = self.folder / f"{number:03d}.json"
        if not file.is_file():
            made = self._later(number, circuits) if number else self._alone(0, self._observe(0, self.first))
            write_json(file, made)
        return read_json(file, CheckpointStep)

    def _later(self, number: int, circuits: Circuits) -> CheckpointStep:
        label, context = self.checkpoints[number].label, self.context
        second = load_model(self.checkpoints[number].model)
        first, seen = self._load(0), self._observe(number, second)
        others = {0: first} | ({number - 1: self._load(number - 1)} if number > 1 else {})
        pairs = [((self.checkpoints[place].label, label), other) for place, other in others.items()]
        pair, changes = (self.checkpoints[0].label, label), head_changes(self.first, second)
        either = {site for sites in circuits.values() for site in sites}
        return replace(
            self._alone(number, seen),
            likenesses=tuple(
                one for names, other in pairs for one in comparison.compare_importances(names, other, seen, context)
            ),
            alignments=tuple(comparison.alignments_of(pair, first, seen, context)),
            head_changes=tuple(HeadChange(*pair, str(site), value, site in either) for site, value in changes.items()),
            part_changes=tuple(PartChange(*pair, *part) for part in part_changes(self.first, second).items()),
            circuit_changes=tuple(
                CircuitChange(*pair, direction, against_others(changes, circuit, context.chance()))
                for direction, circuit in circuits.items()
            ),
            crossings=tuple(self._crossings(pair, second, circuits)),
        )

    def _alone(self, number: int, seen: observation.Observation) -> CheckpointStep:
        """The figures of a checkpoint alone; its probes are compared with the probes of the first."""
        label, context = self.checkpoints[number].label, self.context
        first = self._load(0)
        return CheckpointStep(
            (comparison.margins_of(label, seen, context),),
            tuple(comparison.importances_of(label, seen, context)),
            tuple(comparison.reliability_of(label, seen, context)),
            tuple(comparison.probes_of(label, first, seen, context)),
        )

    def _crossings(
        self, pair: tuple[str, str], second: LoadedModel, circuits: Circuits
    ) -> Iterator[CrossCheckpointPatch]:
        """Exact patches with values of the first checkpoint, on contrasts that did not choose the circuit; most of the work."""
        context = self.context
        others = [contrast for contrast in context.contrasts if contrast.half == "check"]
        chosen = {contrast.id for contrast in choose_contrasts(others, observation.CROSSED, context.seed)}
        places = [place for place, contrast in enumerate(context.contrasts) if contrast.id in chosen]
        asked, clusters = [self.contrasts[place] for place in places], context.clusters[places]
        budget = observation.plan(second, asked, self.mib)
        for direction, circuit in circuits.items():
            patches = [
                SitePatch(tuple(sorted(circuit))),
                *(SitePatch((site,)) for site in observation.layers_of(second)),
            ]
            crossed = observation.cross_patch(self.first, second, asked, patches, direction, budget)
            yield from comparison.crossings_of(pair, direction, patches, crossed, clusters, context.chance())

    def _observe(self, number: int, model: LoadedModel) -> observation.Observation:
        if not self._file(number).is_file():
            budget = observation.plan(model, self.contrasts, self.mib)
            observation.save_observation(
                self._file(number), observation.observe_checkpoint(model, self.contrasts, budget)
            )
        return self._load(number)

    def _load(self, number: int) -> observation.Observation:
        return observation.load_observation(self._file(number))

    def _file(self, number: int) -> Path:
        return self.folder / f"{number:03d}.npz"
