"""Leans: what shortcuts that are balanced pick in a pair."""

from __future__ import annotations

Lean = tuple[int, ...]
"""For each balanced solver, how often it is right in some pairs less how often it is wrong."""

BALANCED = {
    "position_of_y": "unbalanced_position",
    "fewer_cues": "unbalanced_cues",
    "fewer_negations": "unbalanced_negations",
    "fewer_forms_of_y": "unbalanced_forms",
    "shorter": "unbalanced_length",
}
"""Solvers of the audit that are balanced, and the reason that is given for what is left out."""

NEUTRAL: Lean = (0,) * len(BALANCED)


def add(lean: Lean, other: Lean, times: int = 1) -> Lean:
    """The sum of a lean and a multiple of another."""
    return tuple(one + times * two for one, two in zip(lean, other, strict=True))
