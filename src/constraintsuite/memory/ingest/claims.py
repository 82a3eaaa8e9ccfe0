"""Claims of sentences as sets of stems, amounts and dates, so that two sentences can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import isfinite
from typing import Annotated, Literal, NamedTuple

import Stemmer
from pydantic import BeforeValidator, PlainSerializer

from constraintsuite.memory.ingest.sentence_view import Predicate, SentenceView, is_negated, span_of
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.text.polarity import judge_mention
from constraintsuite.text.sentence import Sentence

_MINUTES: Mapping[str, float] = {"second": 1 / 60, "minute": 1, "hour": 60, "day": 1440, "week": 10080}
_CURRENCIES: Mapping[str, str] = {"$": "usd", "€": "eur", "£": "gbp", "usd": "usd", "eur": "eur", "gbp": "gbp"}
_PERCENT = frozenset(("%", "percent"))
ClaimStance = Literal["required", "barred", "allowed", "optional", "true", "false"]
_CONTENT = frozenset(("NOUN", "PROPN", "ADJ", "VERB"))


class Amount(NamedTuple):
    """A number with its unit; times are in minutes, so 24 hours equal a day."""

    unit: str
    value: float


def _find_amounts(sentence: Sentence, places: Iterable[int]) -> list[Amount]:
    """Return the amounts whose number is at one of these positions."""
    found = []
    for at in places:
        value = _value(sentence, at)
        if value is None or sentence.word(at - 1) == "(":  # thirty (30) days
            continue
        after = at + 1
        if sentence.words[after : after + 1] == ("(",) and sentence.word(after + 2) == ")":
            after += 3
        unit = _unit(sentence, at, after)
        amount = value * _MINUTES.get(unit, 1)
        if unit and isfinite(amount):  # a number of 400 digits is infinite
            found.append(Amount(unit, amount))
    return found


def find_dates(text: str) -> list[str]:
    """Return dates and times of day in a normal form."""
    return [_date(match) for match in _date_pattern().finditer(text)]


@cache
def _date_pattern() -> re.Pattern[str]:
    months = "|".join(word_lists().months)
    return re.compile(
        rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{months})"
        rf"(?:,?\s+(?P<year>\d{{4}}))?|(?P<month2>{months})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?:,?\s+(?P<year2>\d{4}))?|(?P<clock>[0-2]?\d:[0-5]\d|noon|midnight))\b",
        re.IGNORECASE,
    )


def _value(sentence: Sentence, at: int) -> float | None:
    word = sentence.words[at]
    if word in word_lists().numbers:
        return float(word_lists().numbers[word])
    try:
        return float(word.replace(",", "")) if word[:1].isdigit() else None
    except ValueError:
        return None


def _unit(sentence: Sentence, at: int, after: int) -> str:
    if sentence.word(at - 1) in _CURRENCIES:
        return _CURRENCIES[sentence.word(at - 1)]
    word = sentence.word(after)
    if word in _PERCENT:
        return "%"
    if word in _CURRENCIES:
        return _CURRENCIES[word]
    lists = word_lists()
    if word in lists.short_units:
        return lists.short_units[word]
    if word in lists.counted_apart:
        return f"{word} {sentence.lemma(after + 1)}"
    return sentence.lemma(after) if sentence.pos(after) == "NOUN" else ""


def _date(match: re.Match[str]) -> str:
    if match["iso"] or match["clock"]:
        found = (match["iso"] or match["clock"]).lower()
        return {"noon": "12:00", "midnight": "00:00"}.get(found, found.rjust(5, "0"))
    month = word_lists().months.index((match["month"] or match["month2"]).lower()) + 1
    year = match["year"] or match["year2"] or "----"
    return f"{year}-{month:02}-{int(match['day'] or match['day2']):02}"


Stems = Annotated[
    frozenset[str],
    BeforeValidator(lambda stems: stems.split("\n") if isinstance(stems, str) and stems else stems or ()),
    PlainSerializer(lambda stems: "\n".join(sorted(stems)), return_type=str),
]
"""Stored sorted, one stem per line, so that equal claims have equal bytes."""


class Claim(NamedTuple):
    """One sentence as sets of stems; conditions and exceptions are kept apart."""

    nouns: Stems
    """Including adjectives."""
    verbs: Stems
    act: str
    """The stem of the predicate; empty in a title."""
    names: Stems
    """The nouns that are names or codes."""
    subject: Stems
    """The nouns before the predicate; none in a command."""
    denied: Stems
    """The nouns that are negated."""
    condition: Stems
    exception: Stems
    stance: ClaimStance
    amounts: tuple[Amount, ...]
    dates: tuple[str, ...]


def claim_of(view: SentenceView) -> Claim:
    """Return the claim that a sentence makes."""
    sentence = view.sentence
    nouns = [place for place in view.main if _is_content(sentence, place) and not _is_verb(view, place)]
    verbs = [place for place in view.main if _is_verb(view, place)]
    start = view.predicates[0].place if view.predicates else 0
    inside = set(view.main)
    text = " ".join(token.text for place, token in enumerate(sentence.tokens) if place in inside)
    return Claim(
        nouns=_stems(sentence, nouns),
        verbs=_stems(sentence, verbs) | _compounds(sentence, verbs),
        act=_stem_at(sentence, view.predicates[0].place) if view.predicates else "",
        names=_stems(sentence, [place for place in nouns if _is_name(sentence, place)]),
        subject=_stems(sentence, [place for place in nouns if place < start]),
        denied=_stems(sentence, [place for place in nouns if is_negated(view, place)]),
        condition=_stretch_terms(view, "condition"),
        exception=_stretch_terms(view, "exception"),
        stance=next(iter(stances_of(view)), "true"),
        amounts=tuple(_find_amounts(sentence, view.main)),
        dates=tuple(find_dates(text)),
    )


def stances_of(view: SentenceView) -> list[ClaimStance]:
    """Say for each predicate, in order, whether it requires, bars, allows, makes optional, or only states."""
    return [_stance(view, predicate) for predicate in view.predicates]


def _stance(view: SentenceView, predicate: Predicate) -> ClaimStance:
    sentence, place = view.sentence, predicate.place
    lists = word_lists()
    negated = is_negated(view, place) or _denied_before(view, place) or sentence.word(place + 1) == "not"
    word = sentence.words[place]
    if place == view.command:
        return "barred" if negated else "required"
    if word in lists.barred_adjectives:
        return "allowed" if negated else "barred"
    if word in ("permitted", "allowed", "free", "optional"):
        return "barred" if negated else "allowed"
    bound = word in lists.bound_adjectives or sentence.lemma(place) in lists.bound_verbs
    if bound and predicate.modal not in ("may", "can"):
        return "optional" if negated else "required"
    if word in lists.statuses and negated:
        return "false"
    return _modal_stance(view, predicate, negated=negated)


def _modal_stance(view: SentenceView, predicate: Predicate, *, negated: bool) -> ClaimStance:
    modal = predicate.modal
    if modal in ("shall", "must", "should", "ought") or (modal == "will" and _subject_is_agent(view, predicate)):
        return "barred" if negated else "required"
    if modal in ("may", "can", "might", "could"):
        return "barred" if negated else "allowed"
    if modal in ("need", "needs", "has", "have"):
        return "optional" if negated else "required"
    return "false" if negated else "true"


def _denied_before(view: SentenceView, predicate: int) -> bool:
    """Whether "not" is between the auxiliary verb and the predicate, where no scope reached the predicate."""
    sentence = view.sentence
    near = [place for place in view.main if predicate - 3 <= place < predicate]
    denied = any(sentence.words[place] in ("not", "n't", "never") for place in near)
    return denied and judge_mention(span_of(sentence, predicate), view.scopes).rule == "no_cue"


def _subject_is_agent(view: SentenceView, predicate: Predicate) -> bool:
    agents = word_lists().agents
    sentence = view.sentence
    before = [place for place in view.main if place < predicate.place and sentence.pos(place) in ("NOUN", "PROPN")]
    return any(sentence.lemma(place) in agents or sentence.word(place) in agents for place in before[-3:])


def _is_content(sentence: Sentence, place: int) -> bool:
    return (
        sentence.pos(place) in _CONTENT
        and sentence.words[place] not in word_lists().light
        and sentence.lemma(place) not in word_lists().light
    )


def _is_verb(view: SentenceView, place: int) -> bool:
    sentence = view.sentence
    verbal = sentence.pos(place) == "VERB" or any(place == one.place for one in view.predicates)
    return verbal and _is_content(sentence, place)


def _is_name(sentence: Sentence, place: int) -> bool:
    text = sentence.tokens[place].text
    return any(map(str.isdigit, text)) or (sentence.pos(place) == "PROPN" and (place > 0 or text.isupper()))


def _stretch_terms(view: SentenceView, kind: str) -> frozenset[str]:
    sentence = view.sentence
    places = [place for one in view.stretches if one.kind == kind for place in range(one.first, one.last)]
    kept = [place for place in places if _is_content(sentence, place)]
    verbs = [place for place in kept if sentence.pos(place) == "VERB"]
    return _stems(sentence, kept) | _compounds(sentence, verbs)


def _stems(sentence: Sentence, places: Iterable[int]) -> frozenset[str]:
    return frozenset(_stem_at(sentence, place) for place in places)


def _stem_at(sentence: Sentence, place: int) -> str:
    """Return the stem of a word; for a verb the stem of its base form, so "told" equals "tell"."""
    verb = sentence.pos(place) == "VERB" and sentence.lemma(place)
    return stem(sentence.lemma(place) if verb else sentence.words[place])


def _compounds(sentence: Sentence, verbs: Iterable[int]) -> frozenset[str]:
    """Return verbs with their particles as the noun is written: "roll back" gives "rollback"."""
    particles = word_lists().particles
    split = [place for place in verbs if sentence.word(place + 1) in particles]
    return frozenset(stem(sentence.lemma(place) + sentence.word(place + 1)) for place in split)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem that the forms of a word share."""
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")
