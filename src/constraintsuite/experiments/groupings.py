"""The ways in which a run's figures are split up: by what an example is, how it was made, and what its notes say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import SATISFYING, Example

T = TypeVar("T")
ExampleGrouping = Callable[[Example], str | None]
"""The group of an example; None for one that is in no group."""
MANY = 50
"""A grouping from open lists (cues, notes) with more values than this names items, not kinds of items."""
FEW = 10
"""A cue of fewer examples than this is no group of its own."""
OVERALL = "overall"
_NOTE = re.compile(r"([A-Za-z][\w -]{0,39}): (\S.*)", re.DOTALL)

_MAIN: Mapping[str, ExampleGrouping] = {
    "split": lambda e: e.split,
    "domain": lambda e: e.domain or "none",
    "relation": lambda e: e.relation or "none",
    "edited": lambda e: "edited" if e.is_edited else "natural",
    "edit": lambda e: e.edit,
    "constraint": lambda e: e.constraint.type if e.constraint else "none",
    "cue": lambda e: (e.constraint.cue if e.constraint else "") or "none",
    "template": lambda e: e.template_family or "none",
}


def split_up(examples: Sequence[Example], controls: Sequence[Example]) -> dict[str, dict[str, list[int]]]:
    """Positions of examples, controls counted on after them, by grouping and group; groups are sorted.

    Controls stand only under `slice` and `control`.
    """
    everything = [*examples, *controls]
    taken = {*_MAIN, "slice", "control"}
    tags = dict.fromkeys(tag for example in examples for tag in example.tags if tag not in taken)
    main = {**_MAIN, **{tag: _tag(tag) for tag in tags}, **_open_groupings(examples)}
    parts = {"slice": _parts(everything, lambda e: e.slice)}
    parts |= {name: _parts(examples, key) for name, key in main.items()}
    kinds = _parts(controls, lambda e: e.control.kind if e.control else "none")
    parts["control"] = {kind: [len(examples) + i for i in members] for kind, members in kinds.items()}
    return parts


def pick(groupings: Mapping[str, T], name: str) -> T:
    """One of the groupings, by the name that a user wrote."""
    if name not in groupings:
        raise UserError(f"No grouping named {name!r} in this suite. {hint_for(name, groupings)}")
    return groupings[name]


def _parts(examples: Sequence[Example], key: ExampleGrouping) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        group = key(example)
        if group is not None:
            parts.setdefault(group, []).append(place)
    return dict(sorted(parts.items()))


def _open_groupings(examples: Sequence[Example]) -> dict[str, ExampleGrouping]:
    """Groupings by what is written freely, where there are few enough values to mean kinds."""
    keys = {key for example in examples for key in _notes(example)}
    found: dict[str, ExampleGrouping] = {
        "document_cue": _common_cue(examples),
        **{f"notes.{key}": _note(key) for key in sorted(keys)},
    }
    return {
        name: grouping
        for name, grouping in found.items()
        if 1 <= len({group for example in examples if (group := grouping(example)) is not None}) <= MANY
    }


def _common_cue(examples: Sequence[Example]) -> ExampleGrouping:
    """By cue, where those of a few examples only are one group."""
    counts = Counter(map(_cue, examples))

    def group(example: Example) -> str | None:
        cue = _cue(example)
        return cue if cue is None or counts[cue] >= FEW else "other"

    return group


def _cue(example: Example) -> str | None:
    """The words that decide in the satisfying document."""
    evidence = example.constraint.evidence if example.constraint else ()
    cues = {one.cue.casefold() for one in evidence if one.document == SATISFYING and one.cue}
    return " + ".join(sorted(cues)) or None


def _notes(example: Example) -> dict[str, str]:
    """Notes of the form `key: value`; the first of a key counts."""
    pairs = [match.groups() for note in example.notes if (match := _NOTE.fullmatch(note))]
    return {key: value for key, value in reversed(pairs)}


def _tag(name: str) -> ExampleGrouping:
    return lambda example: example.tags.get(name)


def _note(key: str) -> ExampleGrouping:
    return lambda example: _notes(example).get(key)
