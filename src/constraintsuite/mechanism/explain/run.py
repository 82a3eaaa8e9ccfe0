"""Attribute, patch, ablate: contrasts and a model in, one explain folder out; what was done before a stop is not done again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.mechanism.ablation import REFERENCES, Replacement, ablate_contrasts, prepare_ablation
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.records import Contrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import compare
from constraintsuite.mechanism.effects.records import ABLATIONS, Ablation, Grid
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.effects.table import part_file, read_effects, write_effects, writer
from constraintsuite.mechanism.explain.folder import BESIDE, COMPARISON, SUBJECT, SUMMARY, begin
from constraintsuite.mechanism.explain.forecast import forecast_ablation, forecast_attribution, forecast_patches
from constraintsuite.mechanism.explain.plan import RANDOM, TOP, Guide, plan_ablation, plan_patches, rows_by_side
from constraintsuite.mechanism.explain.records import Comparison, SubjectFacts
from constraintsuite.mechanism.explain.settings import Analysis, Scope
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.explain.work import Work, prepare
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.memory import peak_mib
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import describe_device
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import folder_lock, sha256_text, write_text
from constraintsuite.store.jsonl import adapter

Shard = Sequence[TokenContrast]


def attribute(source: Path, model: str, out: Path, scope: Scope, reporter: Reporter, *, steps: int = 0) -> Artifact:
    """Estimate every patch by gradients; `steps` of integrated gradients, 0 for none."""
    work = prepare(source, model, scope)

    def effects(shard: Shard) -> list[Grid]:
        return attribute_contrasts(work.subject, shard, work.patches, scope.directions, work.budget, steps=steps)

    own = {"steps": steps, "shard": forecast_attribution(work, len(scope.directions), steps).shard}
    return _analyse("attribute", work, scope, out, effects, reporter, own)


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
    work, guided = plan_patches(source, model, scope, guide, top, random)

    def effects(shard: Shard) -> list[Grid]:
        return patch_contrasts(work.subject, shard, work.patches, scope.directions, work.budget)

    own: dict[str, Any] = {"shard": forecast_patches(work, len(scope.directions)).shard}
    own |= {} if guided is None else {"top": top, "random": random}
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
    plan = plan_ablation(source, model, scope, kinds)
    work = plan.work

    @cache  # when the first shard is begun: a finished folder needs none of it
    def replacements() -> list[Replacement]:
        return [
            prepare_ablation(work.subject, kind, work.contrasts, work.sites, work.budget, scope.seed) for kind in kinds
        ]

    def effects(shard: Shard) -> list[Grid]:
        asked = [(replacement, replacement.serves(shard)) for replacement in replacements()]
        return [
            ablate_contrasts(work.subject, contrasts, work.patches, replacement, work.budget)
            for replacement, contrasts in asked
            if contrasts
        ]

    own = {"kinds": list(kinds), "references": REFERENCES, "shard": forecast_ablation(plan).shard}
    return _analyse("ablate", work, scope, out, effects, reporter, own)


def _analyse(
    analysis: Analysis,
    work: Work,
    scope: Scope,
    out: Path,
    effects: Callable[[Shard], list[Grid]],
    reporter: Reporter,
    own: Mapping[str, Any],
    guide: Guide | None = None,
) -> Artifact:
    """Effects of every shard that is not there yet, then what they say together."""
    origin = _origin(analysis, work, scope, own, guide)
    with folder_lock(out):
        finished = begin(out, origin)
        if finished is not None:
            reporter.note(f"{out}: up to date")
            return finished
        start = time.monotonic()
        _write_effects(work, out, effects, reporter, analysis, own["shard"])
        rows = read_effects(out)
        if not len(rows):
            raise UserError(f"{out}: none of the patches could change anything in any contrast. Name other --roles.")
        asked = [one.contrast for one in work.contrasts]
        write_contrasts(out / CONTRASTS, asked)
        _write(out / SUBJECT, _facts(work))
        _write(out / SUMMARY, summarise_effects(rows, asked, scope.seed))
        if guide is not None:
            found = compare(guide.estimates, rows_by_side(rows, asked), guide.choice)
            _write(out / COMPARISON, Comparison(guide.choice, tuple(found)))
        counts = {"contrasts": len(asked), "patches": len(work.patches), "rows": len(rows)}
        device = work.subject.device
        place = {"device": describe_device(device), "peak_mib": round(peak_mib(device)), "tokens": asdict(work.budget)}
        return finish(out, origin, counts, work.rejects, time.monotonic() - start, place=place, beside=BESIDE)


def _write_effects(
    work: Work, out: Path, effects: Callable[[Shard], list[Grid]], reporter: Reporter, title: str, size: int
) -> None:
    """A file every `size` contrasts; those that are there are kept."""
    shards = [work.contrasts[first : first + size] for first in range(0, len(work.contrasts), size)]
    missing = [number for number in range(len(shards)) if not part_file(out, number).is_file()]
    to_do = sum(len(shards[number]) for number in missing)
    if to_do < len(work.contrasts):
        reporter.note(f"{out}: goes on after {len(work.contrasts) - to_do:,} of {len(work.contrasts):,} contrasts")
    with reporter.track(title, to_do) as advance:
        for number in missing:
            write_effects(part_file(out, number), _within_memory(effects, shards[number]))
            advance(len(shards[number]))


def _within_memory(effects: Callable[[Shard], list[Grid]], shard: Shard) -> list[Grid]:
    try:
        return effects(shard)
    except OutOfMemory as error:
        raise UserError(
            f"The device has no memory left ({error}). Run it again with a smaller --memory: it goes on where it was."
        ) from None


def _origin(analysis: Analysis, work: Work, scope: Scope, own: Mapping[str, Any], guide: Guide | None) -> Origin:
    settings = {
        "analysis": analysis,
        "model": work.subject.name,
        "source": work.source.name,
        "analyser": work.source.analyser,
        **scope.model_dump(mode="json", exclude={"seed", "memory"}),
        **own,
        "draws": DRAWS,
        "writer": writer(),
    }
    asked = adapter(tuple[Contrast, ...]).dump_json(tuple(one.contrast for one in work.contrasts)).decode()
    inputs = {
        "source": work.source.content,
        "contrasts": sha256_text(asked),
        "subject": work.subject.fingerprint,
    }
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
