"""Scopes of what was once: used to have Y, kept Y until 1994."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.denial import denies_presence, deny_from, draw_particle
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.readings import in_dictionary
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import TokenRange

_ENDS = frozenset(("recently", "version", "release", "then"))
_OTHER_NEGATIONS = frozenset(("particle", "determiner", "pronoun"))


def draw_used_to(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Used to have Y: negated; used to plunder Y: uncertain; the tools used to carve Y: nothing."""
    if not _is_purpose(sentence, cue):
        past = cue if _is_owning(sentence, cue.last) else cue.as_kind("uncertain")
        yield from draw_particle(sentence, replace(past, draw="particle"))


def draw_former(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """A former church; the church is now a museum: it is none any more. Of people this says nothing."""
    if sentence.words[cue.last - 1] in ("former", "erstwhile", "onetime"):
        found = TokenRange(cue.last, sentence.phrase_end(cue.last))
    else:
        found = sentence.subject(cue.first) or TokenRange(0, 0)
    known = found.first >= found.last or sentence.is_drawn(found.last - 1)
    if sentence.word(found.last - 1) in word_list("sites") and not known:
        yield ScopePatch(found.first, found.last, cue.kind, cue.rule)


def draw_until(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Until 1994 the zoo kept Y, trams ran until 1955: now negated."""
    if sentence.has_cue(0, sentence.length, _OTHER_NEGATIONS):
        return
    opening = cue.first == 0
    start = cue.last if opening else sentence.clause_start(cue.first)
    verb = next((at for at in range(start, sentence.length if opening else cue.first) if sentence.is_finite(at)), -1)
    if sentence.tag(verb) != "VBD" or not _is_lasting(sentence, verb):
        return
    if opening:
        yield from deny_from(sentence, cue, verb)
    elif _is_end(sentence, cue.last):
        yield from sentence.predicate(cue, verb, cue.first)
        stood = sentence.lemma(verb) in ("run", "operate", "stand", "exist")
        offered = sentence.lemma(verb) == "be" and denies_presence(sentence, verb)
        if stood or offered:  # the ferry ran until 1960, codes were supported until version 4
            yield from sentence.mark(cue, sentence.subject(verb))


def _is_end(sentence: ScopedSentence, at: int) -> bool:
    """Whether until names an end, rather than a time of the day or year: until 1994, until the war."""
    word = sentence.word(at)
    event = (
        word in ("the", "its", "their")
        and sentence.word(at + 1) not in word_list("times")
        and sentence.word(at + 2) not in word_list("times")
    )
    return word in _ENDS or _is_year(word) or event


def _is_lasting(sentence: ScopedSentence, verb: int) -> bool:
    """Whether a thing had or was there, rather than a person who held an office: the zoo kept bears until 1994."""
    subject = sentence.subject(verb)
    if sentence.words[verb] in ("was", "were"):
        return sentence.word(verb - 1) == "there" or sentence.word(verb + 1) in word_list("lasting_participles")
    if subject is None or sentence.lemma(verb) not in word_list("lasting_verbs"):
        return False
    named = sentence.pos(subject.first) == "PROPN" and (subject.first > 0 or not in_dictionary(sentence.words[0]))
    return sentence.tag(subject.first) != "PRP" and not named


def _is_owning(sentence: ScopedSentence, verb: int) -> bool:
    """Whether a verb says that something is there or used: used to have Y; but "used to plunder Y" says nothing of today."""
    lemma = sentence.lemma(verb)
    lists = ("possession_verbs", "lasting_verbs", "using_verbs")
    return sentence.pos(verb) not in ("VERB", "AUX") or any(lemma in word_list(name) for name in lists)


def _is_purpose(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether "used to" means for: is used to treat Y, the tools used to carve Y were found."""
    if sentence.words[cue.last - 1] != "to":
        return False
    before = sentence.skip_adverbs_back(cue.first - 1)
    if sentence.word(before) == "and":  # is primarily and customarily used to
        before = sentence.skip_adverbs_back(before - 1)
    if sentence.tag(before) in ("WP", "WDT", "EX"):  # what used to be a shop
        return False
    if cue.first == 0 or sentence.is_helper(before) or sentence.tag(cue.last) not in ("VB", "VBP"):
        return True
    start = sentence.clause_start(cue.first)
    earlier = any(sentence.is_finite(at) for at in range(start, cue.first))
    return earlier or sentence.tag(before) in (",", "-LRB-") or _has_later_verb(sentence, cue)


def _has_later_verb(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether the main verb of the clause comes after "used to", so that this describes the subject."""
    for place in range(cue.last, sentence.length):
        if sentence.is_hard(place) or sentence.words[place] == "," or sentence.is_terminator(place):
            return False
        if sentence.words[place] in RELATIVE or sentence.words[place] == "and":
            return False
        if sentence.is_finite(place) and place > cue.last:
            return True
    return False


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) == 4 and word[0] in "12"
