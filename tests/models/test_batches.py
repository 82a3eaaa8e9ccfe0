from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.revisions import REVISIONS, Revision
from constraintsuite.models.base import OutOfMemory, Workbench
from constraintsuite.models.batches import BatchLimits, BatchRun, plan_batches

TEXTS = ["a", "bb", "ccc", "dddd", "ee", "f"]


class Measure:
    """A model whose result is the length of a text; it remembers its batches and may be told to fail."""

    def __init__(self, fits: int = 100, dies_at: int | None = None) -> None:
        self.fits, self.dies_at = fits, dies_at
        self.batches: list[list[str]] = []

    def prepare(self, items: Sequence[str]) -> list[str]:
        return list(items)

    def compute(self, inputs: list[str]) -> npt.NDArray[np.float32]:
        if len(inputs) > self.fits:
            raise OutOfMemory("device full")
        if self.dies_at == len(self.batches):
            raise RuntimeError("the model crashed")
        self.batches.append(inputs)
        return np.array([len(text) for text in inputs], dtype=np.float32)


def run(model: Measure, bench: Workbench, texts: Sequence[str] = TEXTS) -> list[float]:
    batches = BatchRun("measure", model, "0" * 64, lambda text: text, BatchLimits(tokens=6), bench)
    values: list[float] = batches(texts, [len(text) for text in texts]).tolist()
    return values


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(1, 200), st.integers(1, 8))
def test_a_plan_holds_every_item_once_within_the_limits(lengths: list[int], tokens: int, items: int) -> None:
    plan = plan_batches(lengths, BatchLimits(tokens, items))
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        assert len(batch) <= items
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= tokens


def test_the_longest_come_first_and_rows_come_back_in_their_own_order() -> None:
    model = Measure()
    assert run(model, Workbench()) == [1, 2, 3, 4, 2, 1]
    assert model.batches == [["dddd"], ["ccc", "bb"], ["ee", "a", "f"]]


def test_a_rerun_computes_nothing(tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    again = Measure()
    assert run(Measure(), bench) == run(again, bench)
    assert again.batches == []


def test_results_of_another_revision_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Workbench(cache=tmp_path)
    run(Measure(), bench)
    monkeypatch.setitem(REVISIONS, "arrays", Revision(99))
    again = Measure()
    run(again, bench)
    assert again.batches == [["dddd"], ["ccc", "bb"], ["ee", "a", "f"]]


def test_after_a_crash_only_the_rest_is_computed(tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    with pytest.raises(RuntimeError, match="crashed"):
        run(Measure(dies_at=2), bench)
    rest = Measure()
    assert run(rest, bench) == [1, 2, 3, 4, 2, 1]
    assert rest.batches == [["ee", "a", "f"]]


def test_a_result_is_reused_only_for_exactly_the_same_batch(tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    run(Measure(), bench)
    more = Measure()
    run(more, bench, [*TEXTS, "gg"])
    assert more.batches == [["ee", "gg", "a"], ["f"]]  # "ee", "a" and "f" had other neighbours before


def test_a_batch_that_does_not_fit_is_halved_and_told(tmp_path: Path) -> None:
    bench = Workbench()
    model = Measure(fits=1)
    assert run(model, bench) == [1, 2, 3, 4, 2, 1]
    assert max(len(batch) for batch in model.batches) == 1
    assert (
        bench.events[0] == "measure: a batch of 2 did not fit into memory and was halved, as are later ones of its size"
    )


def test_a_single_text_that_does_not_fit_is_told_with_the_remedy() -> None:
    with pytest.raises(UserError, match=r"even one text alone .*length=N"):
        run(Measure(fits=0), Workbench())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_result_that_is_no_number_is_refused_and_not_kept(tmp_path: Path, value: float) -> None:
    class Broken(Measure):
        def compute(self, inputs: list[str]) -> npt.NDArray[np.float32]:
            return np.full(len(inputs), value, dtype=np.float32)

    bench = Workbench(cache=tmp_path)
    with pytest.raises(UserError, match="no finite result for 'dddd'"):
        run(Broken(), bench)
    assert run(Measure(), bench) == [1, 2, 3, 4, 2, 1]


def test_too_few_results_are_refused() -> None:
    class Short(Measure):
        def compute(self, inputs: list[str]) -> npt.NDArray[np.float32]:
            return super().compute(inputs)[1:]

    with pytest.raises(UserError, match="gave 0 results for 1 texts"):
        run(Short(), Workbench())
