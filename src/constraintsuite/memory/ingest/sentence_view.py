"""The parts of a sentence: conditions and exceptions, the main clause, and its command or predicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from constraintsuite.core.records.text import Span
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.text.base import Scope
from constraintsuite.text.linear import LinearSentence
from constraintsuite.text.polarity import judge_mention
from constraintsuite.text.readings import readings
from constraintsuite.text.sentence import QUOTES, Sentence

StretchKind = Literal["condition", "exception"]


@dataclass(frozen=True, slots=True)
class SentenceStretch:
    """A condition or exception: tokens `first` up to, not including, `last`; the cue comes before them."""

    kind: StretchKind
    cue: int
    first: int
    last: int


def _find_stretches(sentence: Sentence) -> list[SentenceStretch]:
    """Find the conditions and exceptions of a sentence, in order; they do not overlap."""
    found: list[SentenceStretch] = []
    reach = LinearSentence(sentence.tokens)
    for at, kind, after in _cues(sentence, reach):
        if found and at < found[-1].last:
            continue
        nominal = sentence.words[after - 1] in ("on", "upon", "of")
        last = max(reach.phrase_end(after, loose=True) if nominal else reach.clause_end(after), after)
        if sentence.word(after) == "as":  # except as set out in 4.2, ...
            last = max(last, reach.clause_end(after + 1))
        found.append(SentenceStretch(kind, at, after, last if nominal else _to_comma(sentence, at, last)))
    return found


def _to_comma(sentence: Sentence, cue: int, last: int) -> int:
    """Extend a condition at the start of a sentence to its comma, even if a second verb seems to begin a clause."""
    opening = cue == 0 or sentence.is_hard(cue - 1)
    if not opening or last >= sentence.length or sentence.is_hard(last) or sentence.words[last] == ",":
        return last
    comma = sentence.find(frozenset(","), last, sentence.length)
    return comma if comma > 0 else last


def _cues(sentence: Sentence, reach: LinearSentence) -> Iterator[tuple[int, StretchKind, int]]:
    """Yield position, kind and end of each cue."""
    for at, word in enumerate(sentence.words):
        for phrase, kind in _phrases().get(word, ()):
            after = at + len(phrase)
            if sentence.words[at:after] == phrase and _is_cue(sentence, reach, at, after):
                yield at, kind, after
                break


@cache
def _phrases() -> Mapping[str, Sequence[tuple[tuple[str, ...], StretchKind]]]:
    """Return the cue phrases by their first word, longer ones first."""
    kinds: dict[tuple[str, ...], StretchKind] = dict.fromkeys(word_lists().conditions, "condition")
    kinds |= dict.fromkeys(word_lists().exceptions, "exception")
    found: dict[str, list[tuple[tuple[str, ...], StretchKind]]] = defaultdict(list)
    for phrase in sorted(kinds, key=len, reverse=True):
        found[phrase[0]].append((phrase, kinds[phrase]))
    return dict(found)


def _is_cue(sentence: Sentence, reach: LinearSentence, at: int, after: int) -> bool:
    word, before = sentence.words[at], sentence.word(at - 1)
    if word in ("if", "when", "where"):
        opens = word != "where" or _opens_where(sentence, reach, at)
        return opens and before != "even" and not _is_asked(sentence, at)
    if word in ("once", "after"):
        return _opens_clause(sentence, reach, at, after)
    if word == "on" and after == at + 1:  # on request; on late payment
        head = next((place for place in (after, after + 1) if sentence.word(place) in word_lists().events), -1)
        return at == 0 and head >= 0
    if word == "should":  # should the goods be late
        return at == 0 and sentence.pos(after) in ("DET", "PRON", "PROPN", "NOUN", "ADJ")
    if word == "provided":
        return before in ("", ",", ";", "(", "and") or after > at + 1
    if word == "excluding":
        return before in ("", ",", "(")
    return True


def _is_asked(sentence: Sentence, at: int) -> bool:
    """Whether the clause is what someone asks or knows: check if, the date when, ask the driver where."""
    lists = word_lists()
    if {sentence.word(at - 1), sentence.lemma(at - 1)} & (lists.asking | lists.pointed):
        return True
    return any(sentence.lemma(place) in lists.asking_someone for place in range(max(at - 4, 0), at - 1))


def _opens_where(sentence: Sentence, reach: LinearSentence, at: int) -> bool:
    if at == 0 or sentence.words[at - 1] in (",", "(", ";", "and"):
        return True
    return not sentence.is_verb(at - 1) and reach.starts_clause(at + 1)


def _opens_clause(sentence: Sentence, reach: LinearSentence, at: int, after: int) -> bool:
    """Whether "once" or "after" opens a clause or names a step.

    Not "once a year", not "10 days after delivery", not "Mondays after a holiday are busy".
    """
    if at and (sentence.pos(at - 1) == "NUM" or sentence.lemma(at - 1) in ("day", "week", "month", "hour", "year")):
        return False
    if sentence.word(after) in ("step", "steps", "clause", "section") or sentence.tag(after) in ("VBG", "VBN"):
        return True
    can_open = at == 0 or any(sentence.is_verb(place) for place in range(at)) or sentence.word(at - 1) == ","
    return can_open and reach.starts_clause(after)


class Predicate(NamedTuple):
    """The word that says what is, or what is done."""

    place: int
    modal: str
    """The auxiliary verb before it, in lower case; `must` for "is to"."""


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence with its parts, for the rules that read it."""

    sentence: Sentence
    scopes: tuple[Scope, ...]
    """Negated and affirmed scopes; uncertain ones are left out."""
    stretches: tuple[SentenceStretch, ...]
    main: tuple[int, ...]
    """Positions of the tokens outside of every condition and exception."""
    command: int
    """The position of the verb of a command; -1 if the sentence is none."""
    predicates: tuple[Predicate, ...]
    """In order; a title has none."""


def view_sentence(sentence: Sentence, scopes: Sequence[Scope]) -> SentenceView:
    """Find the parts of a sentence."""
    stretches = tuple(_find_stretches(sentence))
    taken = {place for one in stretches for place in range(one.cue, one.last)}
    main = tuple(place for place in range(sentence.length) if place not in taken)
    kept = tuple(scope for scope in scopes if scope.kind != "uncertain")
    command = _command(sentence, main)
    predicates = ((Predicate(command, ""),) if command >= 0 else ()) + tuple(_predicates(sentence, main, command))
    return SentenceView(sentence, kept, stretches, main, command, predicates)


def is_negated(view: SentenceView, place: int) -> bool:
    """Whether the word at a position is negated."""
    return judge_mention(span_of(view.sentence, place), view.scopes).verdict == "negated"


def span_of(sentence: Sentence, place: int) -> Span:
    """Return the characters of the word at a position."""
    return Span(sentence.tokens[place].start, sentence.tokens[place].end)


def _command(sentence: Sentence, main: Sequence[int]) -> int:
    """Return the position of the verb with which a command begins, or -1."""
    at = 0
    while at < len(main) and (
        sentence.word(main[at]) in QUOTES | word_lists().openers | {",", ":", "("} or _is_adverb(sentence, main[at])
    ):
        at += 1
    if at < len(main) and sentence.word(main[at]) == "do" and sentence.word(main[at] + 1) in ("not", "n't"):
        at += 2
    while at < len(main) and sentence.word(main[at]) in ("never", "not", "n't"):
        at += 1
    if at >= len(main):
        return -1
    place = main[at]
    is_verb = any(reading.tag == "VB" for reading in readings(sentence.word(place)))
    is_past = sentence.tag(place) in ("VBD", "VBN")
    return place if is_verb and not is_past and _looks_commanded(sentence, place) else -1


def _is_adverb(sentence: Sentence, place: int) -> bool:
    return sentence.pos(place) == "ADV" and sentence.word(place).endswith("ly")


def _looks_commanded(sentence: Sentence, place: int) -> bool:
    after = place + 1
    if sentence.is_helper(place) and sentence.word(place) not in ("be", "have", "do"):
        return False
    if sentence.word(after) in ("not", "n't") or sentence.word(place) in ("see", "note"):
        return False  # rent not paid; see step 4
    if sentence.pos(place) == "NOUN" and sentence.is_nominal(after) and sentence.tokens[place].text.islower():
        return False  # owner: team Heron
    if sentence.word(after) in QUOTES | {"`", "that", "whether", "if", "every", "all", "any", "each"}:
        return True
    if sentence.pos(after) in ("DET", "PRON") and not sentence.is_finite(after):
        return True
    if sentence.pos(place) == "ADJ" and sentence.pos(after) == "NOUN":
        return False
    if sentence.is_hard(after) or sentence.is_finite(after):
        return False
    return not LinearSentence(sentence.tokens).starts_clause(place)


def _predicates(sentence: Sentence, main: Sequence[int], command: int) -> Iterator[Predicate]:
    """Yield the word after the first finite verb group, and after each further modal verb."""
    first = command < 0
    for finite in main:
        if not sentence.is_finite(finite) or _in_relative(sentence, finite) or finite == command:
            continue
        if first or (sentence.tag(finite) == "MD" and finite > command):
            yield _predicate_after(sentence, finite)
        first = False


def _predicate_after(sentence: Sentence, finite: int) -> Predicate:
    modal, place = "", finite
    if sentence.tag(finite) == "MD":
        modal, place = sentence.words[finite], finite + 1
    elif sentence.words[finite] in ("need", "needs", "has", "have") and sentence.word(finite + 1) in ("to", "not"):
        modal, place = sentence.words[finite], finite + 2
    elif sentence.lemma(finite) == "be" and "to" in (sentence.word(finite + 1), sentence.word(finite + 2)):
        infinitive = finite + 2 if sentence.word(finite + 1) == "to" else finite + 3
        if sentence.word(infinitive - 2) in ("not", sentence.words[finite]) and sentence.tag(infinitive) == "VB":
            modal = "must"  # the keys are not to be copied
    while place < sentence.length and (sentence.is_helper(place) or sentence.pos(place) in ("ADV", "PART")):
        place += 1
    if place >= sentence.length or sentence.is_hard(place):
        return Predicate(finite, modal)
    if sentence.pos(place) in ("DET", "ADP", "PRON", "NUM", "PUNCT", "SCONJ"):
        place = max(finite, place - 1)
    return Predicate(place, modal)


def _in_relative(sentence: Sentence, place: int) -> bool:
    """Whether a finite verb is in a relative clause: "goods that are late shall be ..."."""
    before = sentence.skip_adverbs_back(place - 1)
    return sentence.word(before) in ("that", "which", "who") and sentence.is_nominal(before - 1)
