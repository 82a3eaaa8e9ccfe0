"""Negative determiners and pronouns: no Y, nothing with Y, none of them has Y, neither Y nor Z."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.canvas import Canvas, ScopePatch
from constraintsuite.text.clauses import HORIZON
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import list_end
from constraintsuite.text.draw.denial import denies_presence, deny_from, is_past
from constraintsuite.text.lexicon import word_list


def draw_determiner(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """The noun after `no` with all that is coordinated; as a subject also what is said of it."""
    sentence = canvas.sentence
    start = cue.last
    if sentence.word(start) == ":":
        yield ScopePatch(start + 1, list_end(canvas, start + 1), cue.kind, cue.rule)
        return
    if sentence.is_hard(start) or sentence.word(start) in (",", "-"):
        yield from _predicated(canvas, cue)
        return
    end = canvas.reach.phrase_end(start, loose=True)
    if sentence.word(end) in ("until", "till") and is_past(canvas, start, end):  # no bathroom until 1931
        return
    yield ScopePatch(start, end, cue.kind, cue.rule)
    verb = canvas.reach.verb_of_subject(cue.first, end)
    inverted = _inverted_verb(canvas, cue, end)
    if verb is not None or inverted is not None:
        yield from deny_from(canvas, cue, verb if verb is not None else inverted or 0)
    else:
        yield from _narrowed(canvas, cue, end)


def _inverted_verb(canvas: Canvas, cue: Cue, end: int) -> int | None:
    """In none of the towns did they find Y; in no other town is there Y: the verb before its subject."""
    sentence = canvas.sentence
    if sentence.pos(cue.first - 1) != "ADP" or canvas.reach.clause_start(cue.first) != cue.first - 1:
        return None
    places = range(end, min(sentence.length - 1, end + HORIZON))
    return next((at for at in places if sentence.is_helper(at) and _may_open_subject(canvas, at + 1)), None)


def _may_open_subject(canvas: Canvas, at: int) -> bool:
    return canvas.sentence.pos(at) in ("PRON", "DET", "PROPN") or canvas.sentence.word(at) == "there"


def _narrowed(canvas: Canvas, cue: Cue, end: int) -> Iterator[ScopePatch]:
    """What narrows a denied noun is denied with it: no hotel in the town that has Y; no sign, even now, of Y."""
    sentence = canvas.sentence
    if sentence.word(end) == ",":
        place = canvas.reach.skip_aside(end)
        if sentence.word(place) == "of" and place > end:
            yield ScopePatch(place + 1, canvas.reach.phrase_end(place + 1, loose=True), cue.kind, cue.rule)
        return
    place = end
    while sentence.pos(place) == "ADP":
        place = canvas.reach.phrase_end(place + 1)
    if sentence.word(place) in ("that", "who", "which"):
        yield from canvas.predicate(cue, place + 1, canvas.reach.clause_end(place + 1))


def _predicated(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """The number of Y was zero."""
    if canvas.sentence.lemma(cue.first - 1) == "be":
        subject = canvas.reach.subject(cue.first)
        if subject is not None:
            yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)


def draw_pronoun(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Nothing, nobody: as a subject what is said of it, else what describes it."""
    end = cue.last
    if canvas.sentence.pos(cue.last) in ("ADP", "ADJ"):
        end = canvas.reach.phrase_end(cue.last + 1, loose=True)
        yield from canvas.predicate(cue, cue.last, end)
    verb = canvas.reach.verb_of_subject(cue.first, end)
    if verb is not None:
        yield from deny_from(canvas, cue, verb)
    elif canvas.sentence.word(cue.last) in ("who", "that", "which"):
        yield from canvas.predicate(cue, cue.last + 1, canvas.reach.clause_end(cue.last + 1))


def draw_none(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """None after its topic ("lamps there were none", "Wi-Fi: none") or as a subject."""
    sentence = canvas.sentence
    verb = canvas.reach.verb_of_subject(cue.first, cue.last)
    if verb is not None:
        yield from deny_from(canvas, cue, verb)
        if denies_presence(canvas, verb):
            yield from draw_anaphor(canvas, cue)
    elif sentence.lemma(cue.first - 1) == "be" and sentence.word(cue.first - 2) == "there":
        yield ScopePatch(canvas.reach.clause_start(cue.first), cue.first - 2, cue.kind, cue.rule)


def draw_anaphor(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """A timer would spoil the calm, and there isn't one: the subject of the clause before."""
    sentence = canvas.sentence
    if not sentence.is_hard(cue.last) and sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ", "VERB", "DET"):
        yield from draw_determiner(canvas, cue)
        return
    if sentence.is_nominal(cue.first - 1):  # lamps there were none
        yield ScopePatch(canvas.reach.clause_start(cue.first), cue.first, cue.kind, cue.rule)
        return
    verb = next((at for at in range(cue.first - 1, -1, -1) if sentence.is_finite(at) or sentence.is_hard(at)), -1)
    if verb >= 0 and sentence.is_finite(verb):
        subject = canvas.reach.subject(verb)
        if subject is not None and sentence.pos(subject.first) == "PRON":  # we had hoped for a pool, but there was none
            subject = canvas.reach.noun_before(_before_break(canvas, cue.first))
        if subject is not None:
            yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)
    elif sentence.word(cue.first - 1) == ",":  # as for parking, there is none
        topic = canvas.reach.noun_before(cue.first - 2)
        if topic is not None:
            yield ScopePatch(topic.first, topic.last, cue.kind, cue.rule)


def _before_break(canvas: Canvas, at: int) -> int:
    """The last word of the clause before the one that begins around `at`."""
    place = at - 1
    while place > 0 and canvas.sentence.words[place] in ("but", "and", ",", "though", "yet"):
        place -= 1
    return place


def draw_partitive(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """None of the rooms has Y; has none of the Y; not even the oldest guests have seen Y."""
    if canvas.sentence.words[cue.first] == "not" and canvas.sentence.is_helper(cue.first - 1):  # did not even have Y
        yield from deny_from(canvas, cue, cue.last)
        return
    end = canvas.reach.phrase_end(cue.last)
    verb = canvas.reach.verb_of_subject(cue.first, end)
    inverted = _inverted_verb(canvas, cue, end)
    if inverted is not None:
        yield from deny_from(canvas, cue, inverted)
    elif verb is None:
        yield ScopePatch(cue.last, end, cue.kind, cue.rule)
    else:
        if denies_presence(canvas, verb):
            yield ScopePatch(cue.last, end, cue.kind, cue.rule)
        yield from deny_from(canvas, cue, verb)


def draw_nowhere(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Nowhere will you find Y; Y is nowhere in the recipe; benches everywhere, toilets nowhere."""
    sentence = canvas.sentence
    before = cue.first - 1
    if sentence.lemma(before) == "be" or sentence.lemma(before) in word_list("presence_verbs"):
        subject = canvas.reach.subject(before)
    else:
        subject = canvas.reach.noun_before(before) if sentence.pos(before) in ("NOUN", "PROPN") else None
    placed = subject is not None and sentence.word(subject.first) != "there"  # there's nowhere to park
    if subject is not None and placed and sentence.words[cue.first] == "nowhere":
        yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)
        return
    yield from canvas.predicate(cue, cue.last, canvas.reach.clause_end(cue.last))


def draw_neither(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Neither Y nor Z, as an object or as the subject of a verb of presence; else what is said of them."""
    sentence = canvas.sentence
    end = _neither_end(canvas, cue.last)
    verb = canvas.reach.verb_of_subject(cue.first, end)
    if verb is None or denies_presence(canvas, verb):
        yield ScopePatch(cue.last, end, cue.kind, cue.rule)
    elif "nor" in sentence.words[cue.last : end] and sentence.word(cue.last) not in word_list("definite_determiners"):
        # Neither dogs nor bikes get past the gate.
        yield ScopePatch(cue.last, end, "uncertain", cue.rule)
    if verb is not None:
        yield from deny_from(canvas, cue, verb)
    if sentence.is_helper(cue.last) and sentence.lemma(cue.last) != "be":
        yield from deny_from(canvas, cue, cue.last)


def _neither_end(canvas: Canvas, start: int) -> int:
    sentence = canvas.sentence
    nor = sentence.find(frozenset(("nor",)), start, sentence.length)
    verbal = sentence.is_verb(start)
    end = canvas.reach.clause_end(start) if verbal else canvas.reach.phrase_end(start)
    while nor >= 0:
        after = nor + 1
        if sentence.pos(after) == "ADP":
            after += 1
        end = canvas.reach.clause_end(after) if verbal else canvas.reach.phrase_end(after, loose=True)
        nor = sentence.find(frozenset(("nor",)), end, min(end + 2, sentence.length))
    return end
