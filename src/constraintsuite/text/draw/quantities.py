"""Scopes of negative determiners and pronouns: no Y, nothing with Y, none of them has Y, neither Y nor Z."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.clauses import HORIZON
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import list_end
from constraintsuite.text.draw.denial import denies_presence, deny_from, is_past
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_WITHOUT = frozenset(("without",))


def draw_determiner(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The noun after `no` with coordinated nouns; for a subject also its predicate."""
    start = cue.last
    if sentence.word(start) == ":":
        yield ScopePatch(start + 1, list_end(sentence, start + 1), cue.kind, cue.rule)
        return
    if sentence.is_hard(start) or sentence.word(start) in (",", "-"):
        yield from _predicated(sentence, cue)
        return
    if sentence.words[start - 1] == "single":  # not a single influence
        start -= 1
    end = sentence.phrase_end(start, loose=True)
    if sentence.word(end) in ("until", "till") and is_past(sentence, start, end):  # no bathroom until 1931
        return
    yield ScopePatch(start, end, cue.kind, cue.rule)
    verb = sentence.verb_of_subject(cue.first, end)
    inverted = _inverted_verb(sentence, cue, end)
    if verb is not None and sentence.word(start) == "other" and _compares(sentence, verb):
        return  # no other town has a bigger square
    if verb is not None or inverted is not None:
        yield from deny_from(sentence, cue, verb if verb is not None else inverted or 0)
    else:
        yield from _narrowed(sentence, cue, end)


def _compares(sentence: ScopedSentence, verb: int) -> bool:
    """Whether a predicate compares with the thing at hand, which has what the others have less of."""
    return any(sentence.tag(at) in ("JJR", "RBR") for at in range(verb, sentence.clause_end(verb)))


def _inverted_verb(sentence: ScopedSentence, cue: Cue, end: int) -> int | None:
    """In none of the towns did they find Y; in no other town is there Y: the verb before its subject."""
    if sentence.pos(cue.first - 1) != "ADP" or sentence.clause_start(cue.first) != cue.first - 1:
        return None
    places = range(end, min(sentence.length - 1, end + HORIZON))
    return next((at for at in places if sentence.is_helper(at) and _may_open_subject(sentence, at + 1)), None)


def _may_open_subject(sentence: ScopedSentence, at: int) -> bool:
    return sentence.pos(at) in ("PRON", "DET", "PROPN") or sentence.word(at) == "there"


def _narrowed(sentence: ScopedSentence, cue: Cue, end: int) -> Iterator[ScopePatch]:
    """Modifiers of a negated noun are negated too: no hotel in the town that has Y; no sign, even now, of Y."""
    if sentence.word(end) == ",":
        place = sentence.skip_aside(end)
        if sentence.word(place) == "of" and place > end:
            yield ScopePatch(place + 1, sentence.phrase_end(place + 1, loose=True), cue.kind, cue.rule)
        return
    place = end
    while sentence.pos(place) == "ADP":
        first, place = place, sentence.phrase_end(place + 1)
        inner = sentence.find(_WITHOUT, first, place)
        if inner >= 0:  # no kitchen in the valley without Y
            yield ScopePatch(inner, place, cue.kind, cue.rule)
    if sentence.word(place) in ("that", "who", "which"):
        yield from sentence.predicate(cue, place + 1, sentence.clause_end(place + 1))


def _predicated(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The number of Y was zero."""
    if sentence.lemma(cue.first - 1) == "be":
        yield from sentence.mark(cue, sentence.subject(cue.first))


def draw_pronoun(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Nothing, nobody: the predicate of a subject, else the modifiers."""
    end = cue.last
    if sentence.pos(cue.last) in ("ADP", "ADJ") or sentence.tag(cue.last) == "VBG":
        end = sentence.phrase_end(cue.last + 1, loose=True)
        yield from sentence.predicate(cue, cue.last, end)
    verb = sentence.verb_of_subject(cue.first, end)
    if verb is not None:
        yield from deny_from(sentence, cue, verb)
    elif sentence.word(cue.last) in ("who", "that", "which"):
        yield from sentence.predicate(cue, cue.last + 1, sentence.clause_end(cue.last + 1))


def draw_none(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """None after its topic ("lamps there were none", "Wi-Fi: none") or as a subject."""
    verb = sentence.verb_of_subject(cue.first, cue.last)
    if verb is not None:
        yield from deny_from(sentence, cue, verb)
        if denies_presence(sentence, verb):
            yield from draw_anaphor(sentence, cue)
    elif sentence.lemma(cue.first - 1) == "be" and sentence.word(cue.first - 2) == "there":
        yield ScopePatch(sentence.clause_start(cue.first), cue.first - 2, cue.kind, cue.rule)


def draw_anaphor(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """A timer would spoil the calm, and there isn't one: the subject of the clause before."""
    if not sentence.is_hard(cue.last) and sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ", "VERB", "DET"):
        yield from draw_determiner(sentence, cue)
        return
    if sentence.is_nominal(cue.first - 1):  # lamps there were none
        yield ScopePatch(sentence.clause_start(cue.first), cue.first, cue.kind, cue.rule)
        return
    verb = next((at for at in range(cue.first - 1, -1, -1) if sentence.is_finite(at) or sentence.is_hard(at)), -1)
    if verb >= 0 and sentence.is_finite(verb):
        subject = sentence.subject(verb)
        if subject is not None and sentence.pos(subject.first) == "PRON":  # we had hoped for a pool, but there was none
            subject = sentence.noun_before(_before_break(sentence, cue.first))
        yield from sentence.mark(cue, subject)
    elif sentence.word(cue.first - 1) == ",":  # as for parking, there is none
        yield from sentence.mark(cue, sentence.noun_before(cue.first - 2))


def _before_break(sentence: ScopedSentence, at: int) -> int:
    """The last word of the clause before the one that begins around `at`."""
    place = at - 1
    while place > 0 and sentence.words[place] in ("but", "and", ",", "though", "yet"):
        place -= 1
    return place


def draw_partitive(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """None of the rooms has Y; has none of the Y; not even the oldest guests have seen Y."""
    if sentence.words[cue.first] == "not" and sentence.is_helper(cue.first - 1):  # did not even have Y
        yield from deny_from(sentence, cue, cue.last)
        return
    end = sentence.phrase_end(cue.last)
    verb = sentence.verb_of_subject(cue.first, end)
    inverted = _inverted_verb(sentence, cue, end)
    if inverted is not None:
        yield from deny_from(sentence, cue, inverted)
    elif verb is None:
        yield ScopePatch(cue.last, end, cue.kind, cue.rule)
    else:
        if denies_presence(sentence, verb):
            yield ScopePatch(cue.last, end, cue.kind, cue.rule)
        yield from deny_from(sentence, cue, verb)


def draw_nowhere(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Nowhere will you find Y; Y is nowhere in the recipe; benches everywhere, toilets nowhere."""
    before = cue.first - 1
    if sentence.lemma(before) == "be" or sentence.lemma(before) in word_list("presence_verbs"):
        subject = sentence.subject(before)
    else:
        subject = sentence.noun_before(before) if sentence.pos(before) in ("NOUN", "PROPN") else None
    placed = subject is not None and sentence.word(subject.first) != "there"  # there's nowhere to park
    if subject is not None and placed and sentence.words[cue.first] == "nowhere":
        yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)
        return
    yield from sentence.predicate(cue, cue.last, sentence.clause_end(cue.last))


def draw_neither(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Neither Y nor Z: the nouns as an object or as the subject of a verb of existence, else their predicate."""
    end = _neither_end(sentence, cue.last)
    verb = sentence.verb_of_subject(cue.first, end)
    if verb is None or denies_presence(sentence, verb):
        yield ScopePatch(cue.last, end, cue.kind, cue.rule)
    elif "nor" in sentence.words[cue.last : end] and sentence.word(cue.last) not in word_list("definite_determiners"):
        # Neither dogs nor bikes get past the gate.
        yield ScopePatch(cue.last, end, "uncertain", cue.rule)
    if verb is not None:
        yield from deny_from(sentence, cue, verb)
    if sentence.is_helper(cue.last) and sentence.lemma(cue.last) != "be":
        yield from deny_from(sentence, cue, cue.last)


def _neither_end(sentence: ScopedSentence, start: int) -> int:
    nor = sentence.find(frozenset(("nor",)), start, sentence.length)
    verbal = sentence.is_verb(start)
    end = sentence.clause_end(start) if verbal else sentence.phrase_end(start)
    while nor >= 0:
        after = sentence.skip_adverbs(nor + 1)
        if sentence.pos(after) == "ADP":
            after += 1
        end = sentence.clause_end(after) if verbal else sentence.phrase_end(after, loose=True)
        nor = sentence.find(frozenset(("nor",)), end, min(end + 2, sentence.length))
    return end
