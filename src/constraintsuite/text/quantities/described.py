"""What a quantity measures, from its dimension and the words of its sentence."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.quantities.counted import singular_of
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.things import TaggedSentence, find_thing
from constraintsuite.text.quantities.vocabulary import context_words, vocabulary

_LEFT, _RIGHT = 14, 4
_NEAR = 5
_BRACKET = 9
_ENDS = frozenset([",", ";", "and", "(", "but"])
_ONLY_FOR = {"star rating": ("star",), "running time": ("second", "minute", "hour")}
_LINKS = frozenset(["of", "is", "was", "are", "were", "at", ":"])


class _Measured(StrictModel):
    default: str
    words: dict[str, str]


class Description(NamedTuple):
    """What is said about a quantity."""

    dimension: str
    measured: str
    of: str


def describe(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> Description:
    """The dimension, what is measured, and the thing; `tagged` is the sentence around the quantity."""
    window = [
        pieces.lower(place) for place in range(max(draft.first - 8, tagged.first), min(draft.after + 4, tagged.after))
    ]
    dimension = _dimension(draft, window)
    measured = (
        _in_noun(pieces, draft) or _linked_noun(pieces, draft, tagged) or _by_words(pieces, draft, dimension, tagged)
    )
    if dimension == "age" and measured == "age" and "died" in window:
        measured = "age at death"
    if dimension == "count" and measured == "number":
        measured = _number_of(pieces, draft)
    return Description(dimension, measured, find_thing(pieces, draft, tagged))


def _dimension(draft: Draft, window: list[str]) -> str:
    """The dimension, where the unit alone does not tell it."""
    if draft.unit == "degree":
        return "other" if not context_words().turning.isdisjoint(window) else "temperature"
    if draft.unit == "point":
        return (
            "rating" if draft.dimension == "rating" or not context_words().marked_things.isdisjoint(window) else "count"
        )
    if draft.unit == "year" and draft.dimension == "duration" and "age" in window:
        at = window.index("age")
        return "age" if at > 0 and "of" not in window[max(at - 2, 0) : at] else "duration"
    if draft.unit == "percent" and "rating" in window:
        return "rating"
    return draft.dimension


def _in_noun(pieces: Pieces, draft: Draft) -> str:
    """The noun in "59 cm in size"."""
    place = draft.after
    if pieces.lower(place) in ("(", ")"):
        place = next((at + 1 for at in range(place, place + _BRACKET) if pieces.lower(at) == ")"), place)
    noun = pieces.lower(place + 1)
    known = pieces.lower(place) == "in" and noun in vocabulary().words.measured_nouns
    return noun if known else ""


def _linked_noun(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The noun in "a population of 716" and "the average sea temperature is 27 °C", with what describes it."""
    link = draft.first - 1
    if pieces.lower(link) not in _LINKS or (draft.dimension == "count" and pieces.lower(link) != "of"):
        return ""
    nouns = vocabulary().words.measured_nouns
    for place in range(link - 1, max(link - 6, tagged.first - 1), -1):
        if pieces.lower(place) in nouns:
            first = place
            while first > tagged.first and tagged.pos(first - 1) in ("ADJ", "NOUN", "PROPN") and place - first < 3:
                first -= 1
            words = [pieces.lower(at) for at in range(first, place + 1)]
            return " ".join([*words[:-1], _singular(words[-1])])
        if pieces.lower(place) in (",", ";") or tagged.pos(place) == "VERB":
            break
    return ""


def _singular(noun: str) -> str:
    return noun.removesuffix("s") if noun.endswith("s") and not noun.endswith(("ss", "us")) else noun


def _by_words(pieces: Pieces, draft: Draft, dimension: str, tagged: TaggedSentence) -> str:
    """What the nearest telling word of the sentence says; words right after the quantity come first."""
    default, told = _telling().get(dimension, ("", {}))
    left, right = (_NEAR, 0) if dimension == "count" else (_LEFT, _RIGHT)
    after = list(range(draft.unit_at, min(draft.after + right, tagged.after)))
    after = after[: next((at for at, place in enumerate(after) if pieces.lower(place) in _ENDS), len(after))]
    before = [*range(draft.first - 1, max(draft.first - left, tagged.first) - 1, -1)]
    if dimension == "count":
        before = before[: next((at for at, place in enumerate(before) if pieces.lower(place) in _ENDS), len(before))]
    lead = pieces.lower(draft.first - 1)
    if dimension == "duration" and lead == "every":
        return "interval"
    if dimension == "length" and lead == "at" and draft.unit in ("metre", "foot"):
        return "altitude"
    for place in [*after, *before]:
        found = told.get(pieces.lower(place))
        if found is not None and draft.unit in _ONLY_FOR.get(found, (draft.unit,)):
            return found
    return _by_unit(pieces, draft, dimension, tagged) or default


def _by_unit(pieces: Pieces, draft: Draft, dimension: str, tagged: TaggedSentence) -> str:
    """What the unit says by itself; empty if it says no more than its dimension."""
    if draft.unit in ("mile", "kilometre"):
        return "distance"
    if draft.unit.endswith("hertz"):
        return "frequency"
    if dimension == "data" and draft.unit.endswith("_per_second"):
        return "speed"
    if dimension == "mass":
        return _contained(pieces, draft, tagged)
    return {"inhabitant": "population", "resident": "population", "kilocalorie": "calories"}.get(draft.unit, "") or (
        "score" if draft.unit == "point" and dimension == "count" else ""
    )


def _contained(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> str:
    """The content of 18 grams of fat, the amount of 500 g flour."""
    of = pieces.lower(draft.after) == "of"
    content = pieces.lower(draft.after + 1) if of else pieces.lower(draft.after)
    if not of and tagged.pos(draft.after) != "NOUN":
        return ""
    return f"{content} content" if content in context_words().nutrients else "amount"


def _number_of(pieces: Pieces, draft: Draft) -> str:
    """WrittenNumber of films: the counted noun as it is written."""
    if draft.unit == "run":
        return "runs scored"
    if draft.hyphen or draft.after <= draft.unit_at:
        return f"number of {draft.unit}s"
    words = [pieces.lower(place) for place in range(draft.unit_at, draft.after)]
    noun = next((word for word in reversed(words) if singular_of(word) == draft.unit), draft.unit)
    return f"number of {noun}"


@cache
def _telling() -> dict[str, tuple[str, dict[str, str]]]:
    """By dimension: the default, and what each telling word says."""
    entries = read_package_yaml(dict[str, _Measured], "constraintsuite.text", "data", "measured.yaml")
    return {
        dimension: (
            entry.default,
            {word: measured for measured, line in entry.words.items() for word in line.split()},
        )
        for dimension, entry in entries.items()
    }
