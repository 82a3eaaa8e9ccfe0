"""One self-contained page of a suite and its runs: no script, no request, light and dark."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pydantic import ValidationError

from constraintsuite.build.audit.results import Audit
from constraintsuite.errors import UserError
from constraintsuite.evaluate.load import Run, Suite, load_run, load_suite
from constraintsuite.evaluate.output import claimed_folder, clear_folder
from constraintsuite.execution.stage import code_version
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.reports.chart import Chart, bar_chart
from constraintsuite.reports.grids import (
    audit_grid,
    breakdown_grids,
    class_grid,
    control_grids,
    count_grids,
    leaderboard_grid,
)
from constraintsuite.reports.showcase import ShownExample, choose_examples, show_documents
from constraintsuite.store.artifact import Origin, finish
from constraintsuite.store.files import sha256_text, write_text
from constraintsuite.store.jsonl import adapter, describe

PAGE = "index.html"
SHOWN_EXAMPLES = 10
_CARD = "README.md"


def write_report(suite: Path, runs: Sequence[Path], out_folder: Path) -> Path:
    """Write the page of a suite and its runs as an artifact; gives the page's path."""
    loaded = load_suite(suite)
    ranked = _ranked([load_run(run) for run in runs])
    _refuse_other_suites(loaded, ranked)
    labels = label_runs(ranked)
    inputs = {f"run {label}": run.artifact.manifest.content for label, run in zip(labels, ranked, strict=True)}
    settings = {"template": sha256_text(_template())}
    origin = Origin("report", loaded.name, {"suite": loaded.content, **inputs}, settings, 0, code_version())
    with claimed_folder(out_folder, "report", loaded.name) as manifest:
        if manifest is None or manifest.fingerprint != origin.fingerprint:
            clear_folder(out_folder, (PAGE,))
            start = time.monotonic()
            write_text(out_folder / PAGE, render_page(loaded, labels, ranked))
            counts = {"runs": len(ranked), "examples": len(loaded.examples), "controls": len(loaded.controls)}
            finish(out_folder, origin, counts, {}, time.monotonic() - start)
    return out_folder / PAGE


def label_runs(runs: Sequence[Run]) -> list[str]:
    """A name for each run: its model, with the folder where two runs have the same model."""
    models = Counter(run.summary.model for run in runs)
    return [
        run.summary.model if models[run.summary.model] == 1 else f"{run.summary.model} ({run.artifact.path.name})"
        for run in runs
    ]


def render_page(suite: Suite, labels: Sequence[str], runs: Sequence[Run]) -> str:
    """The page as text; all that comes from a suite or a run is escaped by the template."""
    summaries = [run.summary for run in runs]
    audit = _read_audit(suite.artifact.path)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_template()).render(
        suite=suite,
        models=labels,
        counts=count_grids(suite),
        audit=audit_grid(audit) if audit else None,
        warnings=audit.warnings if audit else (),
        card=_read_card(suite.artifact.path),
        charts=_charts(labels, runs),
        leaderboard=leaderboard_grid(labels, summaries),
        classes=class_grid(labels, summaries),
        breakdowns=breakdown_grids(labels, summaries),
        controls=control_grids(labels, summaries),
        examples=_shown(suite, labels, runs),
    )


def _ranked(runs: Sequence[Run]) -> list[Run]:
    """Best accuracy first."""
    if not runs:
        raise UserError("A report needs at least one run. Make one with `csuite eval SUITE --model bm25`.")
    return sorted(runs, key=lambda run: (-(run.summary.overall.metrics["accuracy"].value or 0.0), run.summary.model))


def _refuse_other_suites(suite: Suite, runs: Sequence[Run]) -> None:
    for run in runs:
        if run.artifact.manifest.inputs.get("suite") != suite.content:
            raise UserError(
                f"{run.artifact.path}: this run is of another suite ({run.summary.suite}) than "
                f"{suite.artifact.path}, or of an earlier state of it. A report is of one suite: run `csuite eval` "
                "on it again, or leave this run out."
            )


def _charts(labels: Sequence[str], runs: Sequence[Run]) -> list[Chart]:
    charts = []
    for name in ("accuracy", "paired_accuracy"):
        metric = METRICS[name]
        rows = [(label, run.summary.overall.metrics[name]) for label, run in zip(labels, runs, strict=True)]
        if any(interval.n for _, interval in rows):
            charts.append(bar_chart(name, f"{metric.title}, %", rows, metric.chance))
    return charts


def _shown(suite: Suite, labels: Sequence[str], runs: Sequence[Run]) -> list[ShownExample]:
    outcomes = [{result.id: result.neg for result in run.results} for run in runs]
    return [
        ShownExample(
            example,
            show_documents(example),
            tuple((label, known[example.id]) for label, known in zip(labels, outcomes, strict=True)),
        )
        for example in choose_examples(suite.examples, SHOWN_EXAMPLES)
    ]


def _read_audit(suite: Path) -> Audit | None:
    file = suite / "audit.json"
    if not file.is_file():
        return None
    try:
        audit: Audit = adapter(Audit).validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None
    return audit


def _read_card(suite: Path) -> str | None:
    card = suite / _CARD
    return card.read_text(encoding="utf-8", errors="replace") if card.is_file() else None


def _template() -> str:
    return (resources.files("constraintsuite.reports") / "templates" / "report.html.jinja").read_text(encoding="utf-8")
