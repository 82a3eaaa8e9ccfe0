"""What is left out of a whole, and what stands in for something else."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.canvas import Canvas, ScopePatch
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import gap_of, is_passive, object_after
from constraintsuite.text.lexicon import word_list

_NEGATIVE = frozenset(("determiner", "pronoun", "none", "partitive", "particle", "nowhere", "neither", "nor"))
_NEEDS_WHOLE = frozenset(("but", "bar", "save", "beside"))


def draw_exception(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Everything except Y leaves Y out; nothing except Y keeps it; apart from Y can mean either."""
    sentence = canvas.sentence
    start = cue.last + 1 if sentence.pos(cue.last) == "ADP" else cue.last
    end = canvas.reach.phrase_end(start)
    whole = sentence.find(word_list("universals"), 0, sentence.length) >= 0
    negative = _is_negative(canvas, cue, end)
    if sentence.words[cue.first] in _NEEDS_WHOLE and not _excepts(canvas, cue, whole or negative):
        return
    if negative:
        yield ScopePatch(start, end, "affirmed", "exception_of_negative")
    elif cue.rule == "exception_or_addition" and _adds(canvas, cue):
        yield ScopePatch(start, end, "affirmed", "addition")
    elif whole or cue.rule == "exception":
        yield ScopePatch(start, end, cue.kind, cue.rule)
    else:
        yield ScopePatch(start, end, "uncertain", cue.rule)


def draw_replace(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """What is replaced: the object, or the subject of a passive; what replaces it is untouched."""
    sentence = canvas.sentence
    if "way" in sentence.words[cue.first : cue.last] or is_passive(canvas, cue.first):
        found = canvas.reach.subject(cue.first)
    else:
        found = gap_of(cue) or object_after(canvas, cue)
        if cue.first == 0 and gap_of(cue) is None:  # replace the filter once a year
            return
    if found is not None:
        by = is_passive(canvas, cue.first) and sentence.words[cue.last - 1] not in ("by", "with", "to", "for")
        yield ScopePatch(found.first, found.last, "uncertain" if by else cue.kind, cue.rule)


def draw_swap(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Swaps Y for Z: Y goes."""
    found = gap_of(cue) or (canvas.reach.subject(cue.first) if is_passive(canvas, cue.first) else None)
    if found is not None:
        yield ScopePatch(found.first, found.last, cue.kind, cue.rule)


def draw_substitute(canvas: Canvas, cue: Cue) -> Iterator[ScopePatch]:
    """Substitutes Z for Y: Y goes."""
    if canvas.sentence.words[cue.last - 1] == "for":
        yield ScopePatch(cue.last, canvas.reach.phrase_end(cue.last), cue.kind, cue.rule)


def _adds(canvas: Canvas, cue: Cue) -> bool:
    """Apart from the pool there is also a sauna; besides the pool there is a sauna."""
    return canvas.sentence.words[cue.first] == "besides" or (
        canvas.sentence.find(word_list("additive_words"), 0, canvas.sentence.length) >= 0
    )


def _is_negative(canvas: Canvas, cue: Cue, end: int) -> bool:
    sentence = canvas.sentence
    for place in range(sentence.length):
        outside = place < cue.first or place >= end
        if outside and sentence.words[place] in ("empty", "bare"):
            return True
    return any(other.draw in _NEGATIVE and not cue.first <= other.first < end for other in canvas.cues)


def _excepts(canvas: Canvas, cue: Cue, whole: bool) -> bool:
    """Whether but, bar or save means except: a whole is named before, and a noun follows."""
    sentence = canvas.sentence
    if sentence.words[cue.first] == "but":
        return canvas.reach.is_exceptive(cue.first)
    noun = sentence.is_nominal(cue.first - 1) or sentence.pos(cue.first - 1) == "ADJ"
    return whole and noun and sentence.pos(cue.last) in ("DET", "NOUN", "PROPN", "ADJ", "PRON", "NUM")
