"""Attribute, patch, ablate: contrasts and a model in, one explain folder out; what was done before a stop is not done again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.mechanism.ablation import REFERENCES, ablate_contrasts, choose_others, prepare_ablation
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import Choice, choose, compare
from constraintsuite.mechanism.effects.records import ABLATIONS, Ablation, Effects, Grid
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.effects.table import part_file, read_effects, write_effects, writer
from constraintsuite.mechanism.explain.folder import BESIDE, COMPARISON, SUBJECT, SUMMARY, begin, load_effects
from constraintsuite.mechanism.explain.records import Comparison, SubjectFacts
from constraintsuite.mechanism.explain.settings import Analysis, Scope
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.explain.work import Work, patches_at, prepare, refuse_other_model
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.memory import peak_mib
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import describe_device
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import folder_lock, write_text
from constraintsuite.store.jsonl import adapter

SHARD = 64
"""Contrasts in a file of effects: what is lost at most when an analysis is stopped."""
TOP, RANDOM = 0.2, 0.1
Shard = Sequence[TokenContrast]


class _Guide(NamedTuple):
    """Estimates that say what is worth an exact patch."""

    estimates: Effects
    choice: Choice
    content: str


def attribute(source: Path, model: str, out: Path, scope: Scope, reporter: Reporter, *, steps: int = 0) -> Artifact:
    """Estimate every patch by gradients; `steps` of integrated gradients, 0 for none."""
    work = prepare(source, model, scope)

    def effects(shard: Shard) -> list[Grid]:
        return attribute_contrasts(work.subject, shard, work.patches, scope.directions, work.budget, steps=steps)

    return _analyse("attribute", work, scope, out, effects, reporter, {"steps": steps})


def patch(
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    reporter: Reporter,
    *,
    guide: Path | None = None,
    top: float = TOP,
    random: float = RANDOM,
) -> Artifact:
    """Run every patch; with a `guide`, an attribution folder, the strongest share by its estimates and a random share."""
    work = prepare(source, model, scope)
    guided = None if guide is None else _follow(guide, work, top, random, scope.seed)
    if guided is not None:
        work = work.of(patches_at([*guided.choice.top, *guided.choice.random]))

    def effects(shard: Shard) -> list[Grid]:
        return patch_contrasts(work.subject, shard, work.patches, scope.directions, work.budget)

    own = {} if guided is None else {"top": top, "random": random}
    return _analyse("patch", work, scope, out, effects, reporter, own, guided)


def ablate(
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    reporter: Reporter,
    *,
    kinds: Sequence[Ablation] = ABLATIONS,
) -> Artifact:
    """Take every site away from the clean runs, in one or several ways."""
    work = prepare(source, model, scope)
    if "resample" in kinds:
        others = choose_others(work.contrasts, scope.seed)
        work = work.on([one for one in work.contrasts if one.contrast.id in others], "no_other_y")
    replacements = [
        prepare_ablation(work.subject, kind, work.contrasts, work.sites, work.budget, scope.seed) for kind in kinds
    ]

    def effects(shard: Shard) -> list[Grid]:
        return [
            ablate_contrasts(work.subject, shard, work.patches, replacement, work.budget)
            for replacement in replacements
        ]

    return _analyse("ablate", work, scope, out, effects, reporter, {"kinds": list(kinds), "references": REFERENCES})


def _follow(guide: Path, work: Work, top: float, random: float, seed: int) -> _Guide:
    artifact = Artifact.open(guide, KIND)
    estimates, _ = load_effects(guide)
    refuse_other_model(artifact, estimates, work)
    return _Guide(estimates, choose(estimates, top, random, seed), artifact.manifest.content)


def _analyse(
    analysis: Analysis,
    work: Work,
    scope: Scope,
    out: Path,
    effects: Callable[[Shard], list[Grid]],
    reporter: Reporter,
    own: Mapping[str, Any],
    guide: _Guide | None = None,
) -> Artifact:
    """Effects of every shard that is not there yet, then what they say together."""
    origin = _origin(analysis, work, scope, own, guide)
    with folder_lock(out):
        finished = begin(out, origin)
        if finished is not None:
            reporter.note(f"{out}: up to date")
            return finished
        start = time.monotonic()
        _write_effects(work, out, effects, reporter, analysis)
        rows = read_effects(out)
        asked = [one.contrast for one in work.contrasts]
        write_contrasts(out / CONTRASTS, asked)
        _write(out / SUBJECT, _facts(work))
        _write(out / SUMMARY, summarise_effects(rows, asked, scope.seed))
        if guide is not None:
            _write(out / COMPARISON, Comparison(guide.choice, tuple(compare(guide.estimates, rows, guide.choice))))
        counts = {"contrasts": len(asked), "patches": len(work.patches), "rows": len(rows)}
        place = {"device": describe_device(work.subject.device), "peak_mib": round(peak_mib(work.subject.device))}
        return finish(out, origin, counts, work.rejects, time.monotonic() - start, place=place, beside=BESIDE)


def _write_effects(
    work: Work, out: Path, effects: Callable[[Shard], list[Grid]], reporter: Reporter, title: str
) -> None:
    with reporter.track(title, len(work.contrasts)) as advance:
        for number, first in enumerate(range(0, len(work.contrasts), SHARD)):
            shard = work.contrasts[first : first + SHARD]
            file = part_file(out, number)
            if not file.is_file():
                write_effects(file, _within_memory(effects, shard))
            advance(len(shard))


def _within_memory(effects: Callable[[Shard], list[Grid]], shard: Shard) -> list[Grid]:
    try:
        return effects(shard)
    except OutOfMemory as error:
        raise UserError(
            f"The device has no memory left ({error}). Run it with a smaller --memory, into another folder."
        ) from None


def _origin(analysis: Analysis, work: Work, scope: Scope, own: Mapping[str, Any], guide: _Guide | None) -> Origin:
    settings = {
        "analysis": analysis,
        "model": work.subject.name,
        "source": work.source,
        **scope.model_dump(mode="json", exclude={"seed"}),
        **own,
        "tokens": [work.budget.kept, work.budget.stacked, work.budget.traced],
        "shard": SHARD,
        "draws": DRAWS,
        "writer": writer(),
    }
    inputs = {"source": work.content, "subject": work.subject.fingerprint}
    if guide is not None:
        inputs["guide"] = guide.content
    return Origin(KIND, f"{analysis} {work.subject.name}", inputs, settings, scope.seed, code_version())


def _facts(work: Work) -> SubjectFacts:
    subject = work.subject
    return SubjectFacts(
        subject.name,
        str(subject.model.config.model_type),
        subject.layers,
        subject.heads,
        subject.pooling,
        subject.fingerprint,
        subject.invariants,
    )


def _write(file: Path, record: object) -> None:
    write_text(file, adapter(type(record)).dump_json(record, indent=2).decode() + "\n")
