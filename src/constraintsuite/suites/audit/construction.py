"""Shortcuts that a slice has by its very definition: they are shown, with the reason, and are no fault of the build."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.records.examples import MAIN_SLICES, Example, Slice

_OMITTED = "in Omission the satisfying document never mentions Y and the violating one does"
_MATCHED = "in Omission only the violating document holds the words of Y, which stand in the query"
_AFFIRMED = "the idiom excludes nothing, so the document that affirms Y is the right one"
_PLAIN = "the idiom excludes nothing, so plain word matching is right: the control asks whether a model still does it"

BY_CONSTRUCTION: Mapping[Slice, Mapping[str, str]] = {
    "negation_omission": {
        "fewer_y": _OMITTED,
        "more_y": _OMITTED,
        "bm25_negated": _MATCHED,
        "bm25_affirmative": _MATCHED,
        "overlap": _MATCHED,
    },
    "controls_adversarial": {
        "fewer_y": _AFFIRMED,
        "more_y": _AFFIRMED,
        "bm25_negated": _PLAIN,
        "bm25_affirmative": _PLAIN,
        "overlap": _PLAIN,
    },
}


def reason(example: Example, solver: str) -> str:
    """Why `solver` decides this example by construction; empty if it should not."""
    return BY_CONSTRUCTION.get(_kind(example), {}).get(solver, "")


def _kind(example: Example) -> Slice:
    """The slice whose definition an example follows: a non-flip control follows that of its original."""
    if example.suite == "controls_nonflip" and example.control:
        for name in MAIN_SLICES:
            if example.control.of.startswith(f"{name}_"):
                return name
    return example.suite
