"""Scopes of exceptions and additions: everything except Y, nothing but Y, apart from Y."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import NEGATIVE_CUES
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_SHORT_SUBJECT = 4
_ABSENCES = frozenset(("verb", "predicate", "noun", "gerund"))
_NEEDS_WHOLE = frozenset(("but", "bar", "save", "beside"))


def draw_exception(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The exception: everything except Y negates Y; nothing except Y affirms it; apart from Y can mean either."""
    start = cue.last + 1 if sentence.pos(cue.last) == "ADP" else cue.last
    if sentence.word(start) in ("where", "when", "that", "if"):
        return
    if cue.rule == "exception" and sentence.words[cue.first : cue.last] == ("but", "for") and _is_unreal(sentence):
        yield ScopePatch(start, sentence.phrase_end(start), "affirmed", "spared")
        return
    end = sentence.phrase_end(start)
    if (
        sentence.word(end - 1) in ("those", "that", "ones", "one") and sentence.pos(end) == "ADP"
    ):  # other than those with Y
        end = sentence.phrase_end(end + 1)
    universal = sentence.find(word_list("universals"), 0, sentence.length) >= 0
    whole = universal or sentence.find(word_list("whole_words"), 0, sentence.length) >= 0
    by_excluding = sentence.words[cue.first] == "excluding" and sentence.pos(cue.first - 1) == "ADP"
    negative = not by_excluding and _is_negative(sentence, cue, end)
    named = whole if sentence.words[cue.first] == "save" or sentence.words[cue.last - 1] == "for" else universal
    if sentence.words[cue.first] in _NEEDS_WHOLE and not _excepts(sentence, cue, named or negative):
        return
    if negative:
        yield ScopePatch(start, end, "affirmed", "exception_of_negative")
    elif (cue.rule == "exception_or_addition" and _adds(sentence, cue)) or _is_hedged(sentence, cue):
        yield ScopePatch(start, end, "affirmed", "addition")
    elif whole or (cue.rule == "exception" and sentence.words[cue.last - 1] != "for") or _narrows(sentence, cue):
        yield ScopePatch(start, end, cue.kind, cue.rule)
    else:
        yield ScopePatch(start, end, "uncertain", cue.rule)


def _is_unreal(sentence: ScopedSentence) -> bool:
    """Whether the sentence says what would be: but for the pump, the cellar would flood."""
    return any(sentence.words[at] in ("would", "might", "could") for at in range(sentence.length))


def _is_hedged(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether the exception is there: the song is mainly instrumental except for Y."""
    open_cue = sentence.words[cue.last - 1] == "for" or cue.rule == "exception_or_addition"
    return open_cue and sentence.find(word_list("hedging_words"), 0, cue.first) >= 0


def _adds(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether the phrase adds: apart from the pool there is also a sauna; besides the pool there is a sauna."""
    if sentence.words[cue.first] == "besides" or sentence.find(word_list("additive_words"), 0, sentence.length) >= 0:
        return True
    whole = sentence.find(word_list("universals"), 0, sentence.length) >= 0
    comma = sentence.find(frozenset(","), cue.last, sentence.length)
    verb = next((at for at in range(comma, sentence.length) if sentence.is_finite(at)), -1) if comma > 0 else -1
    opening = cue.first <= 1 or sentence.is_hard(cue.first - 1)
    there = sentence.lemma(verb) == "be" and _is_at_hand(sentence, verb + 1)  # apart from Mondays, the shop is open
    return opening and verb >= 0 and not whole and not there  # apart from acting, she paints


def _is_at_hand(sentence: ScopedSentence, at: int) -> bool:
    """Whether a predicate says that its subject can be had: is open, is available."""
    word = sentence.word(sentence.skip_adverbs(at))
    return word == "open" or word in word_list("presence_words")


def _narrows(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a noun is narrowed: languages other than Y."""
    before = sentence.pos(cue.first - 1)
    noun = before in ("NOUN", "PROPN") or sentence.word(cue.first - 1) == "("
    return sentence.words[cue.first] == "other" and noun and sentence.tag(cue.last) != "PRP"


def _is_negative(sentence: ScopedSentence, cue: Cue, end: int) -> bool:
    little = sentence.find(frozenset(("little",)), 0, sentence.length)
    if little >= 0 and (little in (0, cue.first - 1) or sentence.words[little - 1] == "very"):  # little other than Y
        return True
    for place in range(sentence.length):
        outside = place < cue.first or place >= end
        if outside and sentence.words[place] in word_list("empty_words"):
            return True
    start = sentence.clause_start(cue.first)
    return any(
        (other.draw in NEGATIVE_CUES or (other.draw in _ABSENCES and start <= other.first))
        and not cue.first <= other.first < end
        and not _is_relative(sentence, other)
        for other in sentence.cues
    )


def _is_relative(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a negation belongs to a relative clause: all the costs that the plan does not cover."""
    return sentence.find(RELATIVE, cue.first - _SHORT_SUBJECT, cue.first) > 0


def _excepts(sentence: ScopedSentence, cue: Cue, whole: bool) -> bool:
    """Whether but, bar or save means except: a whole is named before, and a noun follows."""
    if sentence.words[cue.first] == "but":
        return sentence.is_exceptive(cue.first) or (whole and sentence.words[cue.last - 1] == "for")
    opening = cue.first == 0 and sentence.words[cue.last - 1] == "for"
    noun = opening or sentence.is_nominal(cue.first - 1) or sentence.pos(cue.first - 1) == "ADJ"
    return whole and noun and sentence.pos(cue.last) in ("DET", "NOUN", "PROPN", "ADJ", "PRON", "NUM")
