"""A question as whoever drives the work knows it: the model itself is only where it is asked, which may be another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from constraintsuite.execution.engine import Engine, LocalEngine, require_results
from constraintsuite.execution.travel import arrive, fetch, mirrors_in, paths_in
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.explain.held import begun_here
from constraintsuite.mechanism.explain.plan import Guide
from constraintsuite.mechanism.explain.questions import ExplainQuestion
from constraintsuite.mechanism.explain.records import SubjectFacts
from constraintsuite.mechanism.explain.source import ContrastSource
from constraintsuite.mechanism.explain.work import AnalysisWork
from constraintsuite.models.process_cache import naming_node
from constraintsuite.models.torch.device import describe_device
from constraintsuite.models.worker_spec import with_whole_paths


@dataclass(frozen=True)
class PlannedAnalysis:
    """What will be asked, and of what."""

    question: ExplainQuestion
    """As workers are asked it."""
    subject: SubjectFacts
    source: ContrastSource
    """With the contrasts that the model can be asked."""
    patches: int
    own: Mapping[str, Any]
    guide: Guide | None
    place: Mapping[str, Any]
    """Where the model runs."""

    @property
    def contrasts(self) -> tuple[MarkedContrast, ...]:
        """Those that will be asked."""
        return self.source.contrasts


def plan_question(question: ExplainQuestion, engine: Engine) -> PlannedAnalysis:
    """What an engine will do; if its workers are elsewhere, one of them says so: this machine may have no device for the model."""
    if isinstance(engine, LocalEngine):
        return _plan_here(question)
    sent = _with_whole_paths(question)
    (planned,) = require_results(engine.map(_plan_there, [_Errand(sent, mirrors_in(sent))]))
    return replace(planned, question=sent, subject=replace(planned.subject, name=question.model))


@dataclass(frozen=True)
class _Errand:
    """A question on its way, with the mirrors of object stores that its paths lie in; see `travel`."""

    question: ExplainQuestion
    mirrors: Mapping[Path, str]


def _plan_there(errand: _Errand) -> PlannedAnalysis:
    question = arrive(errand.question, errand.mirrors)
    for path in paths_in(question):
        fetch(path)
    with naming_node():
        return _plan_here(question)


def _plan_here(question: ExplainQuestion) -> PlannedAnalysis:
    begun = begun_here(question)
    work = begun.work
    source = replace(work.source, contrasts=tuple(one.contrast for one in work.contrasts), rejects=dict(work.rejects))
    place = {"device": describe_device(work.subject.device), "tokens": asdict(work.budget)}
    return PlannedAnalysis(question, _facts(work), source, len(work.patches), begun.own, begun.guide, place)


def _facts(work: AnalysisWork) -> SubjectFacts:
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


def _with_whole_paths(question: ExplainQuestion) -> ExplainQuestion:
    """Workers begin in another folder."""
    given: dict[str, Any] = {each.name: getattr(question, each.name) for each in fields(question)}
    whole: dict[str, Any] = {name: value.absolute() for name, value in given.items() if isinstance(value, Path)}
    whole["model"] = with_whole_paths(question.model)
    return replace(question, **whole)
