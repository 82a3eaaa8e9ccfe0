"""Attribute, patch, ablate: contrasts and a model in, one explain folder out; what was done before a stop is not done again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.engine import Engine, LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.spread import UNWORKABLE
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.agreement import compare
from constraintsuite.mechanism.effects.records import ABLATIONS, AblationKind, read_effects, writer
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.explain.folder import BESIDE, COMPARISON, FILES, SUBJECT, SUMMARY, AttributionCheck
from constraintsuite.mechanism.explain.held import begun_here, letting_go
from constraintsuite.mechanism.explain.plan import RANDOM, TOP, rows_by_side
from constraintsuite.mechanism.explain.planning import PlannedAnalysis, plan_question
from constraintsuite.mechanism.explain.questions import (
    AblateQuestion,
    AttributeQuestion,
    ExplainQuestion,
    PatchQuestion,
)
from constraintsuite.mechanism.explain.settings import AnalysisScope
from constraintsuite.mechanism.explain.shards import write_all_effects
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.patching.capacity import peak_mib
from constraintsuite.metrics.resampling import DRAWS
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.files import sha256_text, write_text
from constraintsuite.store.jsonl import adapter
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Workspace, claim

_ALONE = LocalEngine()


def attribute(
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
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
    scope: AnalysisScope,
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
    scope: AnalysisScope,
    reporter: Reporter,
    *,
    kinds: Sequence[AblationKind] = ABLATIONS,
    engine: Engine = _ALONE,
) -> Artifact:
    """Take every site away from the clean runs, in one or several ways."""
    return _analyse(AblateQuestion(source, model, scope, tuple(kinds)), out, reporter, engine)


def _analyse(question: ExplainQuestion, out: Path, reporter: Reporter, engine: Engine) -> Artifact:
    """Effects of every shard that is not there yet, then what they say together."""
    with letting_go():
        planned = plan_question(question, engine)
        origin = _origin(question, planned)
        with claim(out, origin, FILES, beside=BESIDE, note=reporter.note) as space:
            return space.finished or _answer(planned, space, reporter, engine)


def _answer(planned: PlannedAnalysis, space: Workspace, reporter: Reporter, engine: Engine) -> Artifact:
    out = space.out
    space.stages.mkdir(exist_ok=True)
    left = write_all_effects(planned, out, space.stages, engine, reporter)
    rows = read_effects(out)
    if not len(rows):
        raise UserError(f"{out}: none of the patches could change anything in any contrast. Name other --roles.")
    asked = [one for one in planned.contrasts if one.id not in left.contrasts]
    write_contrasts(out / CONTRASTS, asked)
    _write(out / SUBJECT, planned.subject)
    _write(out / SUMMARY, summarise_effects(rows, asked, space.origin.seed))
    guide = planned.guide
    if guide is not None:
        found = compare(guide.estimates, rows_by_side(rows, asked), guide.choice)
        _write(out / COMPARISON, AttributionCheck(guide.choice, tuple(found)))
    counts = {"contrasts": len(asked), "patches": planned.patches, "rows": len(rows)}
    rejects = {**planned.source.rejects, **({UNWORKABLE: len(left.contrasts)} if left.contrasts else {})}
    place = dict(planned.place)
    if isinstance(engine, LocalEngine):
        place["peak_mib"] = round(peak_mib(begun_here(planned.question).work.subject.device))
    return space.finish(counts, rejects, left.events, place)


def _origin(question: ExplainQuestion, planned: PlannedAnalysis) -> ArtifactOrigin:
    source, scope = planned.source, question.scope
    settings = {
        "analysis": question.analysis,
        "model": planned.subject.name,
        "source": source.name,
        "analyser": source.analyser,
        **scope.model_dump(mode="json", exclude={"seed", "memory"}),
        **planned.own,
        "draws": DRAWS,
        "writer": writer(),
    }
    asked = adapter(tuple[MarkedContrast, ...]).dump_json(planned.contrasts).decode()
    inputs = {
        "source": source.content,
        "contrasts": sha256_text(asked),
        "subject": planned.subject.fingerprint,
    }
    if planned.guide is not None:
        inputs["guide"] = planned.guide.content
    return ArtifactOrigin(
        KIND, f"{question.analysis} {planned.subject.name}", inputs, settings, scope.seed, REVISIONS["explain"]
    )


def _write(file: Path, record: object) -> None:
    write_text(file, adapter(type(record)).dump_json(record, indent=2).decode() + "\n")
