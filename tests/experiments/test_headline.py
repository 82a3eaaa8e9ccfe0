"""The figure by which systems are put in order cannot be won by counting words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.api.run import Run, evaluate
from constraintsuite.app.cli.evaluate import eval_command
from constraintsuite.app.pages.first_page import state_verdict
from constraintsuite.app.pages.sections.systems import leaderboard_table
from constraintsuite.app.pages.view import make_view
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import EXPLICIT, MINPAIRS, OPEN_OMISSION
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.recipe import (
    AnalysisSettings,
    DocumentSettings,
    PairSettings,
    QuerySettings,
    Recipe,
    SizeSettings,
)

CORPUS = Path(__file__).parent.parent / "golden" / "corpus.jsonl"
Pairs = Sequence[tuple[str, str]]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """A real build of exclusions, with examples of three main slices."""
    recipe = Recipe(
        name="golden",
        corpus=SourceSettings(source=str(CORPUS)),
        constraints=("exclude",),
        documents=DocumentSettings(shards=2),
        analysis=AnalysisSettings(analyser="rules"),
        queries=QuerySettings(min_topic_documents=2, min_affirming=1, min_denying=1),
        pairs=PairSettings(open_omission=True),
        sizes=SizeSettings(main=60, nonflip=10, adversarial=10, gold=5),
    )
    return load_suite(build_suite(recipe, tmp_path_factory.mktemp("headline") / "suite", reporter=Silent()).path)


def count_last_word(pairs: Pairs) -> list[float]:
    """Fewer mentions of the last word of the query is better: no query need be understood."""
    words = [(query.split()[-1].lower(), text.lower()) for query, text in pairs]
    return [-float(len(re.findall(re.escape(word), text))) for word, text in words]


def obey(suite: Suite, pairs: Pairs) -> list[float]:
    """Right under every query that states a preference."""
    better = {
        (example.queries[preference.query], example.document(preference.better).text)
        for example in (*suite.examples, *suite.controls)
        for preference in example.preferences
    }
    return [float(pair in better) for pair in pairs]


@pytest.fixture(scope="module")
def runs(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    out, of = tmp_path_factory.mktemp("runs"), suite.artifact.path
    counter = evaluate(count_last_word, of, out, name="counter", quiet=True)
    return counter, evaluate(lambda pairs: obey(suite, pairs), of, out, name="obedient", quiet=True)


def test_counting_words_does_not_win_the_headline(suite: Suite, runs: tuple[Run, Run]) -> None:
    assert {example.slice for example in suite.examples} == {MINPAIRS, EXPLICIT, OPEN_OMISSION}
    counter, obedient = runs
    omission = counter.summary.by["slice"][OPEN_OMISSION].metrics["accuracy"].value
    assert omission is not None
    assert omission > 0.9
    metric = METRICS[counter.summary.headline_metric]
    assert metric.name == "paired_accuracy"
    headline, best = counter.figure().value, obedient.figure().value
    assert headline is not None
    assert metric.chance is not None
    assert headline <= metric.chance
    assert best == 1.0
    assert counter.figure().n == len(suite.examples) - counter.summary.by["slice"][OPEN_OMISSION].items


def test_the_table_of_eval_and_the_leaderboard_begin_with_the_headline(
    suite: Suite, runs: tuple[Run, Run], tmp_path: Path
) -> None:
    view = make_view(suite, [run.stored for run in runs])
    assert view.labels == ["python:obedient", "python:counter"]
    columns = [column.title for column in leaderboard_table(view).columns]
    assert columns[:2] == ["system", "headline"]
    assert OPEN_OMISSION in columns
    assert state_verdict(view).startswith(
        f"python:obedient does what it was asked in 100.0 % of {runs[0].figure().n} examples (95 % interval "
    )
    printed = CliRunner().invoke(
        eval_command, [str(suite.artifact.path), "--model", "bm25", "--out", str(tmp_path)], catch_exceptions=False
    )
    head = next(line for line in printed.stdout.splitlines() if "system" in line)
    assert head.replace(",", "").split()[:5] == ["system", "headline", MINPAIRS, EXPLICIT, OPEN_OMISSION]
    assert "Headline: paired accuracy over minpairs and explicit." in printed.stdout
