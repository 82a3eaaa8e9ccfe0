"""What is left out of a whole, and what stands in for something else."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import gap_of, is_passive, object_after
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_NEGATIVE = frozenset(("determiner", "pronoun", "none", "partitive", "particle", "nowhere", "neither", "nor"))
_NEEDS_WHOLE = frozenset(("but", "bar", "save", "beside"))


def draw_exception(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Everything except Y leaves Y out; nothing except Y keeps it; apart from Y can mean either."""
    start = cue.last + 1 if sentence.pos(cue.last) == "ADP" else cue.last
    end = sentence.phrase_end(start)
    whole = sentence.find(word_list("universals"), 0, sentence.length) >= 0
    negative = _is_negative(sentence, cue, end)
    if sentence.words[cue.first] in _NEEDS_WHOLE and not _excepts(sentence, cue, whole or negative):
        return
    if negative:
        yield ScopePatch(start, end, "affirmed", "exception_of_negative")
    elif cue.rule == "exception_or_addition" and _adds(sentence, cue):
        yield ScopePatch(start, end, "affirmed", "addition")
    elif whole or cue.rule == "exception":
        yield ScopePatch(start, end, cue.kind, cue.rule)
    else:
        yield ScopePatch(start, end, "uncertain", cue.rule)


def draw_replace(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """What is replaced: the object, or the subject of a passive; what replaces it is untouched."""
    if "way" in sentence.words[cue.first : cue.last] or is_passive(sentence, cue.first):
        found = sentence.subject(cue.first)
    else:
        found = gap_of(cue) or object_after(sentence, cue)
        if cue.first == 0 and gap_of(cue) is None:  # replace the filter once a year
            return
    if found is not None:
        by = is_passive(sentence, cue.first) and sentence.words[cue.last - 1] not in ("by", "with", "to", "for")
        yield ScopePatch(found.first, found.last, "uncertain" if by else cue.kind, cue.rule)


def draw_swap(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Swaps Y for Z: Y goes."""
    found = gap_of(cue) or (sentence.subject(cue.first) if is_passive(sentence, cue.first) else None)
    if found is not None:
        yield ScopePatch(found.first, found.last, cue.kind, cue.rule)


def draw_substitute(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Substitutes Z for Y: Y goes."""
    if sentence.words[cue.last - 1] == "for":
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)


def _adds(sentence: ScopedSentence, cue: Cue) -> bool:
    """Apart from the pool there is also a sauna; besides the pool there is a sauna."""
    return sentence.words[cue.first] == "besides" or (
        sentence.find(word_list("additive_words"), 0, sentence.length) >= 0
    )


def _is_negative(sentence: ScopedSentence, cue: Cue, end: int) -> bool:
    for place in range(sentence.length):
        outside = place < cue.first or place >= end
        if outside and sentence.words[place] in ("empty", "bare"):
            return True
    return any(other.draw in _NEGATIVE and not cue.first <= other.first < end for other in sentence.cues)


def _excepts(sentence: ScopedSentence, cue: Cue, whole: bool) -> bool:
    """Whether but, bar or save means except: a whole is named before, and a noun follows."""
    if sentence.words[cue.first] == "but":
        return sentence.is_exceptive(cue.first)
    noun = sentence.is_nominal(cue.first - 1) or sentence.pos(cue.first - 1) == "ADJ"
    return whole and noun and sentence.pos(cue.last) in ("DET", "NOUN", "PROPN", "ADJ", "PRON", "NUM")
