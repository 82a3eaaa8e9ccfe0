"""Negation across a mark or a copula: "Pets: no", "Pets? No.", "What it lacks is Y"."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.cues import Cue
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import Sentence

_LABEL_MARKS = frozenset((":", "–", "—", "=", "-", "--"))
_ANSWERS = frozenset(("no", "none", "nope", "nil", "never", "zero"))
_CONSENTS = frozenset(("yes", "yep", "sure", "certainly", "absolutely"))
_OPEN_QUESTIONS = frozenset(("how", "why", "where", "when", "who", "what", "which", "whose", "whom"))
_DENYING = frozenset(("particle", "verb", "may_not"))


def draw_label(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Campfires: no. Wi-Fi – none. Dogs: not allowed."""
    if "(" in sentence.words:
        yield from _bracketed(sentence)
    if "yes" in sentence.words:
        yield from _verdicts(sentence)
    if _LABEL_MARKS.isdisjoint(sentence.words):
        return
    for mark in range(1, sentence.length - 1):
        if sentence.words[mark] not in _LABEL_MARKS:
            continue
        answer = mark + 1
        bare = sentence.word(answer) in _ANSWERS and (
            sentence.is_hard(answer + 1) or sentence.word(answer + 1) in (",", "at", "whatsoever")
        )
        denied = sentence.word(answer) == "not" and sentence.word(answer + 1) in word_list("presence_words")
        if bare or denied:
            first = mark
            while first > 0 and not sentence.is_hard(first - 1) and sentence.words[first - 1] != ",":
                first -= 1
            cue = Cue(answer, answer + 1, (answer,), "label", "label", "negated")
            yield cue, ScopePatch(first, mark, "negated", "label")


def _verdicts(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Water yes, shade no; subtitles, yes; reenactments, no."""
    for place in range(1, sentence.length):
        if sentence.words[place] != "no" or not (sentence.is_hard(place + 1) or sentence.word(place + 1) == ","):
            continue
        last = place - 1 if sentence.words[place - 1] == "," else place
        cue = Cue(place, place + 1, (place,), "label", "label", "negated")
        noun = sentence.noun_before(last - 1) if sentence.pos(last - 1) in ("NOUN", "PROPN") else None
        if noun is not None:
            yield cue, ScopePatch(noun.first, noun.last, "negated", "label")
        elif sentence.is_verb(last - 1) and (sentence.is_hard(last - 2) or sentence.words[last - 2] == ","):
            yield cue, ScopePatch(last - 1, last, "negated", "label")  # a lone word is a noun, however it was tagged


def _bracketed(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Parking (not available); extras (sauna, massage) not included."""
    for place in range(2, sentence.length - 1):
        if sentence.words[place] != "not" or sentence.words[place + 1] not in word_list("presence_words"):
            continue
        cue = Cue(place, place + 1, (place,), "label", "label", "negated")
        opening = place - 1
        while opening > 0 and sentence.words[opening] != "(":
            opening -= 1
        noun = sentence.noun_before(opening - 1) if opening > 0 else None
        if noun is not None and sentence.words[place - 1] == "(":
            yield cue, ScopePatch(noun.first, noun.last, "negated", "label")
        elif noun is not None and sentence.words[place - 1] == ")":
            yield cue, ScopePatch(noun.first, place - 1, "negated", "label")


def answer_scope(question: Sentence, answer: Sentence | None) -> Scope | None:
    """Pool? No. Is there a bar? Yes: what the answer, the sentence after the question, makes of it."""
    if answer is None or not question.length or not answer.length or question.words[-1] != "?":
        return None
    word = answer.words[0]
    if word == "not":
        word = "no" if answer.pos(1) in ("ADP", "ADV", "DET") or answer.word(1) == "that" else word
    closed = (
        word != answer.words[0]
        or (answer.length < 5 and word in _ANSWERS)
        or answer.is_hard(1)
        or answer.word(1) in (",", "at", "whatsoever")
    )
    if not closed or word not in _ANSWERS | _CONSENTS or question.words[0] in _OPEN_QUESTIONS:
        return None
    tokens, cue = question.tokens, answer.tokens[0]
    kind: ScopeKind = "negated" if word in _ANSWERS else "affirmed"
    return Scope(tokens[0].start, tokens[-1].end, kind, cue.start, cue.end, "answer")


def draw_cleft(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """What the scarf does not contain is Y; what we don't give you: Y."""
    if sentence.word(0) not in ("what", "all"):
        return
    cue = next((one for one in sentence.cues if one.draw in _DENYING), None)
    if cue is None:
        return
    colon = sentence.find(frozenset(":"), cue.last, sentence.length)
    copula = sentence.find(frozenset(("is", "are", "was", "were")), cue.last, sentence.length)
    for place in (colon, copula):
        if place >= 0 and sentence.word(place + 1) not in ("that", "not"):
            yield cue, ScopePatch(place + 1, sentence.phrase_end(place + 1), "negated", "cleft")
            return
