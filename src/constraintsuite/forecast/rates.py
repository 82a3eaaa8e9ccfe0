"""The speed of a model on this machine, on texts of the sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeVar

from constraintsuite.core.execution.cores import cores
from constraintsuite.experiments.scoring import SHARD_PAIRS
from constraintsuite.forecast.clock import now
from constraintsuite.forecast.growth import Range
from constraintsuite.models.base import Describing, Workbench, is_spreadable
from constraintsuite.models.dense import load_encoder
from constraintsuite.models.model_names import load_scorer, parse_model

Item = TypeVar("Item")
TEXTS = 256
SHARD_TEXTS = 10_000
"""Texts per shard of `csuite embed`; a test compares it with the one in `vectors`, which this folder may not import."""
_ROUNDS = 3
_WARMING = 8
_QUERY_WORDS = 8


@dataclass(frozen=True)
class Threads:
    """Processor threads of a process with a model."""

    count: int
    """Threads used in the measurement."""
    fixed: bool
    """Whether the model string gives the number; else the model uses all cores of any machine."""


@dataclass(frozen=True)
class Rate:
    """The measured speed of a model."""

    model: str
    what: Literal["texts", "pairs"]
    seconds: Range
    """Seconds per text or pair in one process."""
    measured: int
    device: str
    """The device on which it ran, as the model names it."""
    threads: Threads
    """Used if it did not run on a GPU."""
    shard: int | None
    """Texts or pairs per shard; None if the model cannot be spread over workers."""
    dimensions: int = 0

    @property
    def on_gpu(self) -> bool:
        """Whether it ran on a GPU."""
        return self.device.startswith("cuda")


def measure_encoder(model: str, texts: Sequence[str]) -> Rate:
    """Measure seconds per text. Loading the model is not measured, and each round has new texts."""
    encoder = load_encoder(model)
    warming, blocks = split_rounds(texts)
    vectors = encoder.encoder.encode(warming, "document")
    seconds = _clock(blocks, lambda block: encoder.encoder.encode(block, "document"))
    shard = SHARD_TEXTS if is_spreadable(encoder) else None
    device = _device(encoder.encoder)
    return Rate(model, "texts", seconds, _count(blocks), device, threads_of(model), shard, int(vectors.shape[1]))


def measure_scorer(model: str, pairs: Sequence[tuple[str, str]], documents: Sequence[str]) -> Rate:
    """Measure seconds per pair, as for an encoder."""
    scorer = load_scorer(model, Workbench(documents))
    warming, blocks = split_rounds(pairs)
    scorer.score(warming)
    seconds = _clock(blocks, scorer.score)
    shard = SHARD_PAIRS if is_spreadable(scorer) else None
    return Rate(model, "pairs", seconds, _count(blocks), _device(scorer), threads_of(model), shard)


def threads_of(model: str) -> Threads:
    """The threads that the model string gives, else one per core."""
    given = dict(parse_model(model).options).get("threads")
    return Threads(cores(), fixed=False) if given is None else Threads(int(given), fixed=True)


def made_up_pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs to measure with if the sample gave no example: the first words of one text as a query for another."""
    queries = [" ".join(text.split()[:_QUERY_WORDS]) for text in texts]
    return list(zip(queries[1:] + queries[:1], texts, strict=True))


def split_rounds(items: Sequence[Item]) -> tuple[list[Item], list[list[Item]]]:
    """Split items between the warm-up and the rounds: a model may cache what it has seen."""
    warming = min(_WARMING, len(items) // 2)
    size = max(1, min(TEXTS, (len(items) - warming) // _ROUNDS))
    blocks = [list(items[start : start + size]) for start in range(warming, len(items), size)]
    return list(items[:warming]), blocks[:_ROUNDS]


def _clock(blocks: Sequence[Sequence[Item]], work: Callable[[Sequence[Item]], object]) -> Range:
    seconds = []
    for block in blocks:
        begin = now()
        work(block)
        seconds.append((now() - begin).own / len(block))
    return Range(median(seconds), min(seconds), max(seconds))


def _count(blocks: Sequence[Sequence[Item]]) -> int:
    return sum(map(len, blocks))


def _device(model: object) -> str:
    found = model.describe().get("device") if isinstance(model, Describing) else None
    return str(found) if found else "cpu"
