"""How fast a model is on texts of the sample, on what is here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from constraintsuite.execution.cores import cores
from constraintsuite.forecast.clock import now
from constraintsuite.forecast.growth import Range
from constraintsuite.models.base import Describing, Workbench
from constraintsuite.models.encoders import load_encoder
from constraintsuite.models.naming import load_scorer

Item = TypeVar("Item")
TEXTS = 256
_ROUNDS = 3
_WARMING = 8
_QUERY_WORDS = 8


@dataclass(frozen=True)
class Rate:
    """What a model does in a second."""

    model: str
    what: Literal["texts", "pairs"]
    seconds: Range
    """Each, on all that was used here."""
    measured: int
    device: str
    """Where it ran, in the model's own words."""
    cores: int
    """Of this machine; where it did not run on a graphics card."""
    dimensions: int = 0

    @property
    def on_gpu(self) -> bool:
        """Whether a graphics card was measured."""
        return self.device.startswith("cuda")


def measure_encoder(model: str, texts: Sequence[str]) -> Rate:
    """Vectors a second; the model is loaded outside the clock, and keeps nothing between two rounds."""
    encoder = load_encoder(model)
    vectors = encoder.encoder.encode(list(texts[:_WARMING]), "document")
    blocks = _blocks(texts[_WARMING:])
    seconds = _clock(blocks, lambda block: encoder.encoder.encode(block, "document"))
    count = sum(map(len, blocks))
    return Rate(model, "texts", seconds, count, _device(encoder.encoder), cores(), int(vectors.shape[1]))


def measure_scorer(model: str, pairs: Sequence[tuple[str, str]], documents: Sequence[str]) -> Rate:
    """Scores a second, likewise."""
    scorer = load_scorer(model, Workbench(documents))
    scorer.score(pairs[:_WARMING])
    blocks = _blocks(pairs[_WARMING:])
    seconds = _clock(blocks, scorer.score)
    return Rate(model, "pairs", seconds, sum(map(len, blocks)), _device(scorer), cores())


def made_up_pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs to measure with where no example came of the sample: each text, asked for by the first words of another."""
    queries = [" ".join(text.split()[:_QUERY_WORDS]) for text in texts]
    return list(zip(queries[1:] + queries[:1], texts, strict=True))


def _blocks(items: Sequence[Item]) -> list[list[Item]]:
    """Different items each round, since a model may remember a text."""
    size = max(1, min(TEXTS, len(items) // _ROUNDS))
    return [list(items[start : start + size]) for start in range(0, size * _ROUNDS, size)][:_ROUNDS]


def _clock(blocks: Sequence[Sequence[Item]], work: Callable[[Sequence[Item]], object]) -> Range:
    seconds = []
    for block in blocks:
        begin = now()
        work(block)
        seconds.append((now() - begin).wall / max(1, len(block)))
    return Range(min(seconds), min(seconds), max(seconds))


def _device(model: object) -> str:
    found = model.describe().get("device") if isinstance(model, Describing) else None
    return str(found) if found else "cpu"
