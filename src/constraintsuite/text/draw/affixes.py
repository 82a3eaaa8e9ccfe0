"""Negation inside a word: Y-free, Yless, non-Y, un-Y."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.cues import Cue
from constraintsuite.text.readings import readings
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_PREFIXES = frozenset(("non", "un", "no"))
_FREE = frozenset(("free", "less"))


def draw_affixes(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Every word part that an affix denies."""
    for place, word in enumerate(sentence.words):
        if word == "-":
            yield from _hyphenated(sentence, place)
        elif word == "free":
            if sentence.tag(place - 1) == "NN" and sentence.pos(place + 1) == "NOUN":  # gluten free bread
                yield _found(place, place - 1, place, "suffix_free")
        elif word.endswith("less") and len(word) > 6 and any(one.tag == "NN" for one in readings(word[:-4])):
            yield _found(place, place, place + 1, "suffix_less")


def _hyphenated(sentence: ScopedSentence, hyphen: int) -> Iterator[tuple[Cue, ScopePatch]]:
    before, after = sentence.word(hyphen - 1), sentence.word(hyphen + 1)
    if after in _FREE and hyphen > 0:
        for first, last in _stems(sentence, hyphen):
            yield _found(hyphen + 1, first, last, f"suffix_{after}")
    elif before in _PREFIXES and after and not sentence.has_cue(hyphen - 1, hyphen, frozenset(("pseudo",))):
        last = hyphen + 2
        if not sentence.is_drawn(hyphen + 1):
            yield _found(hyphen - 1, hyphen + 1, last, f"prefix_{before}")


def _stems(sentence: ScopedSentence, hyphen: int) -> Iterator[tuple[int, int]]:
    """What stands before -free: one noun or a compound, and before it "sugar- and" """
    first = hyphen - 1
    attribute = sentence.pos(hyphen + 2) in ("NOUN", "PROPN", "ADJ")
    while (
        first > 0
        and sentence.tag(first - 1) in ("NN", "NNP")
        and (attribute or sentence.lemma(sentence.skip_adverbs_back(first - 2)) == "be")
    ):
        first -= 1
    yield first, hyphen
    join = first - 1
    while sentence.word(join) in ("and", "or", ",") and sentence.word(join - 1).endswith("-"):
        stem = join - 2 if sentence.word(join - 1) == "-" else join - 1
        yield stem, stem + 1
        join = stem - 1


def _found(cue: int, first: int, last: int, rule: str) -> tuple[Cue, ScopePatch]:
    return Cue(cue, cue + 1, (cue,), rule, "affix", "negated"), ScopePatch(first, last, "negated", rule)
