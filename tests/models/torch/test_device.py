from __future__ import annotations

from collections.abc import Callable

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import (
    as_out_of_memory,
    count_threads,
    pick_device,
    pick_dtype,
    workers_of_one_thread,
)

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")


def fill_the_device() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize("use", [lambda: torch.empty(2**52), fill_the_device], ids=["processor", "device"])
def test_a_full_memory_is_told_as_such(use: Callable[[], object]) -> None:
    with pytest.raises(OutOfMemory, match="memory"), as_out_of_memory():
        use()


def test_other_faults_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="shape"), as_out_of_memory():
        torch.zeros(2, 3) @ torch.zeros(2, 3)


def test_workers_compute_with_one_thread_and_leave_the_others_alone() -> None:
    before = torch.get_num_threads()
    with workers_of_one_thread(2) as workers:
        assert workers.submit(torch.get_num_threads).result() == 1
    assert torch.get_num_threads() == before


def test_threads_are_what_was_asked_for() -> None:
    assert count_threads(3) == 3
    assert count_threads(None) >= 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_a_device_that_is_not_there_is_refused() -> None:
    assert pick_device("auto").type == "cpu"
    with pytest.raises(UserError, match=r"device=cuda: torch .* finds no CUDA device"):
        pick_device("cuda")


def test_an_unknown_precision_is_refused() -> None:
    assert pick_dtype("bf16") is torch.bfloat16
    with pytest.raises(UserError, match="precision=int8"):
        pick_dtype("int8")
