"""What grows with the corpus, with a shard, and with the examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.forecast.clock import Spent
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import BuildCost, MapCost
from constraintsuite.forecast.lines import PEAK_ERROR, driver_line, memory_lines
from constraintsuite.forecast.sample_builds import watch_build
from constraintsuite.forecast.steps import Samples
from constraintsuite.suites.recipe import DocumentSettings, Recipe, SizeSettings
from forecast.watched_builds import DRIVER, build, stage, task

MIB = 1 << 20
RECIPE = Recipe(
    corpus=SourceSettings(source="sample"), sizes=SizeSettings(main=50), documents=DocumentSettings(shards=100)
)
FEW = Cluster(nodes=1, cores=2, workers=2)


def samples(one: BuildCost, other: BuildCost) -> Samples:
    return Samples((one,), (other,), 1.0, shards=4)


def held(process: int, peak: int) -> MapCost:
    return MapCost((task(process, 1.0, peak=peak),), Spent(1.0, 1.0))


@pytest.mark.parametrize(
    ("documents", "portion"),
    [
        pytest.param(10_000, 100, id="a shard"),
        pytest.param(10_000_000, 1_024, id="no more of it than a worker takes at once"),
    ],
)
def test_a_worker_holds_a_portion(documents: int, portion: int) -> None:
    builds = [build(n, stage("mentions", 0.0, held(7, 1_000 + 10 * n // 4)), workers=2) for n in (400, 800)]
    _, worker, node = memory_lines(RECIPE, samples(*builds), documents, FEW)
    assert worker.amount.value == pytest.approx(1_000 + 10 * portion)
    assert worker.arithmetic.endswith(f"x {portion:,} documents per worker")
    assert node.amount.value == pytest.approx(2 * worker.amount.value)


def watched(documents: int, workers: int) -> BuildCost:
    """100 MiB and 10 KiB a document; mentions raise that by 40 KiB for one of a shard, the suite by 1 MiB an example."""
    first = 100 * MIB + 10_240 * documents
    second = first + 40_960 * documents // 4
    examples = documents // 100
    last = second + MIB * examples
    stages = (
        stage("documents", 0.0, peak=first),
        stage("mentions", 0.0, held(DRIVER, 0), peak=second),
        stage("queries", 0.0, peak=MIB),
        stage("suite", 0.0, peak=last),
    )
    return build(documents, *stages, examples=examples, workers=workers)


@pytest.mark.parametrize(
    ("workers", "bytes_each", "arithmetic"),
    [
        pytest.param(
            1, 10_240 + 40_960 * 1_024 / 1_000_000, "x 1,000,000 + 40 KiB x 1,024 documents per worker + ", id="alone"
        ),
        pytest.param(2, 20_480, "100 MiB + 20 KiB x 1,000,000 + ", id="what the driver of workers holds is its own"),
    ],
)
def test_the_driver_grows_with_three_things(workers: int, bytes_each: float, arithmetic: str) -> None:
    line = driver_line(RECIPE, samples(watched(400, workers), watched(800, workers)), 1_000_000)
    assert line.amount.value == pytest.approx(100 * MIB + bytes_each * 1_000_000 + 50 * MIB)
    assert arithmetic in line.arithmetic
    assert line.arithmetic.endswith("1 MiB x 50 examples")


def test_a_range_is_no_narrower_than_peaks_are_known() -> None:
    builds = [build(n, stage("documents", 0.0, peak=100 * MIB + 4_096 * n)) for n in (1_000, 2_000)]
    amount = driver_line(RECIPE, samples(*builds), 1_000_000).amount
    assert amount.high - amount.value == pytest.approx(1_000 * PEAK_ERROR)
    assert amount.value - amount.low == pytest.approx(1_000 * PEAK_ERROR)
    assert driver_line(RECIPE, samples(*builds), 100).amount.low >= 100 * MIB


def test_tables_of_word_forms_are_there_before_the_first_stage(tmp_path: Path) -> None:
    """Else some samples load them and some do not: 50 MiB that would look like growth."""
    texts = [f"A lamp number {number} is made of wood. It has no battery." for number in range(12)]
    rows = [json.dumps({"id": f"d{number}", "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "docs.jsonl").write_text("\n".join(rows), encoding="utf-8")
    recipe = {
        "corpus": {"source": str(tmp_path / "docs.jsonl")},
        "analysis": {"analyser": "rules"},
        "documents": {"shards": 2},
    }
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    cost = watch_build(tmp_path / "recipe.yaml", tmp_path / "suite", 1, len(rows))
    assert max(stage.peak for stage in cost.stages) - cost.stage("documents").peak < 25 * MIB
