"""Where torch computes: the device, the kind of number, the threads; and what it says when memory ends."""

# torch takes seconds to import, and a wrong name is told without it.
# ruff: noqa: PLC0415

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
    """`cpu`, `cuda`, or with `auto` the second where there is one."""
    import torch

    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise UserError(
            f"device=cuda: torch {torch.__version__} finds no CUDA device here. Use device=cpu, or a build for CUDA."
        )
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def pick_dtype(precision: str) -> torch.dtype:
    """The kind of number that weights are loaded as."""
    import torch

    if precision not in _DTYPES:
        raise UserError(f"precision={precision}: torch runs {', '.join(_DTYPES)} here.")
    dtype: torch.dtype = getattr(torch, _DTYPES[precision])
    return dtype


def count_threads(threads: int | None) -> int:
    """Processor threads: as many as asked for, else one per core: see `cores`."""
    return threads or cores()


@contextmanager
def workers_of_one_thread(count: int) -> Iterator[Executor]:
    """Workers for batches on a processor, each of which computes with one thread of its own.

    Threads that share a batch wait for each other after every step, and for whoever else keeps a core busy; with a batch
    each they do not, and a result cannot depend on their number.
    """
    import torch

    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,)) as workers:
            yield workers
    finally:
        torch.set_num_threads(before)  # later threads of this process begin with what was set last


def fix_threads(threads: int | None) -> int:
    """Let torch use that many threads; sums may differ in the last bit between numbers of threads."""
    import torch

    count = count_threads(threads)
    if torch.get_num_threads() != count:
        torch.set_num_threads(count)
    return count


def describe_device(device: torch.device) -> str:
    """What a run records of the device: `cpu`, or `cuda` and the name of the card."""
    import torch

    return f"cuda: {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu"


@contextmanager
def inference() -> Iterator[None]:
    """Nothing is kept for training, memory that ends is OutOfMemory, and attention is computed without cuDNN.

    cuDNN plans its work anew for each shape, and hardly two batches have the same.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kernels = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with telling_out_of_memory(), torch.inference_mode(), sdpa_kernel(kernels):
        yield


@contextmanager
def telling_out_of_memory() -> Iterator[None]:
    """Turns torch's words for a full device into OutOfMemory, so that the batch is halved."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()  # what the larger batch left in pieces
        raise OutOfMemory(_first_line(error)) from None
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):
            raise
        raise OutOfMemory(_first_line(error)) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
