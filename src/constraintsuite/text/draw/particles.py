"""Not, never and their kin: what a negated verb denies, and when its subject is denied with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from constraintsuite.text.canvas import Canvas, Patch
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import list_end
from constraintsuite.text.lexicon import word_list

_TRAILING = frozenset(
    ("either", "though", "yet", "at", "all", "anymore", "any", "more", "longer", "too", "so", "however")
)
_INDIRECT = frozenset(("why", "how", "where", "when", "what", "who", "which"))
_OTHER_NEGATIONS = frozenset(("particle", "determiner", "pronoun"))
_UNTIL = frozenset(("until", "till"))
_COMMA = frozenset(",")
_WITH_SUBJECT = frozenset(("particle", "nor", "may_not"))
_COMPLEMENTS = frozenset(("that", "whether", "if", "how", "why", "what", "where", "when"))


class Complement(NamedTuple):
    """The clause that a denied verb of knowing or saying takes."""

    first: int
    factive: bool
    """Taken for granted ("did not know that ..."), rather than left open ("did not say that ...")."""


class Presence(NamedTuple):
    """A predicate of being there."""

    last: int
    """The place after it."""
    of_subject: bool
    """Its subject is what is there: "dogs are allowed", not "guests are allowed to smoke"."""
    carries: bool
    """What follows belongs to it: "allowed to smoke", not "allowed in the hall"."""


def draw_particle(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Not before a verb denies the clause, not before anything else denies that alone: "in May, not in June"."""
    sentence = canvas.sentence
    if sentence.word(cue.last) in word_list("presence_words") and sentence.word(cue.last + 1) in (":", "–", "—"):
        yield Patch(cue.last + 2, list_end(canvas, cue.last + 2), cue.kind, "label")  # not allowed: cats, birds
        return
    if _is_verbal(canvas, cue):
        yield from deny_from(canvas, cue, cue.last)
        return
    start = cue.last
    if sentence.word(start) == ",":
        closing = sentence.find(frozenset(","), start + 1, sentence.length)
        start = closing + 1 if closing > 0 else start + 1
    noun = start + 1 if sentence.pos(start) in ("ADP", "SCONJ") else start
    yield Patch(start, canvas.reach.phrase_end(noun, loose=True), cue.kind, "contrast_not")


def draw_may_not(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """May not forbids an action and doubts a state: "guests may not smoke", "it may not contain nuts"."""
    sentence = canvas.sentence
    main = sentence.skip_adverbs(cue.last)
    passive = sentence.lemma(main) == "be" and sentence.tag(main + 1) == "VBN"
    if passive and sentence.words[main + 1] not in word_list("found_words"):
        yield from deny_from(canvas, cue, cue.last)
    elif sentence.lemma(main) in word_list("state_verbs"):
        yield from canvas.predicate(cue.as_kind("uncertain"), cue.last, canvas.reach.clause_end(cue.last))
    else:
        yield from deny_from(canvas, cue, cue.last)


def draw_nor(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Nor with inversion is a negation of its own; elsewhere it only continues one."""
    if canvas.sentence.is_helper(cue.last):
        yield from deny_from(canvas, cue, cue.last)


def draw_until(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Until 1994 the zoo kept Y, trams ran until 1955: no longer."""
    sentence = canvas.sentence
    if canvas.has_cue(0, sentence.length, _OTHER_NEGATIONS):
        return
    if cue.first == 0:
        verb = next((at for at in range(cue.last, sentence.length) if sentence.is_finite(at)), None)
        if verb is not None and sentence.tag(verb) == "VBD":
            yield from deny_from(canvas, cue, verb)
        return
    start = canvas.reach.clause_start(cue.first)
    past = any(sentence.tag(at) == "VBD" for at in range(start, cue.first))
    if past and (sentence.word(cue.last) == "recently" or _is_year(sentence.word(cue.last))):
        yield from canvas.predicate(cue, start, cue.first)


def draw_wish(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """I wish it had Y; if only there were Y: there is none."""
    sentence = canvas.sentence
    end = canvas.reach.clause_end(cue.last)
    if any(sentence.tag(at) == "VBD" or sentence.words[at] in ("were", "would", "had") for at in range(cue.last, end)):
        yield from canvas.predicate(cue, cue.last, end)


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) == 4 and word[0] in "12"


def deny_from(canvas: Canvas, cue: Cue, start: int) -> Iterator[Patch]:
    """The scope of a negation whose verb phrase begins at `start`."""
    sentence = canvas.sentence
    start = canvas.reach.skip_aside(start)
    end = canvas.reach.clause_end(start)
    if sentence.find(_UNTIL, start, min(end + 1, sentence.length)) >= 0 and sentence.find(_COMMA, start, end) < 0:
        return  # did not open until May: it did open
    if all(sentence.words[at] in _TRAILING for at in range(start, end)):
        yield from _ellipsis(canvas, cue, start)
        return
    opening = find_complement(canvas, start, end)
    if opening is not None:
        yield from canvas.predicate(cue, start, opening.first)
        if not opening.factive:
            yield Patch(opening.first, end, "uncertain", "doubt_report")
        return
    presence = find_presence(canvas, start)
    if presence is None:
        yield from canvas.predicate(cue, start, end)
        return
    yield from canvas.predicate(cue, start, end if presence.carries else presence.last)
    of_subject = presence.of_subject and cue.draw in _WITH_SUBJECT
    if cue.rule == "used_to" and sentence.words[presence.last - 1] not in word_list("strong_presence"):
        of_subject = False
    subject = canvas.reach.subject(start) if of_subject else None
    if subject is not None:
        yield Patch(subject.first, subject.last, cue.kind, "negated_predicate")


def find_presence(canvas: Canvas, start: int) -> Presence | None:
    """The word by which the predicate from `start` on speaks of being there: allowed, included, missing."""
    sentence = canvas.sentence
    place = start
    while not (length := _presence_length(canvas, place)):
        if sentence.pos(place) not in ("AUX", "ADV", "PART") and sentence.word(place) not in ("be", "been", "being"):
            return None
        place += 1
    after = sentence.word(place + length)
    purpose = sentence.words[place] in word_list("need_words") and not _has_person(canvas, start)
    infinitive = after == "to" and sentence.tag(place + length + 1) in ("VB", "VBP") and not purpose
    outside = sentence.pos(place + length) in ("ADP", "PART", "SCONJ") and after not in ("with", "as", "of")
    return Presence(place + length, of_subject=not infinitive and after != "by", carries=infinitive or not outside)


def _has_person(canvas: Canvas, start: int) -> bool:
    """Whether someone is the subject: visitors are not required to pay; it is not necessary to pay."""
    subject = canvas.reach.subject(start)
    head = canvas.sentence.word(subject.last - 1) if subject is not None else "it"
    return head == "it" or head.removesuffix("s") in word_list("people") or head in word_list("people")


def _presence_length(canvas: Canvas, place: int) -> int:
    """How many words from `place` on say that something is (or is not) there; 0 for none."""
    row = [canvas.sentence.word(place + offset) for offset in range(3)]
    if canvas.sentence.lemma(place) in word_list("presence_verbs") and canvas.sentence.pos(place) == "VERB":
        return 0 if row[1] in ("to", "that") else 1
    for length in (3, 2):
        if "_".join(row[:length]) in word_list("presence_phrases"):
            return length
    if row[0] in ("there", "here"):
        return int(canvas.sentence.tag(place) != "EX")
    if row[0] not in word_list("presence_words") and row[0] not in word_list("absence_words"):
        return 0
    helper = canvas.sentence.lemma(canvas.sentence.skip_adverbs_back(place - 1))
    return int(canvas.sentence.pos(place) != "VERB" or helper in ("be", "get"))


def denies_presence(canvas: Canvas, start: int) -> bool:
    """Whether to deny the predicate from `start` on is to deny its subject."""
    presence = find_presence(canvas, start)
    return presence is not None and presence.of_subject


def find_complement(canvas: Canvas, start: int, end: int) -> Complement | None:
    """The clause after a verb that takes its content for granted or leaves it open; other verbs hand the denial on."""
    sentence = canvas.sentence
    asked = sentence.find(_INDIRECT, start + 1, min(start + 5, end + 1))
    if asked >= 0 and sentence.is_verb(asked - 1) and canvas.reach.starts_clause(asked + 1):
        return Complement(asked, factive=True)
    fact = sentence.find(frozenset(("fact",)), start, end)
    if fact >= 0 and sentence.word(fact + 1) == "that":
        return Complement(fact + 1, factive=True)
    for place in range(start, min(start + 6, end)):
        factive = sentence.lemma(place) in word_list("factive_words")
        if factive or sentence.lemma(place) in word_list("noncommittal_words"):
            opening = sentence.find(_COMPLEMENTS, place + 1, min(place + 5, sentence.length))
            if opening >= 0:
                return Complement(opening, factive and sentence.words[opening] not in ("whether", "if"))
            if canvas.reach.starts_clause(place + 1):
                return Complement(place + 1, factive)
    return None


def _is_verbal(canvas: Canvas, cue: Cue) -> bool:
    sentence = canvas.sentence
    if sentence.words[cue.first] == "never" and sentence.pos(cue.last) in ("NOUN", "PROPN", "DET", "ADJ", "ADP"):
        return sentence.pos(cue.first - 1) not in ("PUNCT", "CCONJ")
    if sentence.words[cue.first] != "not" or cue.last - cue.first > 1:
        return True
    before = cue.first - 1
    while before >= 0 and sentence.pos(before) == "ADV":
        before -= 1
    if sentence.pos(before) == "AUX" or sentence.word(before) in ("need", "dare") or sentence.is_helper(before):
        return True
    if sentence.pos(cue.first - 1) in ("PUNCT", "CCONJ") and sentence.tag(cue.last) in ("VB", "VBP"):
        return False  # you pay for leather, not noise cancellation
    return sentence.is_verb(cue.last) or sentence.tag(cue.last) == "TO"


def _ellipsis(canvas: Canvas, cue: Cue, start: int) -> Iterator[Patch]:
    """Sandals are fine, bare feet are not: the subject is denied what the clause before says."""
    sentence = canvas.sentence
    if sentence.lemma(sentence.skip_adverbs_back(start - 1)) != "be":
        return
    subject = canvas.reach.subject(start)
    if subject is None:
        return
    before = range(subject.first)
    present = any(sentence.words[at] in word_list("presence_words") for at in before)
    yield Patch(subject.first, subject.last, "negated" if present else "uncertain", "ellipsis")
