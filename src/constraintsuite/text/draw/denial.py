"""Scopes of negated verbs: not, never, nor.

A negated verb negates its clause without presupposed things, and its subject if the verb says that the subject exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.text.base import ScopeKind
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import list_end
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import VERB_GROUP

_TRAILING = frozenset(
    ("either", "though", "yet", "at", "all", "anymore", "any", "more", "longer", "too", "so", "however")
)
_INDIRECT = frozenset(("why", "how", "where", "when", "what", "who", "which"))
_COMPLEMENTS = frozenset(("that", "whether", "if", "how", "why", "what", "where", "when"))
_UNTIL = frozenset(("until", "till"))
_COMMA = frozenset(",")
_OBJECT_PARTS = frozenset(("DET", "NOUN", "PROPN", "ADJ", "NUM", "PRON"))
_WITH_SUBJECT = frozenset(("particle", "nor", "may_not"))


def draw_particle(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Not before a verb negates the clause; before anything else it negates only that: "in May, not in June"."""
    if sentence.word(cue.last) in word_list("presence_words") and sentence.word(cue.last + 1) in (":", "–", "—"):
        yield ScopePatch(cue.last + 2, list_end(sentence, cue.last + 2), cue.kind, "label")  # not allowed: cats, birds
        return
    if _is_verbal(sentence, cue):
        yield from deny_from(sentence, cue, cue.last)
        return
    start = cue.last
    if sentence.word(start) == ",":
        closing = sentence.find(_COMMA, start + 1, sentence.length)
        start = closing + 1 if closing > 0 else start + 1
    noun = start
    while noun < start + 2 and sentence.pos(noun) in ("ADP", "SCONJ"):  # not because of Y
        noun += 1
    end = sentence.phrase_end(noun, loose=True)
    if sentence.word(end - 1) in ("way", "manner", "sense") and sentence.word(end) == "that":
        end = sentence.clause_end(end + 1)  # not in a way that commands Y
    kind: ScopeKind = "affirmed" if _contrasts_absence(sentence, cue) else cue.kind
    yield ScopePatch(start, end, kind, "contrast_not")


def _contrasts_absence(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether "not" contrasts with what is missing: the harbour lacks cranes, not customers."""
    return sentence.word(cue.first - 1) == "," and any(
        patch.last == cue.first - 1 and patch.kind == "negated" and one.draw in ("verb", "preposition", "noun")
        for one, patch in sentence.drawn
    )


def draw_purpose(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """There is no plan to build Y: neither the plan nor Y."""
    yield ScopePatch(cue.first + 1, cue.first + 2, cue.kind, cue.rule)
    yield from draw_particle(sentence, cue)


def draw_may_not(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """May not negates an action and makes a state uncertain: "guests may not smoke", "it may not contain nuts"."""
    main = sentence.skip_adverbs(cue.last)
    passive = sentence.lemma(main) == "be" and sentence.tag(main + 1) == "VBN"
    if passive and sentence.words[main + 1] not in word_list("found_words"):
        yield from deny_from(sentence, cue, cue.last)
    elif sentence.lemma(main) in word_list("state_verbs"):
        yield from sentence.predicate(cue.as_kind("uncertain"), cue.last, sentence.clause_end(cue.last))
    else:
        yield from deny_from(sentence, cue, cue.last)


def draw_nor(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Nor with inversion is a new negation; elsewhere it only continues one."""
    if sentence.is_helper(cue.last):
        yield from deny_from(sentence, cue, cue.last)


def draw_wish(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """I wish it had Y; if only there were Y: Y is negated."""
    end = sentence.clause_end(cue.last)
    if sentence.tag(cue.last) != "TO" and any(
        sentence.tag(at) == "VBD" or sentence.words[at] in ("were", "would", "had") for at in range(cue.last, end)
    ):
        yield from sentence.predicate(cue, cue.last, end)


def _is_verbal(sentence: ScopedSentence, cue: Cue) -> bool:
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


class Complement(NamedTuple):
    """The complement clause of a negated verb of knowing or saying."""

    first: int
    factive: bool
    """Whether the clause is presupposed ("did not know that ..."), and not left open ("did not say that ...")."""


class ExistencePredicate(NamedTuple):
    """A predicate that says that something exists."""

    last: int
    """The place after it."""
    of_subject: bool
    """Whether it says so of its subject: "dogs are allowed", not "guests are allowed to smoke"."""
    carries: bool
    """Whether the next words belong to it: "allowed to smoke", not "allowed in the hall"."""


def deny_from(sentence: ScopedSentence, cue: Cue, start: int) -> Iterator[ScopePatch]:
    """The scope of a negation whose verb phrase begins at `start`."""
    start = sentence.skip_aside(start)
    end = sentence.clause_end(start)
    if _is_delayed(sentence, start, end) and is_past(sentence, start, end):
        return  # did not open until May: it did open then
    if all(sentence.words[at] in _TRAILING for at in range(start, end)):
        yield from _ellipsis(sentence, cue)
        return
    opening = _find_complement(sentence, start, end)
    if opening is not None:
        yield from sentence.predicate(cue, start, opening.first)
        if not opening.factive:
            yield from sentence.predicate(replace(cue, kind="uncertain", rule="doubt_report"), opening.first, end)
        return
    presence = _find_presence(sentence, start)
    if presence is None:
        if (
            cue.draw == "particle"
            and sentence.word(end - 1) in word_list("manner_words")
            and sentence.pos(end - 1) == "ADV"
        ):
            end = start + 1  # does not balance the two well
        yield from sentence.predicate(cue, start, end)
        yield from _idle_subject(sentence, cue, start)
        return
    yield from sentence.predicate(cue, start, end if presence.carries else presence.last)
    of_subject = presence.of_subject and cue.draw in _WITH_SUBJECT
    if cue.rule == "used_to" and sentence.words[presence.last - 1] not in word_list("strong_presence"):
        of_subject = False
    verb = cue.first if sentence.is_verb(cue.first) else start  # ceased to exist
    subject = sentence.subject(verb) if of_subject else None
    weak = sentence.words[presence.last - 1] in word_list("weak_presence")
    if subject is not None and weak and sentence.pos(subject.first) == "PROPN":  # Moss is not mentioned
        return
    assured = sentence.words[presence.last - 1] in word_list("assured_words")
    if subject is not None and (assured or (weak and sentence.is_known(subject.first))):
        cue = cue.as_kind("uncertain")
    yield from sentence.mark(cue, subject, "negated_predicate")


def _is_delayed(sentence: ScopedSentence, start: int, end: int) -> bool:
    """Whether until follows: did not open until May; did not become a state, officially, until May."""
    comma = sentence.find(_COMMA, start, end + 1)
    if comma >= 0 and sentence.skip_adverbs(comma + 1) == sentence.find(_COMMA, comma + 1, sentence.length):
        return sentence.word(sentence.skip_adverbs(comma + 1) + 1) in _UNTIL
    return sentence.find(_UNTIL, start, min(end + 1, sentence.length)) >= 0 and sentence.find(_COMMA, start, end) < 0


def _idle_subject(sentence: ScopedSentence, cue: Cue, start: int) -> Iterator[ScopePatch]:
    """An uncertain subject: lifeguards do not patrol here, dogs may not come in. There may or may not be any."""
    verb = sentence.skip_adverbs(start)
    idle = sentence.tag(verb) in ("VB", "VBP") and not sentence.is_helper(verb)
    if cue.draw not in _WITH_SUBJECT or not idle or sentence.pos(verb + 1) in _OBJECT_PARTS:
        return
    if sentence.follows_relative(sentence.verb_group_start(verb)):  # genes that do not code for proteins
        return
    subject = sentence.subject(cue.first if cue.rule == "used_to" else start)
    if subject is not None and sentence.tag(subject.first) in ("NNS", "NNPS") and subject.last <= start:
        gone = cue.rule == "used_to" and sentence.lemma(verb) in word_list("living_verbs")  # wolves used to live here
        kind: ScopeKind = "negated" if gone else "uncertain"
        yield ScopePatch(subject.first, subject.last, kind, "doubt_subject")


def _ellipsis(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Ellipsis: in "sandals are fine, bare feet are not", the subject is denied the predicate of the clause before."""
    helper = sentence.skip_adverbs_back(cue.first - 1)
    if sentence.lemma(helper) not in ("be", "do"):
        return
    subject = sentence.subject(cue.first if sentence.lemma(helper) == "be" else helper)
    if subject is None:
        return
    gone = sentence.words[cue.first : cue.last] == ("no", "more")  # the bakery is no more
    present = gone or any(sentence.words[at] in word_list("presence_words") for at in range(subject.first))
    if present or sentence.tag(subject.first) in ("NN", "NNS"):  # exons code for proteins, introns do not
        yield ScopePatch(subject.first, subject.last, "negated" if present else "uncertain", "ellipsis")


def _find_presence(sentence: ScopedSentence, start: int) -> ExistencePredicate | None:
    """The word of existence in the predicate from `start` on: allowed, included, missing."""
    place = start
    while not (length := _presence_length(sentence, place)):
        if place > start + VERB_GROUP or sentence.pos(place) not in ("AUX", "ADV", "PART"):
            return None
        place += 1
    after = sentence.word(place + length)
    given = sentence.words[place] in ("given", "granted", "awarded", "shown", "offered")
    if given and sentence.pos(place + length) in _OBJECT_PARTS:  # was not given a title
        return None
    purpose = sentence.words[place] in word_list("need_words") and not _has_person(sentence, start)
    infinitive = after == "to" and sentence.tag(place + length + 1) in ("VB", "VBP") and not purpose
    outside = sentence.pos(place + length) in ("ADP", "PART", "SCONJ") and after not in (
        "with",
        "as",
        "of",
        "without",
        "by",
    )
    return ExistencePredicate(
        place + length, of_subject=not infinitive and after not in ("by", "as"), carries=infinitive or not outside
    )


def denies_presence(sentence: ScopedSentence, start: int) -> bool:
    """Whether negating the predicate from `start` on negates its subject."""
    presence = _find_presence(sentence, start)
    return presence is not None and presence.of_subject


def _presence_length(sentence: ScopedSentence, place: int) -> int:
    """How many words from `place` on say that something exists or is absent; 0 for none."""
    row = [sentence.word(place + offset) for offset in range(3)]
    if sentence.lemma(place) in word_list("presence_verbs") and sentence.pos(place) == "VERB":
        # The list does not feature nuts, but nuts do not feature.
        has_object = sentence.pos(place + 1) in _OBJECT_PARTS
        return 0 if has_object or row[1] in ("to", "that") else 1
    for length in (3, 2):
        if "_".join(row[:length]) in word_list("presence_phrases"):
            return length
    if row[0] in ("there", "here"):
        return int(sentence.tag(place) != "EX")
    if row[0] not in word_list("presence_words") and row[0] not in word_list("absence_words"):
        return 0
    if (
        row[:2] == ["taken", "from"]
        or row[1] in ("together", "apart", "separately")
        or (row[0] == "known" and row[1] in ("for", "as"))
    ):
        return 0
    helper = sentence.lemma(sentence.skip_adverbs_back(place - 1))
    return int(sentence.pos(place) != "VERB" or helper in ("be", "get"))


def _has_person(sentence: ScopedSentence, start: int) -> bool:
    """Whether the subject is a person or "it": visitors are not required to pay; it is not necessary to pay."""
    subject = sentence.subject(start)
    head = sentence.word(subject.last - 1) if subject is not None else "it"
    return head == "it" or head.removesuffix("s") in word_list("people") or head in word_list("people")


def _find_complement(sentence: ScopedSentence, start: int, end: int) -> Complement | None:
    """The clause after a verb that presupposes its content or leaves it open; after other verbs, the clause is negated too."""
    asked = sentence.find(_INDIRECT, start + 1, min(start + 5, end + 1))
    if asked >= 0 and sentence.is_verb(asked - 1) and sentence.starts_clause(asked + 1):
        return Complement(asked, factive=True)
    fact = sentence.find(frozenset(("fact",)), start, end)
    if fact >= 0 and sentence.word(fact + 1) == "that":
        return Complement(fact + 1, factive=True)
    for place in range(start, min(start + 6, end)):
        factive = sentence.lemma(place) in word_list("factive_words")
        accepts = sentence.lemma(place) == "accept" and sentence.word(place + 1) == "that"
        if factive or accepts or sentence.lemma(place) in word_list("noncommittal_words"):
            opening = sentence.find(_COMPLEMENTS, place + 1, min(place + 5, sentence.length))
            if opening >= 0:
                return Complement(opening, factive and sentence.words[opening] not in ("whether", "if"))
            to_gerund = sentence.word(place + 1) == "to" and sentence.tag(place + 2) == "VBG"  # admitted to owning Y
            to_be = sentence.lemma(place) == "claim" and sentence.tag(place + 1) == "TO"
            if to_gerund or to_be or sentence.starts_clause(place + 1):
                return Complement(place + 1, factive)
    return None


def is_past(sentence: ScopedSentence, start: int, end: int) -> bool:
    """Whether the clause around a stretch is in the past tense."""
    return any(sentence.tag(at) == "VBD" for at in range(sentence.clause_start(start), min(end, sentence.length)))
