"""Other orders of the same words that certainly mean the same, and that a person could have written."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from constraintsuite.core.records.examples import MINPAIRS, Example
from constraintsuite.core.records.text import Span
from constraintsuite.suites.controls.rewrites import Piece, Rewritten, RewrittenExample, exchange, recased
from constraintsuite.suites.word_lists import guard_words
from constraintsuite.text.inflection import get_all_lemmas
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.terms import TermAnalyser, words

Moves = dict[str, Rewritten]
"""Reordered texts by a label that names the moved words."""


def rewrite(example: Example, rng: random.Random) -> RewrittenExample | None:
    """One move in each document that allows one, in a minimal pair the same in both; or one in the topic of the query."""
    variant = _rewrite_topic(example, rng)
    if variant is not None and rng.random() < 0.5:
        return variant
    return _rewrite_documents(example, rng) or variant


def find_moves(text: str) -> Moves:
    """Every safe move in a text."""
    return {label: move for label, move in _moves(text) if move.text != text}


def _moves(text: str) -> Iterator[tuple[str, Rewritten]]:
    sentences = split_sentences(text)
    yield from find_sentences(text, sentences)
    for sentence in sentences:
        if _free_of_cues(sentence.of(text)):
            yield from find_adverbials(text, sentence)
            yield from find_conjuncts(text, sentence)


def _rewrite_documents(example: Example, rng: random.Random) -> RewrittenExample | None:
    good, bad = find_moves(example.satisfying.text), find_moves(example.violating.text)
    if example.slice == MINPAIRS:
        shared = sorted(good.keys() & bad.keys())
        labels = [rng.choice(shared)] * 2 if shared else []
    else:
        labels = [rng.choice(sorted(moves)) if moves else "" for moves in (good, bad)]
    if not any(labels):
        return None
    note = "word_order: " + "; ".join(dict.fromkeys(label for label in labels if label))
    return RewrittenExample(note, satisfying=good.get(labels[0]), violating=bad.get(labels[1]))


def _rewrite_topic(example: Example, rng: random.Random) -> RewrittenExample | None:
    """The conjuncts of the topic exchanged: "hotels for couples and families without a pool"."""
    old, opposite = example.topic or "", example.opposite or ""
    moves = dict(find_conjuncts(old, Span(0, len(old))))
    if not moves or not (example.query.startswith(old) and opposite.startswith(old)):
        return None
    label = rng.choice(sorted(moves))
    topic, end = moves[label].text, len(old)
    return RewrittenExample(f"word_order: query {label}", topic + example.query[end:], topic + opposite[end:], topic)


def _free_of_cues(sentence: str) -> bool:
    """Whether a sentence has no negation cue, whose scope a move could change."""
    lists = guard_words()
    tokens = words(sentence.replace("’", "'"))
    return not any(
        token in lists["cues"] or token in lists["cue_parts"] or token.endswith(("n't", "less")) for token in tokens
    )


_TIED = re.compile(r"\b(?:respectively|former|latter|first|then)\b")


def find_conjuncts(text: str, sentence: Span) -> Iterator[tuple[str, Rewritten]]:
    """The exchanges of conjuncts in one sentence, each with a label."""
    if _TIED.search(text, sentence.start, sentence.end):
        return
    for pattern, fit in _patterns():
        for found in pattern.finditer(text, sentence.start, sentence.end):
            a, b = found.group("a"), found.group("b")
            if a != b and not {f"{a} {b}", f"{b} {a}"} & guard_words()["binomials"] and fit(a, b):
                label = f"{a!r} and {b!r} exchanged"
                yield label, exchange(text, Span(*found.span("a")), Span(*found.span("b")))


class _Pattern(NamedTuple):
    pattern: re.Pattern[str]
    fit: Callable[[str, str], bool]


@cache
def _patterns() -> tuple[_Pattern, ...]:
    verbs, linking = ("|".join(sorted(guard_words()[name])) for name in ("verbs_with_objects", "linking_verbs"))
    two = r"(?P<a>[a-z]{3,})\sand\s(?P<b>[a-z]{3,})"
    stop = r"(?=[.,;:!?)]|$)"
    goes_on = r"(?=[.,;:!?)]|$|\s(?:in|on|at|by|to|for|from|is|are|was|were|under|beside|behind|until|over)\b)"
    name = r"[A-Z][\w’'-]*\.?(?:\s[A-Z][\w’'-]*\.?)*\s[A-Z][\w’'-]*\w"
    sources = (
        (rf"\b(?:with|of|from|for|between|in|on|by|into|through)\s{two}{goes_on}", _plain_nouns),
        (rf"\b(?:{verbs})\s{two}{stop}", _plain_nouns),
        (rf"\b[a-z]{{3,}},\s{two}{stop}", _plain_nouns),
        (rf"\b(?:{linking})\s{two}{stop}", _plain_adjectives),
        (rf"\b{two}(?=\sby\b)", _exchangeable),
        (
            rf"\b(?:by|starring|stars|star|featuring|features|between)\s(?:{name},\s)*"
            rf"(?P<a>{name}),?\sand\s(?P<b>{name})(?=[.,;]|$|\s(?:in|is|was|at|on|with|under|from)\b)",
            _names,
        ),
    )
    return tuple(_Pattern(re.compile(source), fit) for source, fit in sources)


def _plain_nouns(a: str, b: str) -> bool:
    """Whether neither can be a verb that continues the sentence ("with salt and serve") or a modifier."""
    if {a, b} & guard_words()["not_conjuncts"]:
        return False
    first = readings(a)
    return "NOUN" in first and "ADJ" not in first and readings(b) == {"NOUN"}


def _plain_adjectives(a: str, b: str) -> bool:
    if {a, b} & guard_words()["not_conjuncts"]:
        return False
    return "ADJ" in readings(a) and "ADJ" in readings(b)


def _exchangeable(a: str, b: str) -> bool:
    return {a, b} <= guard_words()["exchangeable"]


def _names(a: str, b: str) -> bool:
    return not a.endswith(("'s", "’s")) and not b.endswith(("'s", "’s"))


@cache
def readings(word: str) -> frozenset[str]:
    """The parts of speech that a dictionary gives for a word: NOUN, VERB, ADJ, ..."""
    return frozenset(get_all_lemmas(word))


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


def find_adverbials(text: str, sentence: Span) -> Iterator[tuple[str, Rewritten]]:
    """The moves of adverbials in one sentence, each with a label."""
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
    """From "In 1952, it was released." to "It was released in 1952."; the main clause begins at `main`."""
    moved, clause = Span(sentence.start, main - 2), Span(main, sentence.end - 1)
    if _plain_clause(clause.of(text)):
        yield f"{moved.of(text)!r} moved to the end", _rejoin(text, sentence, clause, " ", moved)


def _to_the_start(text: str, sentence: Span, moved: Span) -> Iterator[tuple[str, Rewritten]]:
    """From "It was released in 1952." to "In 1952, it was released."."""
    clause = Span(sentence.start, moved.start - 1)
    lists = guard_words()
    tokens = words(clause.of(text))
    if not _plain_clause(clause.of(text)) or tokens[0] not in lists["clause_starts"]:
        return
    if tokens[-1].isdigit() or tokens[-1] in lists["before_adverbials"] | lists["auxiliaries"]:
        return
    yield f"{moved.of(text)!r} moved to the start", _rejoin(text, sentence, moved, ", ", clause)


def _rejoin(text: str, sentence: Span, first: Span, link: str, second: Span) -> Rewritten:
    """The text with the two parts of a sentence in this order, the first with a capital."""
    one, two, end = first.of(text), second.of(text), sentence.end - 1
    pieces = (
        Piece(text[: sentence.start], 0),
        Piece(recased(one[0], str.upper) + one[1:], first.start),
        Piece(link),
        Piece(recased(two[0], str.lower) + two[1:], second.start),
        Piece(text[end:], end),
    )
    return Rewritten(tuple(piece for piece in pieces if piece.text))


def _plain_clause(clause: str) -> bool:
    """Whether the clause has one verb, so an adverbial belongs to it in any position."""
    lists = guard_words()
    tokens = words(clause)
    if not 3 <= len(tokens) <= 16 or re.search(r"[,;:()\[\]\"“”—–?!/]|\s-\s|\b\d{4}\b|\.$", clause):
        return False
    if re.search(r"\bto (?!the |a |an |his |her |its |their |[A-Z])", clause):  # "to" may open a second verb
        return False
    if any(token in lists["subordinators"] or token.endswith("ing") for token in tokens):
        return False
    verbs = [at for at, token in enumerate(tokens) if token not in lists["auxiliaries"] and _verb_like(token)]
    loose = [at for at in verbs if not lists["auxiliaries"].intersection(tokens[max(0, at - 2) : at])]
    if any(tokens[at] in lists["participles"] for at in loose):
        return False
    return len(verbs) <= 1 and not (loose and lists["auxiliaries"].intersection(tokens))


def _verb_like(token: str) -> bool:
    return token.endswith("ed") or token in guard_words()["participles"] or readings(token) == {"VERB"}


_ELLIPSIS = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?: not|n['’]t)?[,.;:!?]")
_DEFINITION = re.compile(r"\b(?:is|are|was|were) an?\b")
_TERMS = TermAnalyser()
_QUOTED = re.compile(r"[:\"“”…]")


def find_sentences(text: str, sentences: Sequence[Span]) -> Iterator[tuple[str, Rewritten]]:
    """The exchanges of two sentences, except the first two, if the next sentence does not depend on their order."""
    for index in range(2, len(sentences) - 1):
        one, two = sentences[index], sentences[index + 1]
        following = sentences[index + 2 : index + 3]
        if _independent(one.of(text), two.of(text)) and all(_stands_alone(span.of(text)) for span in following):
            yield f"sentences {index + 1} and {index + 2} exchanged", exchange(text, one, two)


def _independent(one: str, two: str) -> bool:
    """Whether both are descriptions, neither refers to the other, and they share no content word."""
    statives = guard_words()["statives"]
    for sentence in (one, two):
        if not _stands_alone(sentence) or _DEFINITION.search(sentence) or not statives.intersection(words(sentence)):
            return False
    return not set(_TERMS.terms(one)) & set(_TERMS.terms(two))


def _stands_alone(sentence: str) -> bool:
    lists = guard_words()
    tokens = words(sentence)
    return (
        len(tokens) >= 4
        and sentence[-1] == "."
        and tokens[0] not in lists["opening"]
        and not lists["leaning"].intersection(tokens)
        and not _QUOTED.search(sentence)
        and not _ELLIPSIS.search(sentence)
    )
