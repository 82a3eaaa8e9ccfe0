"""Where benchmarks of models run, and how fast that can be at most."""

from __future__ import annotations

import time

import torch

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
_SIZE = {"cpu": 512, "cuda": 8_192}  # on a processor short enough to fit between others' turns


def matrix_peak(device: str, dtype: torch.dtype) -> float:
    """Operations a second of one large product of matrices, the best of 200; on a processor, one thread's by their number."""
    size, threads = _SIZE[device], torch.get_num_threads()
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    best = float("inf")
    if device == "cpu":
        torch.set_num_threads(1)  # two threads would wait for whoever else keeps a core busy
    for _ in range(200):
        wait(device)
        start = time.perf_counter()
        torch.mm(a, b)
        wait(device)
        best = min(best, time.perf_counter() - start)
    torch.set_num_threads(threads)
    return float(2 * size**3 / best) * (threads if device == "cpu" else 1)


def wait(device: str) -> None:
    """Until all that was asked of the device is done."""
    if device == "cuda":
        torch.cuda.synchronize()


def machine(device: str) -> str:
    """What it is called."""
    return str(torch.cuda.get_device_name()) if device == "cuda" else "cpu"
