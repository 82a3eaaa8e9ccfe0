"""From two sizes to a size and a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.forecast.clock import Spent
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.costs import MapCost
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.lines import money_lines, start_line, step_line, storage_lines
from constraintsuite.forecast.notes import notes_on
from constraintsuite.forecast.rates import Rate, Threads
from constraintsuite.forecast.sampling import DrawnDocuments
from constraintsuite.forecast.steps import Samples, StepCost, estimate_pairs, estimate_steps, longest_shard
from constraintsuite.suites.recipe import DocumentSettings, Recipe, SizeSettings
from forecast.watched_builds import build, in_shards, stage, task

RECIPE = Recipe(
    corpus=SourceSettings(source="sample"), sizes=SizeSettings(main=100), documents=DocumentSettings(shards=4)
)
GIB = 1 << 30
SAMPLES = Samples(
    (
        build(
            100, stage("documents", 1.0, peak=GIB, stored=50_000), stage("mentions", 0.0, in_shards(4.0)), examples=10
        ),
    ),
    (
        build(
            200,
            stage("documents", 1.5, peak=2 * GIB, stored=100_000),
            stage("mentions", 0.0, in_shards(8.0)),
            examples=20,
        ),
    ),
    efficiency=0.8,
    shards=4,
)
ALONE = Cluster(nodes=1, cores=1, workers=1)
FEW = Cluster(nodes=1, cores=2, workers=2)
CARDS = Cluster(nodes=1, cores=1, workers=1, gpus=2)
MANY = Cluster(nodes=2, cores=8, workers=8)


def step(name: str, cluster: Cluster, documents: int = 10_000) -> StepCost:
    return next(each for each in estimate_steps(RECIPE, SAMPLES, documents, cluster) if each.name == name)


@pytest.mark.parametrize("cluster", [ALONE, FEW, MANY])
def test_the_driver_is_as_fast_on_every_cluster(cluster: Cluster) -> None:
    assert step("documents", cluster).seconds.value == pytest.approx(0.5 + 0.005 * 10_000)


@pytest.mark.parametrize(
    ("cluster", "seconds"),
    [
        pytest.param(ALONE, 400.0, id="one after the other"),
        pytest.param(FEW, 400 / 2 / 0.8, id="two at a time, less what they lose"),
        pytest.param(MANY, 400 / 4 / 0.8, id="no more workers than shards"),
    ],
)
def test_shards_are_divided(cluster: Cluster, seconds: float) -> None:
    assert step("mentions", cluster).seconds.value == pytest.approx(seconds, rel=0.04)  # some shards are longer


def test_examples_do_not_outgrow_the_recipe() -> None:
    assert [step("suite", ALONE, documents).units for documents in (500, 10_000)] == [50, 100]


def test_pairs_to_score_come_from_examples_alone() -> None:
    """Six of an example; without one nothing is known of them."""
    assert [estimate_pairs(RECIPE, SAMPLES, documents) for documents in (500, 10_000)] == [300, 600]
    barren = Samples((build(100),), (build(200),), 1.0, shards=4)
    assert estimate_pairs(RECIPE, barren, 10_000) == 0


@pytest.mark.parametrize(("documents", "shards", "expected"), [(10, 1, 1.0), (10**9, 16, 1.0), (16, 16, 3.35)])
def test_shards_of_many_documents_are_alike(documents: int, shards: int, expected: float) -> None:
    assert longest_shard(documents, shards) == pytest.approx(expected, abs=0.01)


def test_every_line_shows_its_arithmetic() -> None:
    line = step_line(step("mentions", FEW), FEW)
    assert line.arithmetic.startswith("(40 ms x 10,000) / (1 node x 2 workers x 0.7")
    assert step_line(step("documents", FEW), FEW).arithmetic == "driver: 500 ms + 5 ms x 10,000"


def test_what_a_sample_takes_without_documents_its_shards_take() -> None:
    """4 shards took 2 s and 20 ms a document; 16 shards take 8 s and as much a document."""
    builds = [build(n, stage("mentions", 0.0, in_shards(2 + 0.02 * n)), examples=1) for n in (100, 200)]
    samples = Samples((builds[0],), (builds[1],), 1.0, shards=4)
    finer = RECIPE.model_copy(update={"documents": DocumentSettings(shards=16)})
    mentions = next(each for each in estimate_steps(finer, samples, 1_000, ALONE) if each.name == "mentions")
    assert mentions.seconds.value == pytest.approx(8 + 0.02 * 1_000)


def test_workers_start_once_and_not_with_every_step() -> None:
    begun = MapCost((task(7, 1.0), task(8, 1.0)), Spent(3.0, 3.0), started=(2.0, 2.0))
    again = MapCost((task(7, 1.0), task(8, 1.0)), Spent(1.0, 1.0))
    builds = [build(n, stage("mentions", 0.0, begun), stage("kept", 0.0, again)) for n in (100, 200)]
    samples = Samples((builds[0],), (builds[1],), 1.0, shards=4)
    assert start_line(samples, FEW).amount.value == pytest.approx(1.0 + 2.0)
    assert start_line(samples, ALONE).amount.value == pytest.approx(1.0)
    assert "start" not in step_line(estimate_steps(RECIPE, samples, 1_000, FEW)[1], FEW).arithmetic


def test_vectors_are_stored_as_four_bytes_a_number() -> None:
    rate = Rate(
        "dense:x", "texts", Range(0.01, 0.01, 0.01), 100, "cpu", Threads(2, fixed=False), 10_000, dimensions=384
    )
    lines = storage_lines(estimate_steps(RECIPE, SAMPLES, 10_000, ALONE), rate, 10_000)
    amounts = {line.name: line.amount.value for line in lines}
    assert amounts["vectors"] == 10_000 * 384 * 4
    assert amounts["documents"] == pytest.approx(500 * 10_000)


def test_money_is_counted_where_prices_are_given() -> None:
    seconds, stored = Range(7_200.0, 3_600.0, 9_000.0), Range(5e9, 5e9, 5e9)
    lines = money_lines(seconds, stored, MANY, Prices(node_hour=3.0, gb_month=0.02))
    assert [line.amount.value for line in lines] == pytest.approx([2 * 2 * 3.0, 0.1])
    assert money_lines(seconds, stored, MANY, Prices()) == []


def notes(documents: int, cluster: Cluster, *, whole: bool = True, given: bool = False) -> str:
    taken = DrawnDocuments(((),), documents, whole, None, 1e-5)
    steps = estimate_steps(RECIPE, SAMPLES, documents, cluster)
    return "\n".join(notes_on(RECIPE, taken, SAMPLES, steps, (), cluster, documents, given=given))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (notes(2_000, ALONE), "Documents: 2,000, counted."),
        (notes(2_000, ALONE, given=True), "Documents: 2,000, as given."),
        (notes(2_000, ALONE, whole=False), "2,000 is a lower bound"),
        (notes(2_000, ALONE), "Extrapolated by a factor of 10.0"),
        (notes(40_000, ALONE), "EXTRAPOLATED by a factor of 200 from the larger samples: beyond 100 this is a guess."),
        (
            notes(2_000, MANY),
            "SHARDS: the recipe has 4, so 12 workers have nothing to do. Try documents: {shards: 64}",
        ),
        (
            notes(200_000, FEW),
            "SHARDS: the recipe has 4, so a shard has 50,000 documents. Try documents: {shards: 10}",
        ),
        (notes(2_000, FEW), "Efficiency: 80.0 % measured"),
        (notes(40_000, ALONE), "Extrapolated to 40,000 documents, this is an error of ± 200 MiB for the driver"),
    ],
)
def test_what_must_be_known_is_said(found: str, expected: str) -> None:
    assert expected in found


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        (
            "cuda: a card",
            "dense:x: ONE GPU WAS MEASURED; the plan assumes that the 2 planned are like it.",
        ),
        ("cpu", "dense:x: NO GPU WAS MEASURED, so the 2 planned do not count. Plan on a machine that has one."),
    ],
)
def test_more_cards_than_were_measured_are_told_from_those(device: str, expected: str) -> None:
    rate = Rate("dense:x", "texts", Range(0.01, 0.01, 0.01), 100, device, Threads(2, fixed=False), 10_000)
    steps = estimate_steps(RECIPE, SAMPLES, 2_000, CARDS)
    taken = DrawnDocuments(((),), 2_000, True, None, 1e-5)
    assert expected in notes_on(RECIPE, taken, SAMPLES, steps, (rate,), CARDS, 2_000, given=False)


def test_more_workers_than_cores_are_refused() -> None:
    with pytest.raises(UserError, match=r"--workers 3 is more than the 2 cores of a node.*--cores-per-node"):
        Cluster(nodes=1, cores=2, workers=3)


def test_what_grows_faster_than_the_documents_is_named() -> None:
    steep = Samples(
        (build(100, stage("pairs", 1.0, stored=10)),), (build(200, stage("pairs", 4.0, stored=40)),), 1.0, 4
    )
    taken = DrawnDocuments(((),), 2_000, True, None, 1e-5)
    mentions = [each for each in estimate_steps(RECIPE, SAMPLES, 2_000, ALONE) if each.name == "mentions"]
    steps = [*mentions, *(each for each in estimate_steps(RECIPE, steep, 2_000, ALONE) if each.name == "pairs")]
    found = notes_on(RECIPE, taken, steep, steps, (), ALONE, 2_000, given=False)
    assert [note.partition(" grew")[0] for note in found if "power law" in note] == [
        "Time of pairs",
        "Storage of pairs",
    ]


def test_that_approval_is_not_part_of_the_samples_is_said() -> None:
    approved = RECIPE.model_copy(update={"approved": Path("approved.jsonl")})
    taken = DrawnDocuments(((),), 2_000, True, None, 1e-5)
    steps = estimate_steps(approved, SAMPLES, 2_000, ALONE)
    found = notes_on(approved, taken, SAMPLES, steps, (), ALONE, 2_000, given=False)
    assert any(note.startswith("approved.jsonl: the approved proposals are of the complete corpus") for note in found)
