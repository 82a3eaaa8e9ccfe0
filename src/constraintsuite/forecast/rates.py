"""How fast a model is on texts of the sample, on what is here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeVar

from constraintsuite.core.execution.cores import cores
from constraintsuite.experiments.scoring import SHARD_PAIRS
from constraintsuite.forecast.clock import now
from constraintsuite.forecast.growth import Range
from constraintsuite.models.base import Describing, Workbench
from constraintsuite.models.dense import load_encoder
from constraintsuite.models.model_names import load_scorer, parse_model
from constraintsuite.models.worker_spec import may_be_spread

Item = TypeVar("Item")
TEXTS = 256
SHARD_TEXTS = 10_000
"""Of a shard of `embed`, which lies beside this folder and not below it; a test compares the two."""
_ROUNDS = 3
_WARMING = 8
_QUERY_WORDS = 8


@dataclass(frozen=True)
class Threads:
    """Processor threads of a process with a model."""

    count: int
    """As it was measured here."""
    fixed: bool
    """Whether the model string says so; else it takes all cores, here and elsewhere."""


@dataclass(frozen=True)
class Rate:
    """What a model does in a second."""

    model: str
    what: Literal["texts", "pairs"]
    seconds: Range
    """Seconds per text or pair in one process."""
    measured: int
    device: str
    """Where it ran, in the model's own words."""
    threads: Threads
    """Where it did not run on a graphics card."""
    shard: int | None
    """Texts or pairs of a shard; None where it cannot be spread, and all is done by the command itself."""
    dimensions: int = 0

    @property
    def on_gpu(self) -> bool:
        """Whether a graphics card was measured."""
        return self.device.startswith("cuda")


def measure_encoder(model: str, texts: Sequence[str]) -> Rate:
    """Vectors per second; the model is loaded outside the clock, and keeps nothing between two rounds."""
    encoder = load_encoder(model)
    warming, blocks = cut(texts)
    vectors = encoder.encoder.encode(warming, "document")
    seconds = _clock(blocks, lambda block: encoder.encoder.encode(block, "document"))
    shard = SHARD_TEXTS if may_be_spread(encoder) else None
    device = _device(encoder.encoder)
    return Rate(model, "texts", seconds, _count(blocks), device, threads_of(model), shard, int(vectors.shape[1]))


def measure_scorer(model: str, pairs: Sequence[tuple[str, str]], documents: Sequence[str]) -> Rate:
    """Scores per second, measured like the speed of an encoder."""
    scorer = load_scorer(model, Workbench(documents))
    warming, blocks = cut(pairs)
    scorer.score(warming)
    seconds = _clock(blocks, scorer.score)
    shard = SHARD_PAIRS if may_be_spread(scorer) else None
    return Rate(model, "pairs", seconds, _count(blocks), _device(scorer), threads_of(model), shard)


def threads_of(model: str) -> Threads:
    """What the model string says, else one a core."""
    said = dict(parse_model(model).options).get("threads")
    return Threads(cores(), fixed=False) if said is None else Threads(int(said), fixed=True)


def made_up_pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs to measure with where no example came of the sample: each text, asked for by the first words of another."""
    queries = [" ".join(text.split()[:_QUERY_WORDS]) for text in texts]
    return list(zip(queries[1:] + queries[:1], texts, strict=True))


def cut(items: Sequence[Item]) -> tuple[list[Item], list[list[Item]]]:
    """Items to warm up on, and others for each round, since a model may remember a text; of a few, half are for warming up."""
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
