"""Patches a second inside a MiniLM-shaped reranker: stacked against one forward pass each, and attribution against both.

It is run as `python benchmarks/mechanism.py`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast, MarkedPair, RoleMark
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.effects.records import DIRECTIONS, PatchDirection
from constraintsuite.mechanism.explain.analysis import make_patches
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import DEFAULT_MIB, MIB, Budget, plan_memory
from constraintsuite.mechanism.patching.exact import patch_contrasts, patch_one_by_one
from constraintsuite.mechanism.patching.patches import SitePatch
from devices import machine, wait
from rerankers import make_examples, make_reranker
from tables import load, show, target

FloatArray = npt.NDArray[np.float64]
TOKENS = 128
FASTER = {"cpu": 2.5, "cuda": 30.0}
ONE_WAY: tuple[PatchDirection, ...] = ("noising",)


@dataclass(frozen=True)
class Timed:
    """What something took, and what came of it."""

    seconds: float
    processor_seconds: float
    margins: FloatArray


def main() -> None:
    """Time them in turn, and print what was found."""
    arguments = _arguments()
    device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = make_reranker(Path(folder))
        threads = f",threads={arguments.threads}" if arguments.threads else ""
        model = load_model(f"cross:{folder},length={TOKENS},device={device}{threads}")
        contrasts = _contrasts(model, arguments.pairs)
        print(f"{machine(device)}, torch {torch.__version__}, {torch.get_num_threads()} threads; {load()}")
        print(f"6 layers, 12 heads, width 384, random weights, {tokenizer}; {arguments.pairs} pairs of {TOKENS} tokens")
        memory = arguments.memory or DEFAULT_MIB[device]
        _sweep(model, contrasts, arguments.turns, memory, device)
        _attribution(model, contrasts, arguments, memory, device)
        print(load())


def _sweep(model: LoadedModel, contrasts: Sequence[TokenContrast], turns: int, memory: int, device: str) -> None:
    """Heads, attention and feed-forward parts, all positions, one direction; both ways in turn on some of the pairs."""
    sites = model.sites({"head", "attention", "mlp"})
    patches, budget = make_patches(sites, ["all"], TOKENS), plan_memory(model, sites, memory, TOKENS)
    _stacked(model, contrasts, patches[:20], budget)  # warm
    _one_by_one(model, contrasts[:1], patches[:4])
    fast, slow = [], []
    parts = np.array_split(np.arange(len(contrasts)), min(turns, len(contrasts)))
    for part in parts:
        some = [contrasts[i] for i in part]
        slow.append(_timed(device, partial(_one_by_one, model, some, patches)))
        if device == "cpu":
            fast.append(_timed(device, partial(_stacked, model, some, patches, budget)))
    peak = _peak(device, lambda: _stacked(model, contrasts, patches, budget))
    if device == "cuda":  # where a part of the pairs would not fill it
        fast = [_mean([_timed(device, lambda: _stacked(model, contrasts, patches, budget)) for _ in range(turns)])]
    count = 2 * len(contrasts) * len(patches)
    rows = [_row("one forward pass each", slow, count), _row("stacked", fast, count)]
    show(f"{len(patches)} sites, {count:,} patched rows", ["", "seconds", "processor seconds", "rows a second"], rows)
    print(f"peak memory {peak:,.0f} MiB beyond what was there, weights not counted (setting {memory:,} MiB)")
    loop, stacked = (np.concatenate([timed.margins for timed in some], axis=1) for some in (slow, fast))
    print(f"largest difference of a margin {np.abs(loop - stacked).max():.1e}, margins up to {np.abs(loop).max():.2f}")
    target("stacked against one by one", _total(slow, device) / _total(fast, device), FASTER[device], at_most=False)


def _attribution(
    model: LoadedModel, contrasts: Sequence[TokenContrast], arguments: argparse.Namespace, memory: int, device: str
) -> None:
    """All components, and embeddings and residuals by position, in both directions."""
    components = model.sites({"head", "attention", "mlp"})
    streams = model.sites({"embeddings", "residual"})
    patches = [*make_patches(components, ["all"], TOKENS), *make_patches(streams, ["positions"], TOKENS)]
    budget = plan_memory(model, [*components, *streams], memory, TOKENS)

    def attribute() -> FloatArray:
        grids = attribute_contrasts(model, contrasts, patches, DIRECTIONS, budget)
        return np.stack([grid.margin_patched for grid in grids])

    attribute()  # warm
    peak = _peak(device, attribute)
    guessed = _mean([_timed(device, attribute) for _ in range(arguments.turns)])
    chosen = sorted(random.Random(0).sample(range(len(patches)), round(arguments.share * len(patches))))
    some, pairs = [patches[i] for i in chosen], contrasts[: arguments.exact_pairs or len(contrasts)]
    _stacked(model, pairs[:1], some[:20], budget)  # warm
    one, exact = (
        _timed(device, partial(_stacked, model, pairs, what, budget, DIRECTIONS)) for what in (some[:1], some)
    )
    every = _extrapolated(one, exact, len(patches) / len(some), len(contrasts) / len(pairs))
    rows = [
        ("attribution", guessed.seconds, guessed.processor_seconds),
        (f"exact, 1 patch on {len(pairs)} pairs", one.seconds, one.processor_seconds),
        (f"exact, {len(some)} patches on {len(pairs)} pairs", exact.seconds, exact.processor_seconds),
        ("exact, all of them (by these two)", every.seconds, every.processor_seconds),
    ]
    title = f"{len(patches)} sites (components, and residual by position), {len(contrasts)} pairs, both directions"
    show(title, ["", "seconds", "processor seconds"], rows)
    print(f"peak memory of attribution {peak:,.0f} MiB beyond what was there")
    target(
        "attribution against the stacked exact sweep",
        _total([every], device) / _total([guessed], device),
        100,
        at_most=False,
    )


def _stacked(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    budget: Budget,
    directions: Sequence[PatchDirection] = ONE_WAY,
) -> FloatArray:
    return patch_contrasts(model, contrasts, patches, directions, budget)[0].margin_patched


def _one_by_one(model: LoadedModel, contrasts: Sequence[TokenContrast], patches: Sequence[SitePatch]) -> FloatArray:
    return np.stack([patch_one_by_one(model, contrast, patches, ONE_WAY[0]) for contrast in contrasts], axis=1)


def _timed(device: str, work: Callable[[], FloatArray]) -> Timed:
    wait(device)
    start, used = time.perf_counter(), time.process_time()
    margins = work()
    wait(device)
    return Timed(time.perf_counter() - start, time.process_time() - used, margins)


def _mean(turns: Sequence[Timed]) -> Timed:
    """What one turn takes; not the best of them, which a single turn on the other side of a ratio would not be."""
    seconds, processor = (
        sum(getattr(timed, name) for timed in turns) / len(turns) for name in ("seconds", "processor_seconds")
    )
    return Timed(seconds, processor, turns[-1].margins)


def _extrapolated(one: Timed, some: Timed, patches: float, pairs: float) -> Timed:
    """So many times the patches on so many times the pairs; the runs before any patch are paid for once, as with one patch."""
    seconds, processor = (
        (first + (more - first) * patches) * pairs
        for first, more in ((one.seconds, some.seconds), (one.processor_seconds, some.processor_seconds))
    )
    return Timed(seconds, processor, some.margins)


def _total(parts: Sequence[Timed], device: str) -> float:
    """Processor time on a processor, which others use too; time on the clock elsewhere."""
    return sum(part.processor_seconds if device == "cpu" else part.seconds for part in parts)


def _row(name: str, parts: Sequence[Timed], count: int) -> tuple[object, ...]:
    seconds = sum(part.seconds for part in parts)
    return name, seconds, sum(part.processor_seconds for part in parts), count / seconds


def _peak(device: str, work: Callable[[], FloatArray]) -> float:
    """Most memory that work takes beyond what is taken already, in MiB."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        work()
        return float(torch.cuda.max_memory_allocated() - before) / MIB
    Path("/proc/self/clear_refs").write_text("5")  # the recorded peak is now what is resident
    before = _resident("VmRSS")
    work()
    return (_resident("VmHWM") - before) / 1_024


def _resident(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def _contrasts(model: LoadedModel, count: int) -> list[TokenContrast]:
    """Queries with and without something over two texts, all cut to the same number of tokens."""
    found = []
    for number, example in enumerate(make_examples(count, seed=0)):
        topic, word = " ".join(example.query.split()[:6]), example.first.split()[0]
        clean, corrupt = (_query(topic, cue, word) for cue in ("without", "with"))
        better, worse = Marked(f"{example.first} {example.second}"), Marked(f"{example.second} {example.first}")
        found.append(
            MarkedContrast(
                id=str(number),
                example="",
                slice="benchmark",
                side="query",
                better=MarkedPair(clean, better),
                worse=MarkedPair(clean, worse),
                better_corrupt=MarkedPair(corrupt, better),
                worse_corrupt=MarkedPair(corrupt, worse),
                aside=None,
                aside_corrupt=None,
                cue="without",
                template="without",
                clusters=(str(number),),
                half="find",
            )
        )
    tokens = tokenise(found, model.classifier.tokenization).contrasts
    if len(tokens) != count or any(contrast.longest != TOKENS for contrast in tokens):
        raise SystemExit("The texts are too short for rows of equal length.")
    return list(tokens)


def _query(topic: str, cue: str, word: str) -> Marked:
    start = len(topic) + 1
    return Marked(f"{topic} {cue} {word}", (RoleMark(start, start + len(cue), "q_cue"),))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument(
        "--turns",
        type=int,
        default=4,
        help="parts in which both ways are timed in turn, and repetitions of which the mean is taken",
    )
    parser.add_argument(
        "--share", type=float, default=0.1, help="of all sites, patched exactly to know the cost of all"
    )
    parser.add_argument("--exact-pairs", type=int, help="of them, on so many pairs (all by default)")
    parser.add_argument("--memory", type=int, help="MiB")
    parser.add_argument("--threads", type=int)
    return parser.parse_args()
