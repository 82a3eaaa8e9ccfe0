"""The data of a report: a suite, its runs, and what was computed for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.artifact import ENVIRONMENT
from constraintsuite.core.store.jsonl import read_json
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import MODEL, Run, Suite, name_runs
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.pairs import is_chance
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.models.base import PLACE_FACTS
from constraintsuite.suites.audit.results import Audit


class TokenMatch(NamedTuple):
    """How similar each token of a query is to each token of a document, in a late-interaction model."""

    model: str
    example: str
    query: str
    document: str
    """The role of the document in its example: `satisfying` or `violating`."""
    query_tokens: tuple[str, ...]
    text_tokens: tuple[str, ...]
    matrix: npt.NDArray[np.floating[Any]]  # (query tokens, text tokens)


@dataclass(frozen=True)
class ReportView:
    """Everything that a page about runs may show. The runs are named, and the best comes first."""

    suite: Suite
    runs: Mapping[str, Run]
    likenesses: Mapping[str, FloatArray] = field(default_factory=dict)
    """Cosine of the two documents of each main example, by bi-encoder."""
    matches: tuple[TokenMatch, ...] = ()
    baseline: Run | None = None
    """An earlier run, against which the page describes changes."""

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
        """The metric of the headline: paired accuracy, or accuracy if no run has opposite queries."""
        names = {summary.headline_metric for summary in self.summaries}
        return METRICS["paired_accuracy" if "paired_accuracy" in names else "accuracy"]

    def headline(self, label: str) -> Interval:
        """The headline of a run."""
        return self.runs[label].summary.headline.metrics[self.metric.name]

    def audit(self) -> Audit | None:
        """The audit in the folder of the suite; None if there is none."""
        file = self.suite.artifact.path / "audit.json"
        return read_json(file, Audit) if file.is_file() else None

    def card(self) -> str:
        """The card of the suite; empty if there is none."""
        card = self.suite.artifact.path / "README.md"
        return card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""


def make_view(suite: Suite, runs: Sequence[Run], rule: TieRule = STRICT, baseline: Run | None = None) -> ReportView:
    """Name the runs of one suite and order them by their headline; `rule` says how a tie counts.

    Runs of the random system are left out if there are other runs, since charts show the chance level as a line.
    """
    if not runs:
        raise UserError("A report needs at least one run. Make one with `csuite eval SUITE --model bm25`.")
    systems = [run for run in runs if not is_chance(run.summary.system)] or runs
    named = ReportView(suite, name_runs([rejudge(run, suite, rule) for run in systems]))
    ranked = sorted(named.runs, key=lambda label: (-(named.headline(label).value or 0.0), label))
    earlier = None if baseline is None else rejudge(baseline, suite, rule)
    return replace(named, runs={label: named.runs[label] for label in ranked}, baseline=earlier)


def model_facts(run: Run) -> Mapping[str, Any]:
    """What the model of a run reported about itself and about the machine it ran on."""
    folder = run.artifact.path
    place = _read_object(folder / ENVIRONMENT).get("model")
    ran = {key: place[key] for key in sorted(PLACE_FACTS & place.keys())} if isinstance(place, dict) else {}
    return {**_read_object(folder / MODEL), **ran}


def environment_of(folder: Path) -> dict[str, str]:
    """The versions of Python and of the libraries with which a folder was written."""
    found = _read_object(folder / ENVIRONMENT)
    packages = found.get("packages")
    versions = {"python": found.get("python"), **(packages if isinstance(packages, dict) else {})}
    return {str(name): str(version) for name, version in versions.items() if version}


def _read_object(file: Path) -> dict[str, Any]:
    return read_json(file, dict[str, Any]) if file.is_file() else {}
