"""What a report is made from: a suite, its runs, and what was computed for the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.experiments.headline import headline_metric
from constraintsuite.experiments.load import MODEL, Run, Suite
from constraintsuite.experiments.rejudge import rejudge
from constraintsuite.experiments.run_labels import name_runs
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.intervals import FloatArray
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.models.base import PLACE_FACTS
from constraintsuite.reports.maxsim import TokenMatch
from constraintsuite.store.artifact import ENVIRONMENT
from constraintsuite.store.jsonl import adapter, describe
from constraintsuite.suites.audit.results import Audit

_CARD = "README.md"


@dataclass(frozen=True)
class ReportView:
    """What a section may show; runs are named, the best first."""

    suite: Suite
    runs: Mapping[str, Run]
    likenesses: Mapping[str, FloatArray] = field(default_factory=dict)
    """Cosine of the two documents of each main example, by bi-encoder."""
    matches: tuple[TokenMatch, ...] = ()
    """Token by token, what a late-interaction model compares."""

    @property
    def labels(self) -> list[str]:
        """The names of the runs."""
        return list(self.runs)

    @property
    def summaries(self) -> list[RunSummary]:
        """The figures of the runs."""
        return [run.summary for run in self.runs.values()]

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


def make_view(suite: Suite, runs: Sequence[Run], rule: TieRule = STRICT) -> ReportView:
    """Runs of one suite, named and ordered by the figure that the suite is about; `rule` says what a tie counts."""
    if not runs:
        raise UserError("A report needs at least one run. Make one with `csuite eval SUITE --model bm25`.")
    judged = [rejudge(run, suite, rule) for run in runs]
    first = headline_metric(suite.examples).name
    ranked = sorted(judged, key=lambda r: (-(r.summary.overall.metrics[first].value or 0.0), r.summary.model))
    return ReportView(suite, name_runs(ranked))


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
