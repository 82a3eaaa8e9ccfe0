"""Not, never, nor, until: where a negation of verbs or of other words begins."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import list_end
from constraintsuite.text.draw.denial import deny_from
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_OTHER_NEGATIONS = frozenset(("particle", "determiner", "pronoun"))
_COMMA = frozenset(",")


def draw_particle(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Not before a verb denies the clause, not before anything else denies that alone: "in May, not in June"."""
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
    noun = start + 1 if sentence.pos(start) in ("ADP", "SCONJ") else start
    yield ScopePatch(start, sentence.phrase_end(noun, loose=True), cue.kind, "contrast_not")


def draw_may_not(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """May not forbids an action and doubts a state: "guests may not smoke", "it may not contain nuts"."""
    main = sentence.skip_adverbs(cue.last)
    passive = sentence.lemma(main) == "be" and sentence.tag(main + 1) == "VBN"
    if passive and sentence.words[main + 1] not in word_list("found_words"):
        yield from deny_from(sentence, cue, cue.last)
    elif sentence.lemma(main) in word_list("state_verbs"):
        yield from sentence.predicate(cue.as_kind("uncertain"), cue.last, sentence.clause_end(cue.last))
    else:
        yield from deny_from(sentence, cue, cue.last)


def draw_nor(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Nor with inversion is a negation of its own; elsewhere it only continues one."""
    if sentence.is_helper(cue.last):
        yield from deny_from(sentence, cue, cue.last)


def draw_until(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Until 1994 the zoo kept Y, trams ran until 1955: no longer."""
    if sentence.has_cue(0, sentence.length, _OTHER_NEGATIONS):
        return
    if cue.first == 0:
        verb = next((at for at in range(cue.last, sentence.length) if sentence.is_finite(at)), None)
        if verb is not None and sentence.tag(verb) == "VBD":
            yield from deny_from(sentence, cue, verb)
        return
    start = sentence.clause_start(cue.first)
    past = any(sentence.tag(at) == "VBD" for at in range(start, cue.first))
    if past and (sentence.word(cue.last) == "recently" or _is_year(sentence.word(cue.last))):
        yield from sentence.predicate(cue, start, cue.first)


def draw_wish(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """I wish it had Y; if only there were Y: there is none."""
    end = sentence.clause_end(cue.last)
    if any(sentence.tag(at) == "VBD" or sentence.words[at] in ("were", "would", "had") for at in range(cue.last, end)):
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


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) == 4 and word[0] in "12"
