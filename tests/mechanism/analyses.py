"""Analyses as tests ask for them: one call each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism.effects.records import ABLATIONS, AblationKind
from constraintsuite.mechanism.explain.request import RANDOM, TOP, AnalysisRequest, AnalysisScope
from constraintsuite.mechanism.explain.run import run_analysis


def attribute(
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
    reporter: Reporter,
    steps: int = 0,
    engine: Engine | None = None,
) -> Artifact:
    return run_analysis(AnalysisRequest("attribute", source, model, scope, steps=steps), out, reporter, engine)


def patch(  # noqa: PLR0917 - one parameter a setting
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
    reporter: Reporter,
    guide: Path | None = None,
    top: float = TOP,
    random: float = RANDOM,
    engine: Engine | None = None,
) -> Artifact:
    request = AnalysisRequest("patch", source, model, scope, guide=guide, top=top, random=random)
    return run_analysis(request, out, reporter, engine)


def ablate(
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
    reporter: Reporter,
    kinds: Sequence[AblationKind] = ABLATIONS,
) -> Artifact:
    return run_analysis(AnalysisRequest("ablate", source, model, scope, kinds=tuple(kinds)), out, reporter)
