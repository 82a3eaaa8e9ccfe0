"""A reranker built by hand, in which a known head carries the effect of "without"."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification

from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast, MarkedPair, RoleMark
from mechanism.models import AFFIRMATIONS, LENGTH, NEGATIONS, SHAPE, THINGS, TOPICS, VOCABULARY, word_tokenizer

PLANTED, RELEVANCE = "L1.H2", "L2.H1"
_FEATURES = (
    "negation",
    "affirmation",
    "thing",
    "topic",
    "filler",
    "cls",
    "sep",
    "query",
    "text",
    "verdict",
    "relevance",
)
_KINDS = {
    **dict.fromkeys(NEGATIONS, "negation"),
    **dict.fromkeys(AFFIRMATIONS, "affirmation"),
    **dict.fromkeys(THINGS, "thing"),
    **dict.fromkeys(TOPICS, "topic"),
    "[CLS]": "cls",
    "[SEP]": "sep",
}  # all other words are fillers
_WIDTH, _HEAD = 32, 8
_SCALE = 8**0.5  # what a feature of 1 is behind any of the layer norms, as every token has one kind and one side


def make_planted(folder: Path, *, noise: float = 0.0, seed: int = 0) -> Path:
    """A BERT of 3 layers and 4 heads in which the head `PLANTED` alone reads the cue. Nothing in it was trained.

    At [CLS], that head looks for one of `THINGS` in the text, and only if there is none at the cue in the query. A thing says
    nothing, one of `NEGATIONS` says +1, one of `AFFIRMATIONS` -1. So the score of a text that lacks the thing is high under
    "soup without leeks" and low under "soup with leeks", and that of a text with the thing is in between under both: the
    margin (lacks it, less has it) changes sign with the cue, and patching that head recovers all of it in either direction.
    The head `RELEVANCE` looks for one of `TOPICS` in the text and knows nothing of cues: it adds the same to both texts of a
    contrast. Texts must have no cue of their own, and which thing is meant is not looked at.

    With `noise` 0 all other heads and all feed-forward parts add nothing at all: their effects are 0 but for rounding. With
    more, they and the words are of random weights of that size, so that all sites have small effects: 0.05 changes margins by
    some percent. The sites on the path are `embeddings` and `L0.residual` at the cue, then `L1.H2`, `L1.attention`, and
    `L1.residual` and `L2.residual` at [CLS].
    """
    shape = {**SHAPE, "hidden_size": _WIDTH, "vocab_size": len(VOCABULARY), "max_position_embeddings": LENGTH}
    config = BertConfig(num_labels=1, **shape)
    model = BertForSequenceClassification(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "LayerNorm" not in name:
                random_part = "layer" in name or "word_embeddings" in name
                weight.copy_(torch.randn(weight.shape, generator=generator) * noise * random_part)
        _plant_words(model)
        cues = {"thing": 48.0, "negation": 64.0, "affirmation": 64.0, "text": 24.0, "query": -24.0}
        _plant_head(model, PLANTED, cues, {"negation": 1.0, "affirmation": -1.0}, "verdict", 1.0)
        topics = {"topic": 48.0, "sep": 24.0, "text": 24.0, "query": -24.0}
        _plant_head(model, RELEVANCE, topics, {"topic": 1.0}, "relevance", 0.5)
        model.bert.pooler.dense.weight[0] = _reading("verdict")
        model.bert.pooler.dense.weight[1] = _reading("relevance")
        model.classifier.weight[0, :2] = torch.tensor([3.0, 1.0])
    model.save_pretrained(folder)
    word_tokenizer().save_pretrained(folder)
    return folder


def planted_contrasts(count: int, seed: int = 0) -> list[MarkedContrast]:
    """Contrasts that the planted model gets right: "soup without leeks" against "soup with leeks", all of equal length."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        topic, other = chance.sample(TOPICS, 2)
        thing, (cue, swapped) = chance.choice(THINGS), chance.choice([("without", "with"), ("excluding", "including")])
        first, second, third = chance.sample(("warm", "fresh", "rich", "very", "bowl"), 3)
        clean, corrupt = (_query(topic, word, thing) for word in (cue, swapped))
        better = Marked(f"{first} {topic} {second} {third} .")
        has = f"{first} {topic} {second} "
        worse = Marked(f"{has}{thing} .", (RoleMark(len(has), len(has) + len(thing), "d_y"),))
        aside = Marked(f"{second} {other} {first} {third} .")
        found.append(
            MarkedContrast(
                id=f"planted-{number}",
                example=f"planted-{number}",
                slice="planted",
                side="query",
                better=MarkedPair(clean, better),
                worse=MarkedPair(clean, worse),
                better_corrupt=MarkedPair(corrupt, better),
                worse_corrupt=MarkedPair(corrupt, worse),
                aside=MarkedPair(clean, aside),
                aside_corrupt=MarkedPair(corrupt, aside),
                cue=cue,
                template=cue,
                clusters=(f"{topic} {thing}",),
                half="find" if number % 2 == 0 else "check",
            )
        )
    return found


def _query(topic: str, cue: str, thing: str) -> Marked:
    start, end = len(topic) + 1, len(topic) + 1 + len(cue)
    marks = (RoleMark(start, end, "q_cue"), RoleMark(end + 1, end + 1 + len(thing), "q_y"))
    return Marked(f"{topic} {cue} {thing}", marks)


def _direction(feature: str) -> torch.Tensor:
    """A feature is a number and its opposite, so that the mean stays 0 and a layer norm only scales."""
    at = 2 * _FEATURES.index(feature)
    direction = torch.zeros(_WIDTH)
    direction[at], direction[at + 1] = 1.0, -1.0
    return direction


def _reading(feature: str) -> torch.Tensor:
    """Weights that give 1 where the feature is there, behind a layer norm."""
    return _direction(feature) / (2 * _SCALE)


def _plant_words(model: BertForSequenceClassification) -> None:
    embeddings = model.bert.embeddings
    for number, word in enumerate(VOCABULARY):
        embeddings.word_embeddings.weight[number] += _direction(_KINDS.get(word, "filler"))
    embeddings.token_type_embeddings.weight[0] = _direction("query")
    embeddings.token_type_embeddings.weight[1] = _direction("text")


def _plant_head(
    model: BertForSequenceClassification,
    site: str,
    looks_for: Mapping[str, float],
    says: Mapping[str, float],
    feature: str,
    size: float,
) -> None:
    """A head by which [CLS] looks for some features, the larger the sooner; all other tokens look at [SEP], which says nothing."""
    layer, head = int(site[1]), int(site[4])
    part = slice(head * _HEAD, (head + 1) * _HEAD)
    attention = model.bert.encoder.layer[layer].attention
    for projection in (attention.self.query, attention.self.key, attention.self.value):
        projection.weight[part], projection.bias[part] = 0.0, 0.0
    attention.output.dense.weight[:, part] = 0.0
    first, second = part.start, part.start + 1
    attention.self.query.weight[first], attention.self.query.weight[second] = _reading("cls"), -_reading("cls")
    attention.self.query.bias[second] = 1.0
    root = _HEAD**0.5  # by which attention divides
    attention.self.key.weight[first] = sum(_reading(name) * logit * root for name, logit in looks_for.items())
    attention.self.key.weight[second] = _reading("sep") * 40.0 * root
    attention.self.value.weight[first] = sum(_reading(name) * value for name, value in says.items())
    attention.output.dense.weight[:, first] = _direction(feature) * _SCALE * size
