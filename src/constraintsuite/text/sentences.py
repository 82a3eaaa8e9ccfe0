"""Split a text into sentences at punctuation marks and line breaks."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet

_CANDIDATE = re.compile(r"""(?:[.!?]+|…)["'”’»)\]]*(?=\s|$|["'”’»)\]])|[。！？]+|\n+|(?<=\s)[•▪◦●](?=\s)""")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_BULLET = re.compile(r"\s*(?:[-*•▪◦●–]\s|\d{1,2}[.)]\s)")
_LAST_WORD = re.compile(r"(?:[^\W\d_]\.)*[\w'’-]*$")
_NUMBERING = re.compile(r"\s*(?:\d{1,2}|[a-zA-Z])$")
_NUMBERED = frozenset(("no", "nos", "p", "pp", "v", "c", "art", "fig", "ch", "sec", "vol"))
_NEXT_WORD = re.compile(r"""\s*["'“‘«(\[]*([\w'’]*)""")
_OPENING, _CLOSING = "([{", ")]}"
_HEADING_CHARACTERS = 50
_BRACKET_CHARACTERS = 300


def split_sentences(text: str) -> list[Span]:
    """The sentences in order, without white space around them; together they cover all other characters."""
    sentences = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        place = PossibleSentenceEnd(text, start, match.start(), match.end())
        if _ends_sentence(place):
            end = match.start() if match.group() in "•▪◦●" else match.end()
            sentences.append(_trim(text, start, end))
            start = end
    sentences.append(_trim(text, start, len(text)))
    return [span for span in sentences if span.start < span.end]


class PossibleSentenceEnd(NamedTuple):
    """A place where a sentence may end: the marks from `at` to `end` in a sentence that began at `start`."""

    text: str
    start: int
    at: int
    end: int


def _ends_sentence(place: PossibleSentenceEnd) -> bool:
    mark = place.text[place.at]
    if mark == "\n":
        return _line_ends(place)
    if mark in "•▪◦●。！？":
        return True
    if _inside_bracket(place):
        return False
    if mark == ".":
        dots = place.text[place.at : place.end].count(".")
        return _period_ends(place) if dots == 1 else not _continues(place)
    return not _continues(place)


def _period_ends(place: PossibleSentenceEnd) -> bool:
    before = place.text[max(place.start, place.at - 40) : place.at]
    word = _LAST_WORD.search(before)
    last = word.group().lower() if word else ""
    following = _next_word(place)
    kinds = _abbreviations()
    if _NUMBERING.fullmatch(place.text[place.start : place.at]) or (last in _NUMBERED and following[:1].isdigit()):
        return False
    if last in kinds.never_final:
        return not following
    if last in kinds.maybe_final or ("." in last and len(last) < 8):
        return not following or (following[:1].isupper() and following.lower() in kinds.starters)
    if len(last) == 1 and last.isalpha() and word and word.group().isupper():
        return not following or following.lower() in kinds.starters or last == "i"
    return not (following[:1].islower() and place.end > place.at + 1 and place.text[place.end - 1] in ")]")


def _line_ends(place: PossibleSentenceEnd) -> bool:
    text, end = place.text, place.end
    if end - place.at > 1 or _BLANK_LINE.match(text, place.at) or _BULLET.match(text, end):
        return True
    line = text[max(text.rfind("\n", 0, place.at), place.start) : place.at].strip()
    following = _next_word(place)
    return len(line) < _HEADING_CHARACTERS and not following[:1].islower() and not line.endswith((",", "-", "–", "—"))


def _continues(place: PossibleSentenceEnd) -> bool:
    return _next_word(place)[:1].islower()


def _next_word(place: PossibleSentenceEnd) -> str:
    match = _NEXT_WORD.match(place.text, place.end)
    return match.group(1) if match else ""


def _inside_bracket(place: PossibleSentenceEnd) -> bool:
    inner = place.text[place.start : place.at]
    depth = sum(inner.count(mark) for mark in _OPENING) - sum(inner.count(mark) for mark in _CLOSING)
    if depth <= 0:
        return False
    rest = place.text[place.at : place.at + _BRACKET_CHARACTERS]
    closing = min((at for mark in _CLOSING if (at := rest.find(mark)) >= 0), default=-1)
    return closing >= place.end - place.at  # a bracket that never closes holds nothing open


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


class Abbreviations(StrictModel):
    """Words whose period may not end a sentence, all in lower case and without their last period."""

    never_final: WordSet
    """Titles and the like: the name still follows."""
    maybe_final: WordSet
    """A sentence may end here; it does if a starter follows."""
    starters: WordSet
    """Words that begin a sentence more often than they follow an abbreviation."""


@cache
def _abbreviations() -> Abbreviations:
    return read_package_yaml(Abbreviations, "constraintsuite.text", "data", "abbreviations.yaml")
