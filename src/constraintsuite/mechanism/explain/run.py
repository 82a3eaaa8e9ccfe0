"""Attribute, patch, ablate: contrasts and a model in, one explain folder out; what was done before a stop is not done again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from constraintsuite.errors import UserError
from constraintsuite.execution.engine import Engine, LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.execution.unfinished import SHARDS, forget, keep_same
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.records import Contrast
from constraintsuite.mechanism.effects.agreement import compare
from constraintsuite.mechanism.effects.records import ABLATIONS, Ablation
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.effects.table import read_effects, writer
from constraintsuite.mechanism.explain.folder import BESIDE, COMPARISON, SUBJECT, SUMMARY, begin
from constraintsuite.mechanism.explain.plan import RANDOM, TOP, Guide, rows_by_side
from constraintsuite.mechanism.explain.questions import AblateQuestion, AttributeQuestion, PatchQuestion, Question
from constraintsuite.mechanism.explain.records import Comparison, SubjectFacts
from constraintsuite.mechanism.explain.settings import Analysis, Scope
from constraintsuite.mechanism.explain.shards import write_all_effects
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.explain.work import Work
from constraintsuite.mechanism.patching.memory import peak_mib
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.torch.device import describe_device
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import folder_lock, sha256_text, write_text
from constraintsuite.store.jsonl import adapter

_ALONE = LocalEngine()


def attribute(
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    reporter: Reporter,
    *,
    steps: int = 0,
    engine: Engine = _ALONE,
) -> Artifact:
    """Estimate every patch by gradients; `steps` of integrated gradients, 0 for none."""
    return _analyse(AttributeQuestion(source, model, scope, steps), out, reporter, engine)


def patch(  # noqa: PLR0913 - one parameter a setting
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    reporter: Reporter,
    *,
    guide: Path | None = None,
    top: float = TOP,
    random: float = RANDOM,
    engine: Engine = _ALONE,
) -> Artifact:
    """Run every patch; with a `guide`, an attribution folder, the strongest share by its estimates and a random share."""
    return _analyse(PatchQuestion(source, model, scope, guide, top, random), out, reporter, engine)


def ablate(
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    reporter: Reporter,
    *,
    kinds: Sequence[Ablation] = ABLATIONS,
    engine: Engine = _ALONE,
) -> Artifact:
    """Take every site away from the clean runs, in one or several ways."""
    return _analyse(AblateQuestion(source, model, scope, tuple(kinds)), out, reporter, engine)


def _analyse(question: Question, out: Path, reporter: Reporter, engine: Engine) -> Artifact:
    """Effects of every shard that is not there yet, then what they say together."""
    begun = question.begin()
    work, guide, seed = begun.work, begun.guide, question.scope.seed
    origin = _origin(question.analysis, work, question.scope, begun.own, guide)
    with folder_lock(out):
        finished = begin(out, origin)
        if finished is not None:
            reporter.note(f"{out}: up to date")
            return finished
        start = time.monotonic()
        folder = keep_same(out / SHARDS, origin.fingerprint)
        write_all_effects(question, begun, out, folder, engine, reporter)
        rows = read_effects(out)
        if not len(rows):
            raise UserError(f"{out}: none of the patches could change anything in any contrast. Name other --roles.")
        asked = [one.contrast for one in work.contrasts]
        write_contrasts(out / CONTRASTS, asked)
        _write(out / SUBJECT, _facts(work))
        _write(out / SUMMARY, summarise_effects(rows, asked, seed))
        if guide is not None:
            found = compare(guide.estimates, rows_by_side(rows, asked), guide.choice)
            _write(out / COMPARISON, Comparison(guide.choice, tuple(found)))
        counts = {"contrasts": len(asked), "patches": len(work.patches), "rows": len(rows)}
        device = work.subject.device
        place = {"device": describe_device(device), "peak_mib": round(peak_mib(device)), "tokens": asdict(work.budget)}
        artifact = finish(out, origin, counts, work.rejects, time.monotonic() - start, place=place, beside=BESIDE)
        forget(folder)
        return artifact


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
