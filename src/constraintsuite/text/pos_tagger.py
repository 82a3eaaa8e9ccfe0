"""A small part-of-speech tagger: the dictionary gives the readings of a word, and its neighbours decide between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import log
from typing import NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.text.base import Token
from constraintsuite.text.readings import WordReading, in_dictionary, readings
from constraintsuite.text.wordlists import read_text

START, END = "START", "END"
_FLOOR = log(1e-4)
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_SUBJECT_TAGS = frozenset(("NN", "NNS", "NNP", "PRP", "RB", "WDT", "WP"))
_CLAUSE_TAGS = frozenset((",", ":", ".", "-LRB-", "-RRB-", "CC", "WDT", "WP", "WRB", "PRP", "EX"))
_BEFORE_NOUN = frozenset(("NOUN", "ADJ", "DET", "PROPN", "VERB"))
_BARE_VERBS = frozenset(("VB", "VBG", "VBZ", "VBP"))
_SHORT_RUN = 2
_SHOUTED_WORDS = 0.6
_FUNCTION_WORDS = frozenset(("DET", "ADP", "CCONJ", "SCONJ", "AUX", "PRON", "PART"))


class TagTable(StrictModel):
    """Log-probabilities of tags after each other, and of the tags of words of each kind."""

    transitions: dict[str, dict[str, float]]
    """By the previous tag, then by the tag."""
    kinds: dict[str, dict[str, float]]
    """By the kind of word (see `kind_of`), or `=` and a frequent word, then by the tag; relative to the tag's frequency."""
    provenance: str


class ScoredReadings(NamedTuple):
    """The readings of a word with their scores."""

    readings: tuple[WordReading, ...]
    fit: tuple[float, ...]


def tag_sentence(text: str, spans: Sequence[Span]) -> list[Token]:
    """The tokens of one sentence with part of speech, tag and base form."""
    words = [text[span.start : span.end] for span in spans]
    capitals = capital_modes(words)
    choices = [_choice(word, mode) for word, mode in zip(words, capitals, strict=True)]
    chosen = _one_verb(_best_path(choices), choices)
    return [
        Token(span.start, span.end, word, reading.lemma, pos, reading.tag)
        for span, word, reading, pos in zip(spans, words, chosen, _parts_of_speech(chosen), strict=True)
    ]


def capital_modes(words: Sequence[str]) -> list[str]:
    """What a capital means at each word: a `name`, `maybe` one (the sentence opens), `nothing` (all is shouted)."""
    letters = [word for word in words if word[:1].isalpha()]
    if len(letters) > 1 and sum(map(str.isupper, letters)) > _SHOUTED_WORDS * len(letters):
        return ["nothing"] * len(words)
    modes = []
    opening = True
    for word in words:
        modes.append("maybe" if opening else "name")
        opening = (opening and not word[:1].isalnum()) or word in (":", "(", "“", '"')
    return modes


@lru_cache(maxsize=200_000)
def possible_readings(word: str, capitals: str) -> tuple[WordReading, ...]:
    """The readings of a word, with regard to its capital letter."""
    lower = word.lower()
    found = readings(lower)
    if not word[:1].isupper() or capitals == "nothing" or found[0].pos in _FUNCTION_WORDS:
        return found
    name = WordReading("NNP", "PROPN", word)
    if capitals == "name" or not in_dictionary(lower):
        return (name,)
    return (*found, name) if found[0].pos in ("NOUN", "ADJ") else found


def kind_of(word: str, found: Sequence[WordReading]) -> str:
    """The kind of a word: its possible tags, and for a function word also the word itself."""
    tags = "|".join(sorted({reading.tag for reading in found}))
    return f"{word.lower()}:{tags}" if found[0].pos in _FUNCTION_WORDS else tags


@lru_cache(maxsize=200_000)
def _choice(word: str, capitals: str) -> ScoredReadings:
    found = possible_readings(word, capitals)
    kinds = tag_table().kinds
    fit = kinds.get("=" + word.lower()) or kinds.get(kind_of(word, found), {})
    return ScoredReadings(found, tuple(fit.get(reading.tag, _FLOOR) for reading in found))


def _best_path(choices: Sequence[ScoredReadings]) -> list[WordReading]:
    """The best reading of each word; only runs of words with several readings need a search."""
    chosen: list[WordReading] = []
    run: list[ScoredReadings] = []
    for choice in choices:
        if len(choice.readings) > 1:
            run.append(choice)
            continue
        if run:
            chosen += _resolve(chosen[-1].tag if chosen else START, tuple(run), choice.readings[0].tag)
            run = []
        chosen.append(choice.readings[0])
    if run:
        chosen += _resolve(chosen[-1].tag if chosen else START, tuple(run), END)
    return chosen


def _resolve(before: str, run: tuple[ScoredReadings, ...], after: str) -> list[WordReading]:
    return _search_cached(before, run, after) if len(run) <= _SHORT_RUN else _search(before, run, after)


@lru_cache(maxsize=200_000)
def _search_cached(before: str, run: tuple[ScoredReadings, ...], after: str) -> list[WordReading]:
    return _search(before, run, after)


def _search(before: str, run: Sequence[ScoredReadings], after: str) -> list[WordReading]:
    """The best readings of a run between two known tags, by the Viterbi algorithm."""
    steps = tag_table().transitions
    first = steps.get(before, {})
    scores = [first.get(one.tag, _FLOOR) + fit for one, fit in zip(run[0].readings, run[0].fit, strict=True)]
    pointers: list[list[int]] = []
    for left, right in pairwise(run):
        rows = [steps.get(reading.tag, {}) for reading in left.readings]
        fresh, back = [], []
        for reading, fit in zip(right.readings, right.fit, strict=True):
            ways = [score + row.get(reading.tag, _FLOOR) for score, row in zip(scores, rows, strict=True)]
            best = max(ways)
            fresh.append(best + fit)
            back.append(ways.index(best))
        pointers.append(back)
        scores = fresh
    if after != END:
        tails = (steps.get(reading.tag, {}).get(after, _FLOOR) for reading in run[-1].readings)
        scores = [score + tail for score, tail in zip(scores, tails, strict=True)]
    at = scores.index(max(scores))
    path = [run[-1].readings[at]]
    for choice, back in zip(reversed(run[:-1]), reversed(pointers), strict=True):
        at = back[at]
        path.append(choice.readings[at])
    path.reverse()
    return path


def _one_verb(chosen: list[WordReading], choices: Sequence[ScoredReadings]) -> list[WordReading]:
    """Correct clauses without exactly one finite verb: a participle becomes a past tense, or a second verb a noun."""
    start = 0
    for end in range(len(chosen) + 1):
        if end == len(chosen) or chosen[end].tag in _CLAUSE_TAGS or chosen[end].pos == "SCONJ":
            finite = [at for at in range(start, end) if chosen[at].tag in _FINITE]
            if not finite or (
                start > 0 and chosen[start - 1].tag in ("WDT", "WP") and _opens_with_vbn(chosen[start:end])
            ):
                _find_past(chosen, choices, start, end)
            doubtful = [at for at in finite if at > start and _may_be_noun(chosen, at)]
            for at in dict.fromkeys([*finite[1:], *doubtful]):
                noun = next((reading for reading in choices[at].readings if reading.pos == "NOUN"), None)
                object_follows = at + 1 < len(chosen) and chosen[at + 1].pos in ("DET", "PRON", "NUM")
                if noun is not None and not object_follows and chosen[at - 1].pos in _BEFORE_NOUN:
                    chosen[at] = noun
            start = end + 1
    return chosen


def _may_be_noun(chosen: Sequence[WordReading], at: int) -> bool:
    """Whether another verb stands right beside a finite one: "the offer was withdrawn", "help guests park"."""
    after = chosen[at + 1].tag if at + 1 < len(chosen) else ""
    article = chosen[at - 1].lemma in ("the", "a")
    singular = chosen[at - 1].tag in ("NN", "NNP") and after == "VBN"  # the support meant for them
    plain = chosen[at].tag == "VBP" and chosen[at].pos == "VERB"
    before_verb = plain and (after in _FINITE or article or singular)
    return before_verb or (chosen[at].tag == "VBZ" and chosen[at - 1].tag in _BARE_VERBS)


def _opens_with_vbn(chosen: Sequence[WordReading]) -> bool:
    """Whether the first verb of a relative clause was read as a participle."""
    return next((reading.tag for reading in chosen if reading.pos in ("VERB", "AUX")), "") == "VBN"


def _find_past(chosen: list[WordReading], choices: Sequence[ScoredReadings], start: int, end: int) -> None:
    for at in range(start + 1, end):
        present = next((reading for reading in choices[at].readings if reading.tag == "VBZ"), None)
        singular = chosen[at - 1].tag in ("NN", "NNP") and at + 1 < end and chosen[at + 1].pos in _BEFORE_NOUN
        if present is not None and chosen[at].tag == "NNS" and singular and start == 0:
            chosen[at] = present
            return
        past = next((reading for reading in choices[at].readings if reading.tag == "VBD"), None)
        if past is not None and chosen[at].tag == "VBN" and chosen[at - 1].tag in _SUBJECT_TAGS:
            chosen[at] = past
            return


def _describes(chosen: Sequence[WordReading], at: int) -> bool:
    """Whether participles from `at` on describe a noun: these specialised conducting tissues."""
    while at < len(chosen) and chosen[at].tag in ("VBN", "VBG"):
        at += 1
    return at < len(chosen) and chosen[at].pos == "NOUN"


def _parts_of_speech(chosen: Sequence[WordReading]) -> list[str]:
    """Universal parts of speech; the next words decide between determiner and pronoun, and between auxiliary and verb."""
    parts = [reading.pos for reading in chosen]
    for index, reading in enumerate(chosen):
        if reading.pos == "AUX" and reading.lemma in ("have", "do"):
            rest = (one.tag for one in chosen[index + 1 : index + 6] if one.pos not in ("ADV", "PART", "PRON"))
            if next(rest, "") != ("VBN" if reading.lemma == "have" else "VB"):
                parts[index] = "VERB"
        elif reading.tag == "DT" and reading.lemma not in ("the", "a", "no", "every"):
            following = parts[index + 1] if index + 1 < len(parts) else ""
            described = following == "VERB" and _describes(chosen, index + 1)
            parts[index] = "DET" if described or following in ("NOUN", "PROPN", "ADJ", "NUM", "DET") else "PRON"
    return parts


@cache
def tag_table() -> TagTable:
    """The file `tags.json`; `benchmarks/tag_table.py` makes it."""
    return TagTable.model_validate(json.loads(read_text("tags.json")))
