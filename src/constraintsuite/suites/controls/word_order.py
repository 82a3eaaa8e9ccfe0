"""Other orders of the same words that surely mean the same; a person would have written either."""

from __future__ import annotations

import random
from collections.abc import Iterator

from constraintsuite.records.examples import MINPAIRS, Example
from constraintsuite.records.text import Span
from constraintsuite.suites.controls import adverbials, conjuncts, sentence_order
from constraintsuite.suites.controls.files import guard_words
from constraintsuite.suites.controls.rewriting import Rewritten, RewrittenExample
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.terms import words

Moves = dict[str, Rewritten]
"""Ways to reorder a text, by a label that names the words moved."""


def rewrite(example: Example, rng: random.Random) -> RewrittenExample | None:
    """One move in each document that has one (of a minimal pair: the same in both), or in the topic of the query."""
    variant = _rewrite_topic(example, rng)
    if variant is not None and rng.random() < 0.5:
        return variant
    return _rewrite_documents(example, rng) or variant


def find_moves(text: str) -> Moves:
    """Every safe move in a text."""
    return {label: move for label, move in _moves(text) if move.text != text}


def _moves(text: str) -> Iterator[tuple[str, Rewritten]]:
    sentences = split_sentences(text)
    yield from sentence_order.find(text, sentences)
    for sentence in sentences:
        if _free_of_cues(sentence.of(text)):
            yield from adverbials.find(text, sentence)
            yield from conjuncts.find(text, sentence)


def _rewrite_documents(example: Example, rng: random.Random) -> RewrittenExample | None:
    good, bad = find_moves(example.satisfying.text), find_moves(example.violating.text)
    if example.slice == MINPAIRS:
        shared = sorted(good.keys() & bad.keys())
        labels = [rng.choice(shared)] * 2 if shared else []
    else:
        labels = [rng.choice(sorted(moves)) if moves else "" for moves in (good, bad)]
    if not any(labels):
        return None
    note = "word_order: " + "; ".join(dict.fromkeys(label for label in labels if label))
    return RewrittenExample(note, satisfying=good.get(labels[0]), violating=bad.get(labels[1]))


def _rewrite_topic(example: Example, rng: random.Random) -> RewrittenExample | None:
    """Conjuncts exchanged in the topic: "hotels for couples and families without a pool"."""
    old, opposite = example.topic or "", example.opposite or ""
    moves = dict(conjuncts.find(old, Span(0, len(old))))
    if not moves or not (example.query.startswith(old) and opposite.startswith(old)):
        return None
    label = rng.choice(sorted(moves))
    topic, end = moves[label].text, len(old)
    return RewrittenExample(f"word_order: query {label}", topic + example.query[end:], topic + opposite[end:], topic)


def _free_of_cues(sentence: str) -> bool:
    """Whether no negation could reach other words, or fewer, after a move."""
    lists = guard_words()
    tokens = words(sentence.replace("’", "'"))
    return not any(
        token in lists.cues or token in lists.cue_parts or token.endswith(("n't", "less")) for token in tokens
    )
