"""A plan of the bundled corpus, from samples that are really built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.plan import plan
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.plan import BuildForecast, plan_recipe
from constraintsuite.suites.recipe import AnalysisSettings, DocumentSettings, Recipe

DOCUMENTS = 100_000


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> BuildForecast:
    recipe = Recipe(
        corpus=SourceSettings(source="sample"),
        analysis=AnalysisSettings(analyser="rules"),
        documents=DocumentSettings(shards=3),
    )
    return plan_recipe(
        recipe,
        Cluster(nodes=1, cores=1, workers=1, memory=0.01),
        tmp_path_factory.mktemp("plan"),
        Silent(),
        prices=Prices(node_hour=1.0),
        evaluate="bm25",
        documents=DOCUMENTS,
        sample=40,
        draws=1,
    )


def test_every_step_is_estimated(found: BuildForecast) -> None:
    names = [line.name for line in found.time if line.name != "source"]
    steps = ["documents", "mentions", "queries", "candidates", "pairs", "kept", "tagged", "controls", "suite"]
    assert names == ["start", *steps]
    assert [line.name for line in found.storage] == steps


def test_without_examples_nothing_is_said_of_an_evaluation(found: BuildForecast) -> None:
    assert "eval" not in {line.name for line in found.time}
    assert "eval is left out" in found.alarms[0]


def test_the_whole_is_more_than_the_sample(found: BuildForecast) -> None:
    documents = next(line for line in found.storage if line.name == "documents").amount
    assert 100 * DOCUMENTS < documents.low <= documents.value <= documents.high < 10_000 * DOCUMENTS


def test_words_show_sums_alarms_and_notes(found: BuildForecast) -> None:
    words = found.in_words()
    assert words.startswith("sample: 100,000 documents on 1 node of 1 core, 1 worker\n")
    assert words.index("NOT ENOUGH MEMORY: the driver needs") < words.index("\nTime\n  start")
    assert "- EXTRAPOLATED by a factor of 2,500" in words
    assert "- Spread over workers: mentions, candidates, kept." in words


def test_json_has_what_the_words_have(found: BuildForecast) -> None:
    record: dict[str, Any] = found.as_record()
    assert record["seconds"]["value"] == pytest.approx(sum(line["value"] for line in record["time"]))
    assert record["bytes"]["high"] == pytest.approx(sum(line["high"] for line in record["storage"]))
    assert record["money"][0]["value"] == pytest.approx(record["seconds"]["value"] / 3600)
    assert record["notes"] == found.notes


def test_a_wrong_model_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("corpus: {source: sample}\n", encoding="utf-8")
    result = CliRunner().invoke(plan, [str(recipe), "--embed", "dens:x"])
    assert isinstance(result.exception, UserError)
    assert "Did you mean 'dense'?" in str(result.exception)


def test_what_is_wrong_with_the_recipe_is_said(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("corpus: {source: missing.jsonl}\n", encoding="utf-8")
    result = CliRunner().invoke(plan, [str(recipe)])
    assert isinstance(result.exception, UserError)
    assert "missing.jsonl: there is no such file or folder" in str(result.exception)
