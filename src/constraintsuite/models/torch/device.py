"""Where torch computes: device, type of number and threads; and errors when memory runs out."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import cores
from constraintsuite.models.base import OutOfMemory

if TYPE_CHECKING:
    import torch

_DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def pick_device(name: str) -> torch.device:
    """The device `cpu` or `cuda`; `auto` is cuda if there is one."""
    import torch

    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise UserError(
            f"device=cuda: torch {torch.__version__} finds no CUDA device here. Use device=cpu, or a build for CUDA."
        )
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def pick_dtype(precision: str) -> torch.dtype:
    """The type of the weights for a precision."""
    import torch

    if precision not in _DTYPES:
        raise UserError(f"precision={precision}: torch runs {', '.join(_DTYPES)} here.")
    dtype: torch.dtype = getattr(torch, _DTYPES[precision])
    return dtype


def count_threads(threads: int | None) -> int:
    """The number of CPU threads: the option, else one per core (see `cores`)."""
    return threads or cores()


@contextmanager
def workers_of_one_thread(count: int) -> Iterator[Executor]:
    """Worker threads for batches on a CPU; torch computes with a single thread in each.

    Threads that share a batch wait for each other after every step. With one batch per thread they do not, and the result does
    not depend on their number.
    """
    import torch

    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,)) as workers:
            yield workers
    finally:
        torch.set_num_threads(before)  # new threads of this process inherit the last setting


def fix_threads(threads: int | None) -> int:
    """Set the number of threads of torch and return it; the last bits of sums may depend on it."""
    import torch

    count = count_threads(threads)
    if torch.get_num_threads() != count:
        torch.set_num_threads(count)
    return count


def describe_device(device: torch.device) -> str:
    """The device for the record of a run: `cpu`, or `cuda` and the name of the card."""
    import torch

    return f"cuda: {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu"


@contextmanager
def inference() -> Iterator[None]:
    """Inference without gradients, with OutOfMemory errors, and with attention that does not use cuDNN.

    cuDNN makes a new plan for each shape, and hardly two batches have the same shape.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kernels = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with as_out_of_memory(), torch.inference_mode(), sdpa_kernel(kernels):
        yield


@contextmanager
def as_out_of_memory() -> Iterator[None]:
    """Turn torch's errors about full memory into OutOfMemory, so that the batch is halved."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()  # free the fragments of the larger batch
        raise OutOfMemory(_first_line(error)) from None
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):
            raise
        raise OutOfMemory(_first_line(error)) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
