"""The affirmative query that an idiom dresses, and a real exclusion in the same cue over the same two documents."""

from __future__ import annotations

import re

from constraintsuite.records.examples import Example
from constraintsuite.suites.controls.idioms import IdiomCue, holds_cue, slots_of

_WITH = re.compile(r"(?:with|made with|that contain|that have) (?P<thing>.+)")
_ARTICLE = re.compile(r"^an? ")
_CLAUSE = re.compile(r"(?:that|who|whose|where|which) ")
_LINKS = re.compile(r"\b(?:that|who|of|for|in|on|at|from|with|about|near|by|to)\b")
_PLAINER = (  # what may follow the topic without asking for Y, or with needless stress, and a plain wording that asks
    (re.compile(r" made including (.+)"), "{topic} made with {rest}"),
    (re.compile(r" including those (.+)"), "{topic} {rest}"),
    (re.compile(r" including (.+) ones|, (.+) ones only"), "{rest} {topic}"),
    (re.compile(r" that do have (.+)"), "{topic} that have {rest}"),
    (re.compile(r" who did play (.+)"), "{topic} who played {rest}"),
)


def affirmative(example: Example) -> str | None:
    """The affirmative query in plain words that ask for Y; None where the query would be content without it."""
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
    """A query that does exclude Y, with this cue if it can: the original's own where it has the cue already."""
    if holds_cue(example.query, cue.cue):
        return example.query
    slots = _slots(example, affirmed)
    return next((twin.format(**slots) for twin in cue.twins if slots_of(twin) <= slots.keys()), example.query)


def plural_head(topic: str) -> str | None:
    """The noun that a topic is about ("hotels" of "hotels for walkers"), if it is a plural."""
    head = (_LINKS.split(topic)[0].split() or [""])[-1]
    plural = (head.endswith("s") and not head.endswith("ss")) or head in {"people", "men", "women", "children"}
    return head if plural else None


def _of_a_kind(example: Example, things: str) -> str | None:
    """ "films such as war films" as "films that are war films"; None where the things are not of the topic's kind."""
    topic = example.topic or ""
    if _of_people(example):
        return f"{topic} who are {things}"
    return f"{topic} that are {things}" if things.split()[-1:] == topic.split()[-1:] else None


def _slots(example: Example, affirmed: str) -> dict[str, str]:
    """What the wordings of a twin can be filled with; see `idioms.yaml`."""
    topic = example.topic or ""
    people = _of_people(example)
    rest = _after_topic(affirmed, topic)
    if rest is None and topic and affirmed == f"{_value(example)} {topic}":
        rest = f"{'who' if people else 'that'} are {_value(example)}"
    if rest is None:
        return {}
    slots = {"topic": topic, "rest": rest, "excluded": f"those {rest}", "head": plural_head(topic) or topic}
    if found := _WITH.fullmatch(rest):
        slots |= {"thing": found["thing"], "bare": _ARTICLE.sub("", found["thing"])}
    if not people and not _CLAUSE.match(rest):
        slots["short"] = rest
    return slots


def _after_topic(query: str, topic: str) -> str | None:
    return query.removeprefix(f"{topic} ") if topic and query.startswith(f"{topic} ") else None


def _value(example: Example) -> str:
    return example.constraint.value if example.constraint else ""


def _of_people(example: Example) -> bool:
    return example.domain == "people"
