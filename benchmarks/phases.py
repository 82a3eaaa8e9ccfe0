"""Where the time of our cross-encoder goes: seconds by phase, then by function, then by kernel of the device."""

from __future__ import annotations

import cProfile
import io
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch.profiler import ProfilerActivity, profile

from constraintsuite.models import batches
from constraintsuite.models.tokenization import Tokenization
from constraintsuite.models.torch.crossencoder import CudaForward, PairForward
from tables import show

Pair = tuple[str, str]
Maker = Callable[[], Callable[[Sequence[Pair]], object]]
PHASES: dict[str, tuple[object, str]] = {
    "tokenise": (Tokenization, "read"),
    "plan": (batches, "plan_batches"),
    "assemble, beside the device": (PairForward, "prepare"),
    "copy": (CudaForward, "copy"),
    "forward (on cuda: launching it; on cpu: of all threads)": (PairForward, "forward"),
}
FUNCTIONS = 20
KERNELS = 15


def print_phases(title: str, prepare: Maker, pairs: Sequence[Pair], device: str) -> None:
    """Run three times: with clocks, under cProfile, and on a GPU under torch's profiler."""
    with _clocks() as spent:
        score = prepare()
        spent.clear()
        start = time.perf_counter()
        score(pairs)
        total = time.perf_counter() - start
    # Phases overlap: what is assembled beside the device does not add to the total.
    show(f"{title}: seconds by phase", ("", "s"), [*spent.items(), ("total on the wall", total)])
    score = prepare()
    profile = cProfile.Profile()
    profile.runcall(score, pairs)
    text = io.StringIO()
    pstats.Stats(profile, stream=text).sort_stats("tottime").print_stats(FUNCTIONS)
    print(text.getvalue())
    if device == "cuda":
        _print_kernels(prepare(), pairs)


@contextmanager
def _clocks() -> Iterator[dict[str, float]]:
    """Counts the seconds of each phase inside the block."""
    spent: dict[str, float] = defaultdict(float)
    originals = {name: getattr(owner, attribute) for name, (owner, attribute) in PHASES.items()}
    try:
        for name, (owner, attribute) in PHASES.items():
            setattr(owner, attribute, _clocked(originals[name], name, spent))
        yield spent
    finally:
        for name, (owner, attribute) in PHASES.items():
            setattr(owner, attribute, originals[name])


def _clocked(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    def call(*arguments: object) -> Any:  # noqa: ANN401
        start = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            spent[name] += time.perf_counter() - start

    return call


def _print_kernels(score: Callable[[Sequence[Pair]], object], pairs: Sequence[Pair]) -> None:
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        score(pairs)
    print(seen.key_averages().table(sort_by="self_device_time_total", row_limit=KERNELS))
