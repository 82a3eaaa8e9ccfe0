"""How batches flow: how much padding they hold, and results that come later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.models.base import OutOfMemory, TextError, Workbench
from constraintsuite.models.batches import BatchLimits, BatchRun, plan_batches

TEXTS = ["a", "bb", "ccc", "dddd", "ee", "f"]
LENGTHS = [1, 2, 3, 4, 2, 1]


class Later:
    """A model whose results are there only when they are fetched; it notes what happens when."""

    def __init__(self, fits: int = 100) -> None:
        self.fits = fits
        self.log: list[str] = []

    def prepare(self, items: Sequence[str]) -> list[str]:
        return list(items)

    def compute(self, inputs: list[str]) -> Callable[[], npt.NDArray[np.float32]]:
        self.log.append("start " + " ".join(inputs))

        def fetch() -> npt.NDArray[np.float32]:
            self.log.append("fetch " + " ".join(inputs))
            if len(inputs) > self.fits:
                raise OutOfMemory("device full")
            return np.array([len(text) for text in inputs], dtype=np.float32)

        return fetch


def run(model: Later, bench: Workbench, in_flight: int = 1) -> list[float]:
    limits = BatchLimits(tokens=6)
    batches = BatchRun("later", model, "0" * 64, lambda text: text, limits, bench, in_flight)
    values: list[float] = batches(TEXTS, LENGTHS).tolist()
    return values


@pytest.mark.parametrize(
    ("in_flight", "log"),
    [
        (1, ["start dddd", "start ccc bb", "fetch dddd", "start ee a f", "fetch ccc bb", "fetch ee a f"]),
        (2, ["start dddd", "start ccc bb", "start ee a f", "fetch dddd", "fetch ccc bb", "fetch ee a f"]),
    ],
)
def test_a_result_is_fetched_when_more_batches_are_on_their_way(in_flight: int, log: list[str]) -> None:
    model = Later()
    assert run(model, Workbench(), in_flight) == LENGTHS
    assert model.log == log


def test_later_results_are_kept_too(tmp_path: Path) -> None:
    again = Later()
    assert run(Later(), Workbench(cache=tmp_path)) == run(again, Workbench(cache=tmp_path))
    assert again.log == []


def test_a_batch_that_turns_out_too_large_is_halved() -> None:
    bench = Workbench()
    assert run(Later(fits=2), bench) == LENGTHS
    assert bench.events == ["later: a batch of 3 did not fit into memory and was halved, as are later ones of its size"]


@pytest.mark.parametrize(
    ("padding", "plan"),
    [
        (1.0, [[0, 1, 2, 3, 4]]),
        (0.1, [[0, 1, 2, 3], [4]]),  # 4 of 4 x 10 tokens; with the fifth it would be 8 of 50
        (0.0, [[0, 1], [2], [3], [4]]),
    ],
)
def test_a_batch_holds_no_more_padding_than_allowed(padding: float, plan: list[list[int]]) -> None:
    assert plan_batches([10, 10, 9, 7, 6], BatchLimits(100, padding=padding)) == plan


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.sampled_from([0.0, 0.05, 0.3]))
def test_the_share_of_padding_is_never_exceeded(lengths: list[int], share: float) -> None:
    for batch in plan_batches(lengths, BatchLimits(400, padding=share)):
        longest = max(lengths[i] for i in batch)
        assert len(batch) * longest - sum(lengths[i] for i in batch) <= share * len(batch) * longest


def test_after_a_fault_no_thread_is_left_for_the_garbage_collector() -> None:
    class Broken(Later):
        def compute(self, inputs: list[str]) -> Callable[[], npt.NDArray[np.float32]]:
            return lambda: np.full(len(inputs), np.nan, dtype=np.float32)

    before = set(threading.enumerate())
    with pytest.raises(TextError) as fault:
        run(Broken(), Workbench())
    assert fault.traceback  # it holds the frames, and with them everything that was not closed
    assert set(threading.enumerate()) <= before
