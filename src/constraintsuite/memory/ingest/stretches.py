"""The parts of a sentence that say under which condition it holds, and where it does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.text.linear import LinearSentence
from constraintsuite.text.sentence import Sentence

StretchKind = Literal["condition", "exception"]


@dataclass(frozen=True, slots=True)
class SentenceStretch:
    """Tokens `first` up to, not including, `last` of a sentence; the cue stands before them."""

    kind: StretchKind
    cue: int
    first: int
    last: int

    def words(self, sentence: Sentence) -> str:
        """The cue itself."""
        return " ".join(sentence.words[self.cue : self.first])


def find_stretches(sentence: Sentence) -> list[SentenceStretch]:
    """The conditions and exceptions of a sentence, in order; none lies in another."""
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
    """A condition that opens the sentence runs to its comma even where a second verb seems to begin a clause."""
    opening = cue == 0 or sentence.is_hard(cue - 1)
    if not opening or last >= sentence.length or sentence.is_hard(last) or sentence.words[last] == ",":
        return last
    comma = sentence.find(frozenset(","), last, sentence.length)
    return comma if comma > 0 else last


def _cues(sentence: Sentence, reach: LinearSentence) -> Iterator[tuple[int, StretchKind, int]]:
    """Place, kind and end of each cue."""
    for at, word in enumerate(sentence.words):
        for phrase, kind in _phrases().get(word, ()):
            after = at + len(phrase)
            if sentence.words[at:after] == phrase and _is_cue(sentence, reach, at, after):
                yield at, kind, after
                break


@cache
def _phrases() -> Mapping[str, Sequence[tuple[tuple[str, ...], StretchKind]]]:
    """By first word, the longer ones first."""
    lists = word_lists()
    kinds: Sequence[tuple[Iterable[tuple[str, ...]], StretchKind]] = (
        (lists.conditions, "condition"),
        (lists.exceptions, "exception"),
    )
    found: dict[str, list[tuple[tuple[str, ...], StretchKind]]] = defaultdict(list)
    for phrase, kind in sorted(
        ((phrase, kind) for phrases, kind in kinds for phrase in phrases), key=lambda one: -len(one[0])
    ):
        found[phrase[0]].append((phrase, kind))
    return dict(found)


def _is_cue(sentence: Sentence, reach: LinearSentence, at: int, after: int) -> bool:
    word, before = sentence.words[at], sentence.word(at - 1)
    if word in ("if", "when", "where"):
        return (
            before != "even" and not _is_asked(sentence, at) and (word != "where" or _opens_where(sentence, reach, at))
        )
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
    """Whether the clause is what somebody asks or knows: check if, the date when, ask the driver where."""
    lists = word_lists()
    if {sentence.word(at - 1), sentence.lemma(at - 1)} & (lists.asking | lists.pointed):
        return True
    return any(sentence.lemma(place) in lists.asking_someone for place in range(max(at - 4, 0), at - 1))


def _opens_where(sentence: Sentence, reach: LinearSentence, at: int) -> bool:
    if at == 0 or sentence.words[at - 1] in (",", "(", ";", "and"):
        return True
    return not sentence.is_verb(at - 1) and reach.starts_clause(at + 1)


def _opens_clause(sentence: Sentence, reach: LinearSentence, at: int, after: int) -> bool:
    """Whether once (after) opens a clause or names a step.

    Not "once a year", not "10 days after delivery", not "Mondays after a holiday are busy".
    """
    if at and (sentence.pos(at - 1) == "NUM" or sentence.lemma(at - 1) in ("day", "week", "month", "hour", "year")):
        return False
    if sentence.word(after) in ("step", "steps", "clause", "section") or sentence.tag(after) in ("VBG", "VBN"):
        return True
    told = at == 0 or any(sentence.is_verb(place) for place in range(at)) or sentence.word(at - 1) == ","
    return told and reach.starts_clause(after)
