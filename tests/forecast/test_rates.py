"""How fast a model is, and what that gives on a cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import cores
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.lines import check_threads, rate_line
from constraintsuite.forecast.rates import SHARD_TEXTS, Rate, Threads, measure_scorer, split_rounds, threads_of
from constraintsuite.vectors.embed import SHARD_ROWS

ALL = Threads(2, fixed=False)
CLUSTER = Cluster(nodes=2, cores=8, workers=8, gpus=4)
PAIRS = [("query", f"text {number}") for number in range(8)]
_NAPS = iter([0.0, 0.2, 0.01, 0.1])


def nap(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """A scorer whose rounds take 0.2, 0.01 and 0.1 s after the one to warm up on."""
    time.sleep(next(_NAPS))
    return [0.0] * len(pairs)


def test_shards_are_those_of_embed() -> None:
    assert SHARD_TEXTS == SHARD_ROWS


@pytest.mark.parametrize(
    ("items", "warming", "rounds"),
    [(6, 3, [1, 1, 1]), (8, 4, [1, 1, 1]), (20, 8, [4, 4, 4]), (1_000, 8, [256, 256, 256])],
)
def test_every_round_has_items_of_its_own(items: int, warming: int, rounds: list[int]) -> None:
    first, blocks = split_rounds(range(items))
    used = [*first, *(item for block in blocks for item in block)]
    assert (len(first), [len(block) for block in blocks]) == (warming, rounds)
    assert len(set(used)) == len(used)


def test_the_middle_one_of_three_rounds_is_expected() -> None:
    seconds = measure_scorer(f"python:{__name__}:nap", PAIRS, []).seconds
    assert seconds.low < seconds.value < seconds.high


def test_threads_are_those_of_the_model_string_or_all() -> None:
    assert threads_of("dense:x,threads=3") == Threads(3, fixed=True)
    assert threads_of("dense:x") == Threads(cores(), fixed=False)


def test_more_threads_than_cores_are_refused() -> None:
    with pytest.raises(UserError, match=r"dense:x,threads=9: a worker takes 9 threads, and a node has 8 cores\."):
        check_threads("dense:x,threads=9", CLUSTER)
    check_threads("dense:x,threads=8", CLUSTER)


@pytest.mark.parametrize(
    ("device", "threads", "seconds", "arithmetic"),
    [
        pytest.param("cuda: a card", ALL, 2_500, "/ (4 GPUs x 1.00)", id="by graphics cards"),
        pytest.param("cpu", ALL, 1_250, "/ (2 nodes x 1 worker x 8 threads / 2 here x 1.00)", id="by cores"),
        pytest.param(
            "cpu",
            Threads(3, fixed=True),
            2_500,
            "/ (2 nodes x 2 workers x 3 threads / 3 here x 1.00)",
            id="by as many workers as their threads leave room for",
        ),
    ],
)
def test_a_model_is_divided_by_what_it_was_measured_on(
    device: str, threads: Threads, seconds: float, arithmetic: str
) -> None:
    rate = Rate("dense:x", "texts", Range(0.01, 0.01, 0.02), 100, device, threads, 1_000)
    line = rate_line("embed", rate, 1_000_000, CLUSTER)
    assert line.amount == pytest.approx(Range(seconds, seconds, 2 * seconds))
    assert line.arithmetic == f"10 ms x 1,000,000 texts {arithmetic}"


def test_no_more_workers_than_shards() -> None:
    rate = Rate("cross:x", "pairs", Range(0.01, 0.01, 0.01), 100, "cuda", ALL, 1_000)
    assert rate_line("eval", rate, 2_000, CLUSTER).amount.value == pytest.approx(10)


def test_what_cannot_be_spread_is_not_divided() -> None:
    rate = Rate("bm25", "pairs", Range(0.01, 0.01, 0.01), 100, "cpu", ALL, None)
    line = rate_line("eval", rate, 2_000, CLUSTER)
    assert line.arithmetic == "driver: 10 ms x 2,000 pairs"
    assert line.amount.value == pytest.approx(20)
