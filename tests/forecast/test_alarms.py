"""What does not fit is said loudly, with what to do."""

from __future__ import annotations

import pytest

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.forecast.clock import Spent
from constraintsuite.forecast.cluster import Cluster, memory_here
from constraintsuite.forecast.costs import BuildCost, MapCost
from constraintsuite.forecast.notes import alarms_of
from constraintsuite.forecast.steps import Samples
from constraintsuite.suites.recipe import DocumentSettings, Recipe
from forecast.watched_builds import build, stage, task

RECIPE = Recipe(corpus=SourceSettings(source="sample"), documents=DocumentSettings(shards=4))
GIB = 1 << 30


def watched(documents: int) -> BuildCost:
    """A driver holds 10 MiB a document, a worker 2 GiB."""
    worked = MapCost((task(7, 1.0, peak=2 * GIB),), Spent(1.0, 1.0))
    return build(documents, stage("mentions", 0.0, worked, peak=documents * 10 << 20), examples=1, workers=2)


SAMPLES = Samples((watched(100),), (watched(200),), 1.0, shards=4)


def alarms(memory: float | None, documents: int = 10_240, *, workers: int = 4, given: bool = True) -> list[str]:
    cluster = Cluster(nodes=2, cores=4, workers=workers, memory=memory, memory_given=given)
    return list(alarms_of(RECIPE, SAMPLES, documents, cluster))


@pytest.mark.parametrize("memory", [None, 109.0])
def test_what_fits_or_cannot_be_known_is_no_alarm(memory: float | None) -> None:
    assert alarms(memory) == []


def test_where_the_driver_fits_fewer_workers_do() -> None:
    (said,) = alarms(105)
    assert said.startswith("NOT ENOUGH MEMORY: the first node needs 108 GiB, a node has 105 GiB. The driver alone fits")
    assert said.endswith("take --workers 2 per node.")


def test_where_no_worker_fits_beside_the_driver_that_is_said() -> None:
    assert "take no worker on its node" in alarms(101)[0]


def test_where_the_driver_does_not_fit_a_part_is_proposed() -> None:
    (said,) = alarms(50)
    assert "Of that the driver needs 100 GiB. More nodes do not help the driver." in said
    assert (
        "about 5,000 documents fit, even at the upper end of that range. Where there are judgments, csuite subset --source ... --size 5000"
        in said
    )


def test_where_it_is_not_known_well_enough_a_larger_sample_is_proposed() -> None:
    (said,) = alarms(100)
    assert "It may fit after all: a larger --sample will show. More nodes do not help" in said


def test_a_machine_too_small_for_any_part_is_told_so() -> None:
    assert "none is small enough" in alarms(0.001)[0]


def test_what_this_machine_has_is_taken_where_nothing_is_said() -> None:
    assert "a node has 50 GiB, as this machine has (--memory-per-node)." in alarms(50, given=False)[0]
    here = memory_here()
    assert here is None or here > 0.1


def test_samples_without_an_example_say_little_of_what_follows() -> None:
    barren = Samples((build(100),), (build(200),), 1.0, shards=4)
    (said,) = alarms_of(RECIPE, barren, 10_000, Cluster(nodes=1, cores=1, workers=1))
    assert said.startswith("NO EXAMPLES: the samples produced none. The plan assumes that the corpus produces none")
