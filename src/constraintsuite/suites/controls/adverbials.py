"""Adverbials of time and subordinate clauses, moved between the two ends of their sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constraintsuite.records.text import Span
from constraintsuite.suites.controls.conjuncts import readings
from constraintsuite.suites.controls.files import guard_words
from constraintsuite.suites.controls.rewriting import Piece, Rewritten, recased
from constraintsuite.text.terms import words

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SEASON = "(?:spring|summer|autumn|winter)"
_PART_OF_DAY = "(?:morning|afternoon|evening)"
_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_ADVERBIAL = rf"""(?:
      [Ii]n\s(?:(?:early|mid|late)\s)?(?:{_MONTH}\s)?\d{{4}}
    | [Ii]n\sthe\s(?:(?:early|mid|late)\s)?\d{{4}}s
    | [Oo]n\s(?:\d{{1,2}}\s{_MONTH}|{_MONTH}\s\d{{1,2}},)\s\d{{4}}
    | [Oo]n\s{_WEEKDAY}(?:s|\s{_PART_OF_DAY}s?)
    | [Ii]n\s(?:the\s)?{_SEASON}
    | [Ii]n\sthe\s{_PART_OF_DAY}s?
    | [Oo]n\s(?:warm|cold|clear|wet|fine|stormy|summer|winter)\s(?:{_PART_OF_DAY}|day|night)s
    | (?:[Ee]very|[Ee]ach)\s(?:year|week|{_SEASON}|{_MONTH}|{_WEEKDAY}|{_PART_OF_DAY})
    | [Aa]t\s(?:night|noon|dawn|dusk|weekends)
    )"""
_LEADING = re.compile(_ADVERBIAL + r",\s", re.VERBOSE)
_TRAILING = re.compile(rf"\s({_ADVERBIAL})\.$", re.VERBOSE)
_CLAUSE_FIRST = re.compile(r"(?:When|If|Once|After|Before|Because)\s[^,;:]+,\s")
_THIRD_PERSON = re.compile(r"\b(?:its?|he|him|his|she|her|they|them|their|this|that|these|those)\b")


def find(text: str, sentence: Span) -> Iterator[tuple[str, Rewritten]]:
    """The moves in one sentence, each with a label."""
    if text[sentence.end - 1] != ".":
        return
    first = _LEADING.match(text, sentence.start, sentence.end)
    if first is not None:
        yield from _to_the_end(text, sentence, first.end())
    clause = _CLAUSE_FIRST.match(text, sentence.start, sentence.end)
    if clause is not None and not _THIRD_PERSON.search(text, clause.end(), sentence.end):
        yield from _to_the_end(text, sentence, clause.end())
    last = _TRAILING.search(text, sentence.start, sentence.end)
    if last is not None:
        yield from _to_the_start(text, sentence, Span(*last.span(1)))


def _to_the_end(text: str, sentence: Span, main: int) -> Iterator[tuple[str, Rewritten]]:
    """ "In 1952, it was released." as "It was released in 1952."; `main` is where the main clause begins."""
    moved, clause = Span(sentence.start, main - 2), Span(main, sentence.end - 1)
    if not _plain_clause(clause.of(text)):
        return
    yield (
        f"{moved.of(text)!r} moved to the end",
        _joined(
            Piece(text[: sentence.start], 0),
            Piece(_large(clause.of(text)), clause.start),
            Piece(" "),
            Piece(_small(moved.of(text)), moved.start),
            Piece(text[sentence.end - 1 :], sentence.end - 1),
        ),
    )


def _to_the_start(text: str, sentence: Span, moved: Span) -> Iterator[tuple[str, Rewritten]]:
    """ "It was released in 1952." as "In 1952, it was released."."""
    clause = Span(sentence.start, moved.start - 1)
    lists = guard_words()
    tokens = words(clause.of(text))
    if not _plain_clause(clause.of(text)) or tokens[0] not in lists.clause_starts:
        return
    if tokens[-1].isdigit() or tokens[-1] in lists.before_adverbials | lists.auxiliaries:
        return
    yield (
        f"{moved.of(text)!r} moved to the start",
        _joined(
            Piece(text[: sentence.start], 0),
            Piece(_large(moved.of(text)), moved.start),
            Piece(", "),
            Piece(_small(clause.of(text)), clause.start),
            Piece(text[sentence.end - 1 :], sentence.end - 1),
        ),
    )


def _plain_clause(clause: str) -> bool:
    """Whether the clause has one verb, so that an adverbial belongs to that one wherever it stands."""
    lists = guard_words()
    tokens = words(clause)
    if not 3 <= len(tokens) <= 16 or re.search(r"[,;:()\[\]\"“”—–?!/]|\s-\s|\b\d{4}\b|\.$", clause):
        return False
    if re.search(r"\bto (?!the |a |an |his |her |its |their |[A-Z])", clause):  # "to" may open a second verb
        return False
    if any(token in lists.subordinators or token.endswith("ing") for token in tokens):
        return False
    verbs = [at for at, token in enumerate(tokens) if token not in lists.auxiliaries and _verb_like(token)]
    loose = [at for at in verbs if not lists.auxiliaries.intersection(tokens[max(0, at - 2) : at])]
    if any(tokens[at] in lists.participles for at in loose):
        return False
    return len(verbs) <= 1 and not (loose and lists.auxiliaries.intersection(tokens))


def _verb_like(token: str) -> bool:
    return token.endswith("ed") or token in guard_words().participles or readings(token) == {"VERB"}


def _joined(*pieces: Piece) -> Rewritten:
    return Rewritten(tuple(piece for piece in pieces if piece.text))


def _large(text: str) -> str:
    return recased(text[0], str.upper) + text[1:]


def _small(text: str) -> str:
    return recased(text[0], str.lower) + text[1:]
