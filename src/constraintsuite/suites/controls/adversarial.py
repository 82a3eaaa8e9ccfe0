"""Adversarial controls: a negation word in an idiom excludes nothing, so the document that affirms Y must win."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from pydantic import Field

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.records.examples import (
    ADVERSARIAL,
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    SATISFYING,
    VIOLATING,
    Control,
    Example,
)
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.controls.own import slots_of
from constraintsuite.suites.controls.sampling import mixed_originals, number
from constraintsuite.text.terms import TermAnalyser


class Idiom(StrictModel):
    """An idiom, and frames of queries with it."""

    idiom: str
    frames: tuple[str, ...] = Field(min_length=1, max_length=3)


class IdiomCue(StrictModel):
    """A negation word, its idioms, and templates of real exclusions with it, if there are any."""

    cue: str
    twins: tuple[str, ...]
    idioms: tuple[Idiom, ...]


@cache
def load_idioms() -> tuple[IdiomCue, ...]:
    """The idioms of `idioms.yaml` by their negation word."""
    cues = dict[str, tuple[IdiomCue, ...]]
    return read_package_yaml(cues, "constraintsuite.suites.controls", "data", "idioms.yaml")["cues"]


def holds_cue(text: str, cue: str) -> bool:
    """Whether the text has the cue as a word, or "n't" at the end of one."""
    pattern = r"n['’]t\b" if cue == "n't" else rf"\b{re.escape(cue)}\b"
    return re.search(pattern, text, re.IGNORECASE) is not None


_WITH = re.compile(r"(?:with|made with|that contain|that have) (?P<thing>.+)")
_ARTICLE = re.compile(r"^an? ")
_CLAUSE = re.compile(r"(?:that|who|whose|where|which) ")
_LINKS = re.compile(r"\b(?:that|who|of|for|in|on|at|from|with|about|near|by|to)\b")
_PLAINER = (  # what follows the topic if the query does not clearly ask for Y, and plain words that do
    (re.compile(r" made including (.+)"), "{topic} made with {rest}"),
    (re.compile(r" including those (.+)"), "{topic} {rest}"),
    (re.compile(r" including (.+) ones|, (.+) ones only"), "{rest} {topic}"),
    (re.compile(r" that do have (.+)"), "{topic} that have {rest}"),
    (re.compile(r" who did play (.+)"), "{topic} who played {rest}"),
)


def affirmative(example: Example) -> str | None:
    """The opposite query in plain words that ask for Y; None if it does not require Y."""
    base, topic = example.opposite or "", example.topic or ""
    if topic and base.startswith(f"only {topic} "):
        return base.removeprefix("only ")
    tail = base.removeprefix(topic)
    for wording, plain in _PLAINER:
        if found := wording.fullmatch(tail):
            return plain.format(topic=topic, rest=found[found.lastindex or 0])
    if found := re.fullmatch(r" (?:including|such as) (.+)", tail):
        return _of_a_kind(example, found[1])
    if found := re.fullmatch(r", (.+) only", tail):
        return _of_a_kind(example, found[1]) or base
    return base or None


def twin_query(example: Example, affirmed: str, cue: IdiomCue) -> str:
    """A query that excludes Y, with this cue if a template fits; the original's query if it has the cue already."""
    if holds_cue(example.query, cue.cue):
        return example.query
    slots = _slots(example, affirmed)
    return next((twin.format(**slots) for twin in cue.twins if slots_of(twin) <= slots.keys()), example.query)


def plural_head(topic: str) -> str | None:
    """The head noun of a topic ("hotels" of "hotels for walkers") if it is a plural, else None."""
    head = (_LINKS.split(topic)[0].split() or [""])[-1]
    plural = (head.endswith("s") and not head.endswith("ss")) or head in {"people", "men", "women", "children"}
    return head if plural else None


def _of_a_kind(example: Example, things: str) -> str | None:
    """From "films such as war films" to "films that are war films"; None if the things are not of the topic's kind."""
    topic = example.topic or ""
    if _of_people(example):
        return f"{topic} who are {things}"
    return f"{topic} that are {things}" if things.split()[-1:] == topic.split()[-1:] else None


def _slots(example: Example, affirmed: str) -> dict[str, str]:
    """The values for the slots of twin templates, which `idioms.yaml` explains."""
    topic = example.topic or ""
    people = _of_people(example)
    value = example.constraint.value if example.constraint else ""
    if topic and affirmed.startswith(f"{topic} "):
        rest = affirmed.removeprefix(f"{topic} ")
    elif topic and affirmed == f"{value} {topic}":
        rest = f"{'who' if people else 'that'} are {value}"
    else:
        return {}
    slots = {"topic": topic, "rest": rest, "excluded": f"those {rest}", "head": plural_head(topic) or topic}
    if found := _WITH.fullmatch(rest):
        slots |= {"thing": found["thing"], "bare": _ARTICLE.sub("", found["thing"])}
    if not people and not _CLAUSE.match(rest):
        slots["short"] = rest
    return slots


def _of_people(example: Example) -> bool:
    return example.domain == "people"


MAX_SHARE = 0.05
"""The largest share of one idiom; with fewer than twenty controls, each idiom is used at most once."""
MAX_PER_ORIGINAL = 3
_ANALYSER = TermAnalyser()


def make_adversarial(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` controls, cues in equal parts; every original is used once before any is used twice."""
    ready = (_prepare(example) for example in mixed_originals(examples, seed, "controls_adversarial"))
    originals = [original for original in ready if original is not None]
    target = min(count, MAX_PER_ORIGINAL * len(originals))
    made = _make_all(originals, target, seed)
    while len(made) < target:  # with fewer controls, each idiom is allowed fewer times
        target = len(made)
        made = _make_all(originals, target, seed)
    return number(made, ADVERSARIAL)


@dataclass(frozen=True)
class _Original:
    example: Example
    constraint: Exclude
    affirmed: str
    """The opposite query in plain words that ask for Y."""

    @cached_property
    def distinguishing_terms(self) -> frozenset[str]:
        """Terms that only one document has: a query with such a term would prefer that document."""
        good, bad = self.example.satisfying.text, self.example.violating.text
        return frozenset(set(_ANALYSER.terms(good)) ^ set(_ANALYSER.terms(bad)))

    def fits(self, frame: str, cue: str) -> bool:
        """Whether the frame can be filled, and adds no word except its cue that only one document has."""
        if "topic" in slots_of(frame) and not self.example.topic:
            return False
        return not self.distinguishing_terms & _added_terms(frame, cue)


@cache
def _added_terms(frame: str, cue: str) -> frozenset[str]:
    words = frame.format(affirm="", topic="", y="").split()
    return frozenset(_ANALYSER.terms(" ".join(word for word in words if not holds_cue(word, cue))))


def _prepare(example: Example) -> _Original | None:
    """The example with its affirmative query; None if it is not suitable, for example if its topic is not a plural."""
    constraint = example.constraint
    if not isinstance(constraint, Exclude) or not example.is_paired or len(example.documents) > 2:
        return None
    if not any(one.document == VIOLATING for one in constraint.evidence):
        return None
    affirmed = affirmative(example)
    if affirmed is None or plural_head(example.topic or "") is None:
        return None
    if any(holds_cue(affirmed, cue.cue) for cue in load_idioms()):
        return None
    return _Original(example, constraint, affirmed)


def _make_all(originals: Sequence[_Original], target: int, seed: int) -> list[Example]:
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
    """Every frame, in random order, but frames of the rarest cue and of its rarest idiom first."""
    for cue in sorted(rng.sample(load_idioms(), len(load_idioms())), key=lambda one: cue_tally[one.cue]):
        for idiom in sorted(rng.sample(cue.idioms, len(cue.idioms)), key=lambda one: idiom_tally[one.idiom]):
            yield from ((cue, idiom, frame) for frame in rng.sample(idiom.frames, len(idiom.frames)))


def _make(original: _Original, cue: IdiomCue, idiom: Idiom, frame: str) -> Example:
    """The example with a query that has the idiom, and with the roles of its documents exchanged."""
    example, constraint = original.example, original.constraint
    return replace(
        example,
        slice=ADVERSARIAL,
        constraint=replace(
            constraint,
            cue=cue.cue,
            stated_by="opposite",
            evidence=tuple(replace(one, document=_EXCHANGED[one.document]) for one in constraint.evidence),
            cues={_EXCHANGED[role]: cues for role, cues in constraint.cues.items()},
        ),
        query=frame.format(affirm=original.affirmed, topic=example.topic, y=constraint.value),
        opposite=twin_query(example, original.affirmed, cue),
        restated=original.affirmed,
        documents=tuple(replace(one, role=_EXCHANGED[one.role]) for one in reversed(example.documents)),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
        couple="",
        template="IDIOM",
        template_family="idiom",
        control=Control("idiom", example.id, idiom.idiom),
    )


_EXCHANGED = {SATISFYING: VIOLATING, VIOLATING: SATISFYING}
