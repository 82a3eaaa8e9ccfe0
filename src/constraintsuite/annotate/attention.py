"""Who answered without care? Said in words, and only where there is enough to know it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.annotate.agreeing import Attention
from constraintsuite.metrics.significance import holm, mcnemar
from constraintsuite.records.figures import percent, say, show
from constraintsuite.records.scores import Interval

ATTENTIVE = 0.8
"""Whose interval of decoys or repeats lies wholly below it was not attentive."""
FEWEST = 5
"""Decoys, or items that came again: of fewer nothing is said."""
BY_CHANCE = 0.01
"""How seldom chance alone may have anybody of all people choose one side so often."""
RULE = (
    f"Named is whose 95 % interval of decoys or of repeats, on {FEWEST} items or more, lies wholly below {percent(ATTENTIVE)}, "
    "or who chose the text shown first in so many or so few items that chance does it to any of these people "
    f"less than once in {1 / BY_CHANCE:.0f} times."
)
ADVICE = "Look at what they answered, and ask them, before you rely on it."


@dataclass(frozen=True, slots=True)
class Concern:
    """What speaks against relying on somebody's answers."""

    annotator: str
    words: str

    def __str__(self) -> str:
        return f"{self.annotator} {self.words}"


def concerns(people: Sequence[Attention]) -> list[Concern]:
    """Who failed decoys or repeats, or chose by place; those of one person stand together."""
    chances = holm([mcnemar(*_places(one)) for one in people])
    return [
        Concern(one.annotator, words)
        for one, chance in zip(people, chances, strict=True)
        for words in _found(one, chance)
    ]


def too_few(people: Sequence[Attention]) -> str:
    """Of whom the decoys cannot tell anything yet; empty if there is nobody."""
    few = [f"{one.annotator} {one.decoys.n}" for one in people if one.decoys.n < FEWEST]
    if not few:
        return ""
    return f"Too few decoys to know who reads with care: {', '.join(few)} answered, and it takes {FEWEST} each."


def _found(one: Attention, chance: float) -> Iterator[str]:
    if _below(one.decoys):
        yield f"failed the decoys: {_said(one.decoys, 'known answers were right', 'decoys')}."
    if _below(one.repeats):
        yield f"did not say the same again: {_said(one.repeats, 'answers were the same', 'items that came again')}."
    if chance < BY_CHANCE:
        first, second = _places(one)
        which, most = ("first", first) if first > second else ("second", second)
        yield f"chose by place: the text shown {which} in {most:,} of {first + second:,} items (p {say(chance, 'p')})."


def _below(share: Interval) -> bool:
    return share.n >= FEWEST and share.high is not None and share.high < ATTENTIVE


def _places(one: Attention) -> tuple[int, int]:
    """In how many items the text shown first was chosen, and in how many the other."""
    first = round((one.shown_first.value or 0.0) * one.shown_first.n)
    return first, one.shown_first.n - first


def _said(share: Interval, what: str, over: str) -> str:
    assert share.value is not None
    bounds = f"{show(share, 'share').bounds} %"
    return f"{percent(share.value)} of the {what}, in {share.n:,} {over} (95 % interval {bounds})"
