"""A subject named again by a word that says nothing of its own: "Y is something we never use", "Y is not a thing they keep"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from constraintsuite.text.base import ScopeKind
from constraintsuite.text.cues import Cue
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import VERB_GROUP, TokenRange

_DENYING = frozenset(("particle", "verb", "may_not", "gerund"))
_LEADING = frozenset(("DET", "ADJ", "NUM", "ADV", "ADP", "PART"))


class Clause(NamedTuple):
    """What is said of the placeholder."""

    cues: tuple[Cue, ...]
    """The negations on the way to it and in it."""
    verb: int
    """Its main verb; -1 if it has none."""


def draw_placeholder(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """The subject of "is something ...": denied by an odd number of negations, if the verb is one of using or having."""
    for copula in range(1, sentence.length - 2):
        if sentence.lemma(copula) != "be" or sentence.word(copula - 1) == "there":
            continue
        named = _placeholder(sentence, copula + 1)
        subject = sentence.subject(copula) if named >= 0 else None
        if subject is None or subject.last > copula:
            continue
        clause = _clause(sentence, copula, named)
        if len(clause.cues) % 2:
            kind = _kind(sentence, clause, subject)
            yield clause.cues[-1], ScopePatch(subject.first, subject.last, kind, "placeholder")


def _placeholder(sentence: ScopedSentence, start: int) -> int:
    """Where something, one of the things or what stands, if that is all that the copula is followed by; else -1."""
    place = start
    while place < start + VERB_GROUP and (sentence.pos(place) in _LEADING or sentence.word(place) in ("n't", "one")):
        if sentence.word(place) in word_list("placeholders"):
            break
        place += 1
    return place if sentence.word(place) in word_list("placeholders") else -1


def _clause(sentence: ScopedSentence, copula: int, named: int) -> Clause:
    end = sentence.clause_end(named + 1)
    cues = tuple(cue for cue in sentence.cues if copula < cue.first < end and _denies(sentence, cue, end))
    verbs = [at for at in range(named + 1, end) if sentence.pos(at) == "VERB"]
    # "may get", "is used to": helpers may be tagged as verbs; the last of the first group is the main one.
    verb = next((at for at in verbs if not sentence.is_verb(at + 1) and sentence.word(at + 1) != "to"), -1)
    return Clause(cues, verb)


def _denies(sentence: ScopedSentence, cue: Cue, end: int) -> bool:
    """Whether a cue speaks of the placeholder: "never uses", "avoids", and "does without" where nothing follows."""
    if cue.kind != "negated":
        return False
    stranded = cue.draw == "preposition" and (cue.last >= end or sentence.pos(cue.last) in ("ADV", "SCONJ"))
    return cue.draw in _DENYING or stranded


def _kind(sentence: ScopedSentence, clause: Clause, subject: TokenRange) -> ScopeKind:
    """Denied by a verb of using or having, left open by others: "something we never talk about" may well be there."""
    if sentence.word(subject.first) in word_list("definite_determiners"):
        return "uncertain"
    absent = any(cue.draw in ("verb", "preposition") for cue in clause.cues)
    lemma = sentence.lemma(clause.verb)
    plain = lemma in word_list("using_verbs") or lemma in word_list("possession_verbs")
    stranded = sentence.pos(clause.verb + 1) == "ADP" and sentence.word(clause.verb + 1) not in (
        "in",
        "on",
        "at",
        "for",
    )
    return "negated" if absent or (plain and not stranded) else "uncertain"
