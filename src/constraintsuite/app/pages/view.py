"""What a report is made from: a suite, its runs, and what was computed for the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.app.pages.model_views import TokenMatch
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.artifact import ENVIRONMENT
from constraintsuite.core.store.jsonl import adapter, describe
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import MODEL, Run, Suite, name_runs
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.pairs import is_chance
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.models.base import PLACE_FACTS
from constraintsuite.suites.audit.results import Audit

_CARD = "README.md"


@dataclass(frozen=True)
class ReportView:
    """What a page may show; runs are named, the best first."""

    suite: Suite
    runs: Mapping[str, Run]
    likenesses: Mapping[str, FloatArray] = field(default_factory=dict)
    """Cosine of the two documents of each main example, by bi-encoder."""
    matches: tuple[TokenMatch, ...] = ()
    """Token by token, what a late-interaction model compares."""
    baseline: Run | None = None
    """An earlier run, to say what has changed since."""

    @property
    def labels(self) -> list[str]:
        """The names of the runs."""
        return list(self.runs)

    @property
    def summaries(self) -> list[RunSummary]:
        """The figures of the runs."""
        return [run.summary for run in self.runs.values()]

    @property
    def headlines(self) -> dict[str, GroupFigures]:
        """The figures of each run on the examples of the headline."""
        return {label: run.summary.headline for label, run in self.runs.items()}

    @property
    def metric(self) -> Metric:
        """The metric of the headline: paired accuracy, unless no run was asked any opposite query."""
        names = {summary.headline_metric for summary in self.summaries}
        return METRICS["paired_accuracy" if "paired_accuracy" in names else "accuracy"]

    def headline(self, label: str) -> Interval:
        """The headline of a run."""
        return self.runs[label].summary.headline.metrics[self.metric.name]

    def audit(self) -> Audit | None:
        """What the suite's own audit found."""
        file = self.suite.artifact.path / "audit.json"
        if not file.is_file():
            return None
        try:
            audit: Audit = adapter(Audit).validate_json(file.read_bytes())
        except ValidationError as error:
            raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None
        return audit

    def card(self) -> str:
        """The suite's card, empty if there is none."""
        card = self.suite.artifact.path / _CARD
        return card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""


def make_view(suite: Suite, runs: Sequence[Run], rule: TieRule = STRICT, baseline: Run | None = None) -> ReportView:
    """Runs of one suite, named and ordered by the headline; `rule` says what a tie counts.

    Runs of the system that guesses are left out where there are others: chance is a line and no system.
    """
    if not runs:
        raise UserError("A report needs at least one run. Make one with `csuite eval SUITE --model bm25`.")
    systems = [run for run in runs if not is_chance(run.summary.system)] or runs
    judged = [rejudge(run, suite, rule) for run in systems]
    named = ReportView(suite, name_runs(judged))
    ranked = sorted(named.runs, key=lambda label: (-(named.headline(label).value or 0.0), label))
    earlier = None if baseline is None else rejudge(baseline, suite, rule)
    return replace(named, runs={label: named.runs[label] for label in ranked}, baseline=earlier)


def model_facts(run: Run) -> Mapping[str, Any]:
    """What the model of a run said of itself, and of where it ran."""
    folder = run.artifact.path
    place = _read_object(folder / ENVIRONMENT).get("model")
    ran = {key: place[key] for key in sorted(PLACE_FACTS & place.keys())} if isinstance(place, dict) else {}
    return {**_read_object(folder / MODEL), **ran}


def environment_of(folder: Path) -> dict[str, str]:
    """Python and libraries with which a folder was written; not when, nor where."""
    found = _read_object(folder / ENVIRONMENT)
    packages = found.get("packages")
    versions = {"python": found.get("python"), **(packages if isinstance(packages, dict) else {})}
    return {str(name): str(version) for name, version in versions.items() if version}


def _read_object(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        found: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise UserError(f"{file}: this is not JSON. Was it edited?") from None
    return found if isinstance(found, dict) else {}
