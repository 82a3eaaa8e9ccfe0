"""Checkpoints in the order of training, and suites, give one folder that says what changed."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.evaluate.load import Suite, load_suite
from constraintsuite.evaluate.scoring import pairs_of
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.mechanism.circuits.resampling import resample
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.from_suite import make_contrasts
from constraintsuite.mechanism.contrasts.records import Contrast, ControlKind, Side
from constraintsuite.mechanism.contrasts.selection import choose, keep_kinds
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, Tokenised, tokenise
from constraintsuite.mechanism.drift.behaviour import compare_behaviour, run_checkpoints
from constraintsuite.mechanism.drift.checkpoints import Checkpoint, count_layers, fingerprint
from constraintsuite.mechanism.drift.cka import FEWEST
from constraintsuite.mechanism.drift.comparing import Ground
from constraintsuite.mechanism.drift.folder import KIND, RESULTS, RUNS, STAGES
from constraintsuite.mechanism.drift.observing import studied_sites
from constraintsuite.mechanism.drift.plan import DriftPlan, plan_drift
from constraintsuite.mechanism.drift.records import Drift
from constraintsuite.mechanism.drift.steps import Walk, walk
from constraintsuite.mechanism.explain.folder import begin
from constraintsuite.mechanism.subject import Subject, load_subject
from constraintsuite.metrics.intervals import connected_components
from constraintsuite.models.torch.device import describe_device
from constraintsuite.records.examples import SPLITS, Split
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import folder_lock, write_text
from constraintsuite.store.jsonl import adapter

LIMIT, TOP = 256, 10
_MAIN: tuple[ControlKind, ...] = ("",)
_DRAWS = 500  # of clusters: figures of rankings are made one draw at a time


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """How drift is measured."""

    splits: tuple[Split, ...] = SPLITS
    """A model that was trained on a suite should be asked its `test` alone."""
    sides: tuple[Side, ...] = ("query",)
    """Where clean and corrupt differ; what reads a negation in a query need not be what reads one in a text."""
    independent: bool = False
    """Only contrasts of examples of which no two share a document."""
    limit: int | None = LIMIT
    """Most contrasts, dealt evenly over sides and slices."""
    top: int = TOP
    """Sites of a circuit."""
    seed: int = 0
    memory: int | None = None
    """MiB for activations; decides no figure."""


@dataclass(frozen=True)
class _Asked:
    """Suites by name, and the contrasts made of them."""

    suites: Mapping[str, Suite]
    contrasts: tuple[Contrast, ...]
    rejects: Mapping[str, int]


def plan_work(checkpoints: Sequence[Checkpoint], suites: Sequence[Path], settings: DriftSettings) -> DriftPlan:
    """What `measure_drift` would do; nothing is loaded but the suites."""
    asked = _ask(suites, settings)
    pairs = sum(len(pairs_of([*suite.examples, *suite.controls])) for suite in asked.suites.values())
    return plan_drift(
        [one.label for one in checkpoints],
        list(asked.suites),
        pairs,
        len(asked.contrasts),
        dict(asked.rejects),
        count_layers(checkpoints[0]),
    )


def measure_drift(
    checkpoints: Sequence[Checkpoint],
    suites: Sequence[Path],
    out: Path,
    settings: DriftSettings,
    reporter: Reporter,
) -> Artifact:
    """Measure all that changes from checkpoint to checkpoint into the folder `out`; what is done already is kept."""
    asked = _ask(suites, settings)
    origin = _origin(checkpoints, asked, settings)
    with folder_lock(out):
        finished = begin(out, origin)
        if finished is not None:
            reporter.note(f"{origin.name}: {out} is up to date")
            return finished
        began = time.monotonic()
        first = load_subject(checkpoints[0].model)
        tokens = _tokenise(asked, first)
        found = _measure(checkpoints, asked, tokens.contrasts, first, out, settings, reporter)
        write_contrasts(out / CONTRASTS, [one.contrast for one in tokens.contrasts])
        write_text(out / RESULTS, adapter(Drift).dump_json(found, indent=1).decode() + "\n")
        shutil.rmtree(out / STAGES)
        counts = {"checkpoints": len(checkpoints), "suites": len(asked.suites), "contrasts": found.contrasts}
        cut = Counter(f"tokens: {one.reason}" for one in tokens.rejected)
        place = {"device": describe_device(first.device)}
        return finish(
            out, origin, counts, {**asked.rejects, **cut}, time.monotonic() - began, place=place, beside=(RUNS,)
        )


def _measure(
    checkpoints: Sequence[Checkpoint],
    asked: _Asked,
    contrasts: tuple[TokenContrast, ...],
    first: Subject,
    out: Path,
    settings: DriftSettings,
    reporter: Reporter,
) -> Drift:
    labels = tuple(one.label for one in checkpoints)
    ground = _ground(first, contrasts, settings)
    runs = run_checkpoints(asked.suites, checkpoints, out / RUNS, reporter, settings.seed)
    behaviour = compare_behaviour(asked.suites, runs, settings.splits, seed=settings.seed)
    walker = Walk(first, labels, contrasts, ground, out / STAGES, settings.memory)
    with reporter.track("checkpoints", len(checkpoints)) as advance:
        inside, circuits = walk(walker, [one.model for one in checkpoints], advance)
    return Drift(
        checkpoints=labels,
        suites=tuple(asked.suites),
        splits=tuple(settings.splits),
        sides=tuple(settings.sides),
        contrasts=len(contrasts),
        clusters=ground.draws.groups,
        seed=settings.seed,
        top=settings.top,
        layers=first.layers,
        heads=first.heads,
        circuit={direction: tuple(map(str, sites)) for direction, sites in circuits.items()},
        figures=behaviour.figures,
        changes=behaviour.changes,
        forgetting=behaviour.forgetting,
        inside=inside,
    )


def _ground(first: Subject, contrasts: Sequence[TokenContrast], settings: DriftSettings) -> Ground:
    plain = tuple(one.contrast for one in contrasts)
    sites = tuple(studied_sites(first))
    if settings.top >= len(sites):
        raise UserError(f"--top {settings.top}: the model has {len(sites)} heads and MLPs in all.")
    clusters = connected_components([contrast.clusters for contrast in plain])
    draws = resample(clusters, np.random.default_rng(settings.seed), _DRAWS)
    return Ground(sites, plain, clusters, draws, settings.top, settings.seed)


def _tokenise(asked: _Asked, first: Subject) -> Tokenised:
    tokens = tokenise(asked.contrasts, first.classifier.tokenization)
    if len(tokens.contrasts) < FEWEST:
        raise UserError(
            f"Only {len(tokens.contrasts)} contrasts are left, of {FEWEST} that are needed. Give larger suites, another "
            "--split, or a larger --limit."
        )
    return tokens


def _ask(suites: Sequence[Path], settings: DriftSettings) -> _Asked:
    """Main contrasts of all suites: what training should change, and what it should not, is told by the slices."""
    loaded: dict[str, Suite] = {}
    found: dict[str, Contrast] = {}
    rejects: Counter[str] = Counter()
    for path in suites:
        suite = load_suite(path)
        name = path.resolve().name
        if name in loaded:
            raise UserError(f"{path}: another suite's folder is called {name!r} too. Rename one of them.")
        loaded[name] = suite
        made = make_contrasts(suite, seed=settings.seed, splits=settings.splits, independent=settings.independent)
        found |= {
            contrast.id: contrast for contrast in keep_kinds(made.contrasts, sides=settings.sides, controls=_MAIN)
        }
        asked = (*settings.sides, "any")
        rejects.update({why: count for why, count in made.rejects.items() if why.partition(":")[0] in asked})
    chosen = choose(list(found.values()), settings.limit, settings.seed)
    return _Asked(loaded, tuple(chosen), dict(sorted(rejects.items())))


def _origin(checkpoints: Sequence[Checkpoint], asked: _Asked, settings: DriftSettings) -> Origin:
    inputs = {f"suite {name}": suite.content for name, suite in asked.suites.items()}
    inputs |= {f"checkpoint {n:03d} {one.label}": fingerprint(one) for n, one in enumerate(checkpoints)}
    decisive: dict[str, Any] = {
        "checkpoints": [one.label for one in checkpoints],
        "suites": list(asked.suites),
        "splits": list(settings.splits),
        "sides": list(settings.sides),
        "limit": settings.limit,
        "top": settings.top,
        "draws": _DRAWS,
    }
    name = f"{checkpoints[0].label} > {checkpoints[-1].label}"
    return Origin(KIND, name, inputs, decisive, settings.seed, code_version())
