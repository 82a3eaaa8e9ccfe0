"""Idioms with a negation word that excludes nothing, and wordings in which the same cue does exclude."""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from pydantic import BaseModel, ConfigDict, Field, model_validator

from constraintsuite.suites.controls.files import read_data


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Idiom(_Data):
    """A set phrase and queries that hold it."""

    idiom: str
    frames: tuple[str, ...] = Field(min_length=1, max_length=3)


class IdiomCue(_Data):
    """A negation word, its idioms, and how it words a real exclusion (nothing where it cannot)."""

    cue: str
    twins: tuple[str, ...]
    idioms: tuple[Idiom, ...]

    @model_validator(mode="after")
    def _frames_hold_the_cue(self) -> IdiomCue:
        for text in (*self.twins, *(frame for idiom in self.idioms for frame in idiom.frames)):
            if not holds_cue(text, self.cue):
                raise ValueError(f"{text!r} does not hold the cue {self.cue!r}")
        for idiom in self.idioms:
            if not all("affirm" in slots_of(frame) for frame in idiom.frames):
                raise ValueError(f"a frame of {idiom.idiom!r} has no {{affirm}}")
        return self


class Idioms(_Data):
    """The data file."""

    cues: tuple[IdiomCue, ...]

    @model_validator(mode="after")
    def _distinct(self) -> Idioms:
        names = [idiom.idiom for cue in self.cues for idiom in cue.idioms]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"listed twice: {', '.join(twice)}")
        return self


@cache
def idioms() -> Idioms:
    """The idioms of `idioms.yaml`."""
    return read_data("idioms.yaml", Idioms)


def holds_cue(text: str, cue: str) -> bool:
    """Whether the cue stands in the text as a word; "n't" stands at the end of one."""
    pattern = r"n['’]t\b" if cue == "n't" else rf"\b{re.escape(cue)}\b"
    return re.search(pattern, text, re.IGNORECASE) is not None


def slots_of(frame: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(frame) if name}
