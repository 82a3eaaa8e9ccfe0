"""Say which event a date dates, and whose: the verb that the date belongs to, and its subject.

The small tagger of the package gives parts of speech; there is no parser. So `event` and `of` help to choose between the dates of a
text and are no proof. `docs/values-dates.md` says how often they are right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from constraintsuite.core.records.text import Span
from constraintsuite.text.base import Token
from constraintsuite.text.dates.clauses import DatedClause
from constraintsuite.text.dates.lives import event_of_life, work_of_year
from constraintsuite.text.dates.record import Date
from constraintsuite.text.dates.words import event_of_noun
from constraintsuite.text.dates.years import WINDOW, dated_noun
from constraintsuite.text.pos_tagger import tag_sentence
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.tokens import find_tokens

_LONGEST_SENTENCE = 1500


def add_events(text: str, dates: Sequence[Date]) -> list[Date]:
    """The dates with event and `of`; they stay empty in sentences that are too long to be sentences."""
    done: list[Date] = []
    spans = iter(split_sentences(text) if dates else ())
    span, tokens = Span(0, 0), None
    for one in dates:
        while one.start >= span.end:
            span, tokens = next(spans), None
        if span.end - span.start > _LONGEST_SENTENCE:
            done.append(one)
            continue
        if tokens is None:
            tokens = tag_sentence(text, find_tokens(text, span))
        done.append(_with_event(text, span, tokens, one))
    return done


def _with_event(text: str, span: Span, tokens: Sequence[Token], one: Date) -> Date:
    event, place = event_of_life(text, one.start, one.end)
    if event:
        return replace(one, event=event, of=_name_before(text[span.start : place]))
    event, title = work_of_year(text, one.start, one.end)
    if event:
        return replace(one, event=event, of=title)
    clause = DatedClause(text, tokens, one.start, one.end)
    found = _event_of_noun(text, clause, one)
    if found is not None:  # "inspired by the 1959 film" bounds another event
        return replace(one, event=found[0], of=found[1], bound="")
    event, of = _event_of_verb(clause)
    return replace(one, event=event, of=of)


def _event_of_noun(text: str, clause: DatedClause, one: Date) -> tuple[str, str] | None:
    """A year before a noun: a 2002 film was released in 2002."""
    if not clause.is_attribute() and _DETERMINED.search(text, max(0, one.start - 30), one.start) is None:
        return None
    right = text[one.end : one.end + WINDOW]
    found = dated_noun(right)
    copula = clause.copula_before()
    if found is None:
        return (
            ("be", clause.noun_after() if copula is None else clause.subject(copula)) if clause.is_attribute() else None
        )
    noun, end = found
    title = _TITLE.match(right, end)
    if title:
        return event_of_noun()[noun], title.group(1)
    return event_of_noun()[noun], clause.subject(copula) if copula is not None else right[:end].strip()


def _event_of_verb(clause: DatedClause) -> tuple[str, str]:
    verb = clause.find_verb()
    return ("", "") if verb is None else (clause.lemma(verb), clause.thing(verb))


_DETERMINED = re.compile(r"\b(?:the|an?|his|her|its|their|our|this|[\w]+['’]s)\s{1,3}(?:[a-z]+\s)?$", re.IGNORECASE)
_TITLE = re.compile(r"\s?,?\s?[\"“]\s?([^\"”]{1,80}?)[,.]?\s?[\"”]")
_SENTENCE_SO_FAR = re.compile(
    r"\b(?:is|was|were|are|has|had|met|married|by|with|son|daughter|widow|wife|husband|brother|sister|and|than|when)\s"
)
_NAME = re.compile(
    r"(?:(?:[^\W\d_a-z][\w.'’-]*|of|the|de|da|di|del|du|van|von|der|la|le|al|bin|ibn|y|\d+(?:st|nd|rd|th)|[\"“”,])[\s-]{0,2}){1,12}$"
)
_LEADING = re.compile(r"^(?:of|the|and|[\s,\"“”])+\s?")


def _name_before(left: str) -> str:
    """The name before a bracket: all of the sentence so far, or its last phrase if the sentence says more."""
    name = left.strip()
    if len(name) < 70 and not _SENTENCE_SO_FAR.search(name):
        return name
    found = _NAME.search(name[-70:])
    return _LEADING.sub("", found.group()).strip() if found else ""
