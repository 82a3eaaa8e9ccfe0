"""Scopes of replacement and comparison: replaced Y by Z, Y's replacement, unlike its sister, which has Y."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import gap_of, is_allowed, is_passive, object_after
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_COMMA = frozenset(",")
_WITH = frozenset(("with", "having", "containing", "featuring", "without"))


def draw_source(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The noun right after the cue, without its modifiers: switched from Y to Z."""
    yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)


def draw_replace(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The replaced thing: the object, or the subject of a passive. The replacement is not marked."""
    if "way" in sentence.words[cue.first : cue.last] or is_passive(sentence, cue.first):
        found = sentence.subject(cue.first)
    else:
        found = gap_of(cue) or object_after(sentence, cue)
        if cue.first == 0 and gap_of(cue) is None:  # replace the filter once a year
            return
    if found is not None:
        by = is_passive(sentence, cue.first) and sentence.words[cue.last - 1] not in ("by", "with", "to", "for")
        yield ScopePatch(
            found.first, found.last, "uncertain" if by or is_allowed(sentence, cue.first) else cue.kind, cue.rule
        )


def draw_swap(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Swaps Y for Z: Y is negated."""
    found = gap_of(cue) or (sentence.subject(cue.first) if is_passive(sentence, cue.first) else None)
    yield from sentence.mark(cue, found)


def draw_substitute(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Substitutes Z for Y: Y is negated."""
    if sentence.words[cue.last - 1] == "for":
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)


def draw_possessor(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Directed by Y's replacement, Z: Y is negated."""
    found = sentence.noun_before(cue.first - 1)
    if found is not None:
        first = max((at + 1 for at in range(found.first, cue.first) if sentence.pos(at) == "ADP"), default=found.first)
        yield ScopePatch(first, cue.first, cue.kind, cue.rule)


def draw_where(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Where others have Y, this one has none: what the others have."""
    if cue.first and not sentence.is_hard(cue.first - 1):
        return
    verb = sentence.verb_of_subject(cue.last - 1, max(sentence.phrase_end(cue.last - 1), cue.last))
    if verb is not None:
        yield from sentence.predicate(cue, verb, sentence.clause_end(verb))


def draw_comparison(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Unlike Z, which has Y: Z and what is said of it are negated about the subject.

    "Unlike other hotels" names the kind that the subject belongs to; only what is said of the others is negated.
    """
    start = cue.last + 1 if sentence.pos(cue.last) == "ADP" else cue.last
    end = max(sentence.phrase_end(start), sentence.phrase_end(start, loose=True))
    if sentence.word(start) not in word_list("own_kind") or sentence.words[cue.last - 1] == "to":
        yield ScopePatch(start, end, cue.kind, cue.rule)
    while sentence.pos(end) == "ADP" and sentence.words[end] not in _WITH:  # unlike its sister across the road, which
        end = sentence.phrase_end(end + 1)
    closing = sentence.find(_COMMA, end + 1, sentence.length) if sentence.word(end) == "," else -1
    if sentence.word(end + 1) in ("a", "an") and closing > 0 and sentence.starts_clause(closing + 1):
        yield ScopePatch(end + 1, sentence.phrase_end(end + 1), cue.kind, cue.rule)  # unlike his father, a lawyer, he
    clause = end + 1 if sentence.word(end) == "," else end
    clause += sentence.pos(clause) == "ADP" and sentence.word(clause + 1) in RELATIVE  # in which
    if sentence.word(clause) in RELATIVE or sentence.word(clause) == "where" or sentence.tag(end) in ("VBN", "VBG"):
        yield ScopePatch(clause, sentence.clause_end(clause + 1), cue.kind, cue.rule)
    elif sentence.word(end) in _WITH:
        yield ScopePatch(end + 1, sentence.phrase_end(end + 1, loose=True), cue.kind, cue.rule)
