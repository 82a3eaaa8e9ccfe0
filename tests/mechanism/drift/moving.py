"""A planted model whose telling head was moved to another place: it does the same, elsewhere."""

from __future__ import annotations

import random
from pathlib import Path

import torch
from transformers import BertForSequenceClassification

from constraintsuite.core.records.examples import Example
from mechanism.contrasts.suite_factory import make_example, make_suite
from mechanism.models import THINGS, TOPICS, word_tokenizer
from mechanism.planted import make_planted

BEFORE, AFTER = "L1.H2", "L1.H0"
_NOISE = 0.02


def make_checkpoints(folder: Path) -> tuple[Path, Path]:
    """The planted model, with some noise in all other places, and the same with two heads exchanged."""
    first = make_planted(folder / "first", noise=_NOISE, seed=1)
    model = BertForSequenceClassification.from_pretrained(first)
    attention = model.bert.encoder.layer[1].attention
    heads = [2, 1, 0, 3]
    order = torch.cat([torch.arange(head * 8, head * 8 + 8) for head in heads])
    with torch.no_grad():
        for part in (attention.self.query, attention.self.key, attention.self.value):
            part.weight.copy_(part.weight[order])
            part.bias.copy_(part.bias[order])
        attention.output.dense.weight.copy_(attention.output.dense.weight[:, order])
    model.save_pretrained(folder / "second")
    word_tokenizer().save_pretrained(folder / "second")
    return first, folder / "second"


def soups(count: int) -> list[Example]:
    """Examples in the planted model's words, each of documents of its own."""
    chance = random.Random(0)
    found: list[Example] = []
    seen: set[tuple[str, ...]] = set()
    while len(found) < count:
        topic, y, words = (
            chance.choice(TOPICS),
            chance.choice(THINGS),
            chance.sample(("warm", "fresh", "rich", "very"), 2),
        )
        if (topic, y, *words) in seen:
            continue
        seen.add((topic, y, *words))
        lacks, has = (f"{words[0]} {topic} {words[1]} {last} ." for last in ("bowl", y))
        queries = (f"{topic} without {y}", f"{topic} with {y}", topic)
        name = f"soup{len(found)}"
        found.append(make_example(name, "omission", y=y, queries=queries, docs=(lacks, has), clusters=(name,)))
    return found


def make_soup_suite(folder: Path, count: int = 20) -> Path:
    make_suite(folder, soups(count), ())
    return folder
