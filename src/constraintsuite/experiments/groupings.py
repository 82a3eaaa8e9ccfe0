"""The ways in which a run's figures are split up: by what an example is, how it was made, and what its notes say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from constraintsuite.errors import UserError
from constraintsuite.records.examples import Example

T = TypeVar("T")
Grouping = Callable[[Example], str | None]
"""The group of an example; None for one that is in no group."""
MANY = 50
"""A grouping from open lists (cues, notes) with more values than this names items, not kinds of items."""
FEW = 10
"""A cue of fewer examples than this is no group of its own."""
OVERALL = "overall"
_NOTE = re.compile(r"([A-Za-z][\w -]{0,39}): (\S.*)", re.DOTALL)

_MAIN: Mapping[str, Grouping] = {
    "split": lambda e: e.split,
    "domain": lambda e: e.domain or "none",
    "relation": lambda e: e.relation or "none",
    "edited": lambda e: "edited" if e.tags.edited else "natural",
    "edit": lambda e: e.edit.operator if e.edit else "natural",
    "marker": lambda e: e.constraint.negation_marker or "none",
    "template": lambda e: e.query.template_family or "none",
    "difficulty": lambda e: e.tags.difficulty,
    "overlap": lambda e: e.tags.lexical_overlap_bin,
    "length": lambda e: e.tags.doc_length_bin,
    "explicitness": lambda e: e.tags.negation_explicitness,
}


def split_up(examples: Sequence[Example], controls: Sequence[Example]) -> dict[str, dict[str, list[int]]]:
    """Positions of examples, controls counted on after them, by grouping and group; groups are sorted.

    Controls stand only under `slice` and `control`.
    """
    everything = [*examples, *controls]
    main = {**_MAIN, **_open_groupings(examples)}
    parts = {"slice": _parts(everything, lambda e: e.suite)}
    parts |= {name: _parts(examples, key) for name, key in main.items()}
    kinds = _parts(controls, lambda e: e.control.kind if e.control else "none")
    parts["control"] = {kind: [len(examples) + i for i in members] for kind, members in kinds.items()}
    return parts


def pick(groupings: Mapping[str, T], name: str) -> T:
    """One of the groupings, by the name that a user wrote."""
    if name not in groupings:
        near = get_close_matches(name, groupings, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(groupings)}."
        raise UserError(f"No grouping named {name!r} in this suite. {hint}")
    return groupings[name]


def full_name(grouping: str, value: str, groups: Iterable[str]) -> str:
    """The group that a user means: slices also go by the short names that tables print."""
    if grouping != "slice" or value in groups:
        return value
    return next((name for name in groups if short_slice(name) == value), value)


def short_slice(name: str) -> str:
    """A slice's name without the part that all of its kind share."""
    return name.removeprefix("negation_").removeprefix("controls_")


def _parts(examples: Sequence[Example], key: Grouping) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        group = key(example)
        if group is not None:
            parts.setdefault(group, []).append(place)
    return dict(sorted(parts.items()))


def _open_groupings(examples: Sequence[Example]) -> dict[str, Grouping]:
    """Groupings by what is written freely, where there are few enough values to mean kinds."""
    keys = {key for example in examples for key in _notes(example)}
    found: dict[str, Grouping] = {"cue": _common_cue(examples), **{f"notes.{key}": _note(key) for key in sorted(keys)}}
    return {
        name: grouping
        for name, grouping in found.items()
        if 1 <= len({group for example in examples if (group := grouping(example)) is not None}) <= MANY
    }


def _common_cue(examples: Sequence[Example]) -> Grouping:
    """By cue, where those of a few examples only are one group."""
    counts = Counter(map(_cue, examples))

    def group(example: Example) -> str | None:
        cue = _cue(example)
        return cue if cue is None or counts[cue] >= FEW else "other"

    return group


def _cue(example: Example) -> str | None:
    """What negates Y in the satisfying document."""
    cues = {one.cue.casefold() for one in example.evidence if one.document == "pos" and one.cue}
    return " + ".join(sorted(cues)) or None


def _notes(example: Example) -> dict[str, str]:
    """Notes of the form `key: value`; the first of a key counts."""
    pairs = [match.groups() for note in example.notes if (match := _NOTE.fullmatch(note))]
    return {key: value for key, value in reversed(pairs)}


def _note(key: str) -> Grouping:
    return lambda example: _notes(example).get(key)
