"""Adversarial controls: a negation word in an idiom, which excludes nothing; the document that affirms Y must win."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from constraintsuite.execution.shards import keyed_random
from constraintsuite.records.examples import (
    ADVERSARIAL,
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    SATISFYING,
    VIOLATING,
    Control,
    Example,
)
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.controls.dealing import mixed_originals, number
from constraintsuite.suites.controls.idioms import Idiom, IdiomCue, holds_cue, idioms, slots_of
from constraintsuite.suites.controls.twins import affirmative, plural_head, twin_query
from constraintsuite.text.terms import TermAnalyser

MAX_SHARE = 0.05
"""The largest share of one idiom; where fewer than twenty controls are made, each idiom stands at most once."""
MAX_PER_ORIGINAL = 3
_ANALYSER = TermAnalyser()


def make_adversarial(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` controls, even over cues; every original is used once before any is used twice."""
    ready = (_prepare(example) for example in mixed_originals(examples, seed, "controls_adversarial"))
    originals = [original for original in ready if original is not None]
    target = min(count, MAX_PER_ORIGINAL * len(originals))
    made = _deal(originals, target, seed)
    while len(made) < target:  # fewer controls allow each idiom fewer times
        target = len(made)
        made = _deal(originals, target, seed)
    return number(made, ADVERSARIAL)


@dataclass(frozen=True)
class _Original:
    example: Example
    constraint: Exclude
    affirmed: str
    """The opposite query in plain words that ask for Y."""

    @cached_property
    def telling_terms(self) -> frozenset[str]:
        """Terms of one document only: a query that held one would prefer a document for it."""
        good, bad = self.example.satisfying.text, self.example.violating.text
        return frozenset(set(_ANALYSER.terms(good)) ^ set(_ANALYSER.terms(bad)))

    def fits(self, frame: str, cue: str) -> bool:
        """Whether the frame can be filled and adds no word, apart from its cue, that only one document holds."""
        if "topic" in slots_of(frame) and not self.example.topic:
            return False
        return not self.telling_terms & _added_terms(frame, cue)


@cache
def _added_terms(frame: str, cue: str) -> frozenset[str]:
    words = frame.format(affirm="", topic="", y="").split()
    return frozenset(_ANALYSER.terms(" ".join(word for word in words if not holds_cue(word, cue))))


def _prepare(example: Example) -> _Original | None:
    """The example with its affirmative query, if documents and query can carry an idiom; the frames want plurals."""
    constraint = example.constraint
    if not isinstance(constraint, Exclude) or not example.is_paired or len(example.documents) > 2:
        return None
    if not any(one.document == VIOLATING for one in constraint.evidence):
        return None
    affirmed = affirmative(example)
    if affirmed is None or plural_head(example.topic or "") is None:
        return None
    if any(holds_cue(affirmed, cue.cue) for cue in idioms().cues):
        return None
    return _Original(example, constraint, affirmed)


def _deal(originals: Sequence[_Original], target: int, seed: int) -> list[Example]:
    limit = max(1, int(target * MAX_SHARE))
    made: list[Example] = []
    cue_tally: Counter[str] = Counter()
    idiom_tally: Counter[str] = Counter()
    used: set[tuple[str, str]] = set()
    for _ in range(MAX_PER_ORIGINAL):
        for original in originals:
            if len(made) >= target:
                return made
            rng = keyed_random(seed, "controls_adversarial", original.example.id)
            for cue, idiom, frame in _choices(cue_tally, idiom_tally, rng):
                new = (original.example.id, cue.cue) not in used
                if new and idiom_tally[idiom.idiom] < limit and original.fits(frame, cue.cue):
                    made.append(_make(original, cue, idiom, frame))
                    used.add((original.example.id, cue.cue))
                    cue_tally[cue.cue] += 1
                    idiom_tally[idiom.idiom] += 1
                    break
    return made


def _choices(
    cue_tally: Counter[str], idiom_tally: Counter[str], rng: random.Random
) -> Iterator[tuple[IdiomCue, Idiom, str]]:
    """Every frame, those of the rarest cue and in it the rarest idiom first."""
    cues = rng.sample(idioms().cues, len(idioms().cues))
    for cue in sorted(cues, key=lambda one: cue_tally[one.cue]):
        for idiom in sorted(rng.sample(cue.idioms, len(cue.idioms)), key=lambda one: idiom_tally[one.idiom]):
            yield from ((cue, idiom, frame) for frame in rng.sample(idiom.frames, len(idiom.frames)))


def _make(original: _Original, cue: IdiomCue, idiom: Idiom, frame: str) -> Example:
    """The example with the roles of its documents exchanged under the idiom's query."""
    example, constraint = original.example, original.constraint
    exclusion = twin_query(example, original.affirmed, cue)
    return replace(
        example,
        slice=ADVERSARIAL,
        constraint=replace(
            constraint,
            cue=cue.cue,
            stated_by="opposite",
            evidence=tuple(replace(one, document=_TURNED[one.document]) for one in constraint.evidence),
            cues={_TURNED[role]: cues for role, cues in constraint.cues.items()},
        ),
        query=frame.format(affirm=original.affirmed, topic=example.topic, y=constraint.value),
        opposite=exclusion,
        restated=original.affirmed,
        documents=tuple(replace(one, role=_TURNED[one.role]) for one in reversed(example.documents)),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
        couple="",
        template="IDIOM",
        template_family="idiom",
        control=Control("idiom", example.id, idiom.idiom),
    )


_TURNED = {SATISFYING: VIOLATING, VIOLATING: SATISFYING}
