"""Numbers whose unit the words around them tell: ages, people served, populations and marks out of ten."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.text.quantities.numbers import WrittenNumber, parse_digits, read_number
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.vocabulary import context_words, vocabulary

_SCALES = (4.0, 5.0, 6.0, 10.0, 20.0, 100.0)
_AGE_WORDS = frozenset(["aged", "ages", "age"])
_REACH = 8


class Implied(NamedTuple):
    """A unit that is not written after the number."""

    unit: str
    dimension: str


class Mark(NamedTuple):
    """A mark on a scale, such as 4.6/5, and the place after it."""

    value: float
    unit: str
    unit_at: int
    after: int


class _Scored(NamedTuple):
    """A value on a scale as it is written, before it is known to be a mark."""

    value: float | None
    scale: float | None
    unit_at: int
    after: int
    sure: bool
    """Whether it can hardly be a date or a fraction."""


def read_mark(pieces: Pieces, at: int) -> Mark | None:
    """The mark at a place: 4.6/5, nine out of ten, 4.5 out of 5 stars."""
    slash = pieces.lower(at + 1) == "/" and pieces.touches(at) and pieces.touches(at + 1)
    scored = _with_slash(pieces, at) if slash else _out_of(pieces, at)
    if scored is None or scored.value is None or scored.scale not in _SCALES or scored.value > scored.scale:
        return None
    after = scored.after
    if pieces.lower(after) in ("star", "stars"):
        return Mark(scored.value, "star", scored.unit_at, after + 1)
    continues = pieces.at(after).kind == "number" or (pieces.lower(after) == "/" and pieces.touches(after))
    if continues or not (scored.sure or _is_marked(pieces, at)):
        return None
    if pieces.lower(after) in ("point", "points"):
        after += 1
    elif not slash and pieces.at(after).kind == "word" and pieces.lower(after) not in context_words().after_mark:
        return None  # nine out of ten people
    return Mark(scored.value, "point", scored.unit_at, after)


def _with_slash(pieces: Pieces, at: int) -> _Scored | None:
    above, below = pieces.at(at), pieces.at(at + 2)
    if above.kind != "number" or below.kind != "number":
        return None
    return _Scored(parse_digits(above.text), parse_digits(below.text), at + 1, at + 3, "." in above.text)


def _out_of(pieces: Pieces, at: int) -> _Scored | None:
    number = read_number(pieces, at)
    if number is None or pieces.lower(number.after) != "out" or pieces.lower(number.after + 1) != "of":
        return None
    whole = read_number(pieces, number.after + 2)
    return _Scored(number.value, whole.value, number.after, whole.after, False) if whole else None


def implied_unit(pieces: Pieces, first: int, number: WrittenNumber, following: tuple[str, ...]) -> Implied | None:
    """The unit of a number without one; `first` is the place of the words that limit it, `following` what limits it after."""
    before = pieces.lower(first - 1)
    words = vocabulary().words
    if following and number.value < 130:
        sided = following[-1] in ("under", "over", "up", "above", "below") and before in words.people
        if sided or following[-1] in ("older", "younger"):
            return Implied("year", "age")
    if _is_age(pieces, first, number):
        return Implied("year", "age")
    if before in words.holders or (before == ":" and pieces.lower(first - 2) in words.holders):
        return Implied("person", "count") if 1 < number.value < 100_000 and _is_free(pieces, number.after) else None
    if before == "of" and pieces.lower(first - 2) == "capacity" and number.value > 1 and _is_free(pieces, number.after):
        return Implied("person", "count")
    if _is_population(pieces, first) and _is_free(pieces, number.after):
        return Implied("inhabitant", "count")
    return None


def _is_age(pieces: Pieces, first: int, number: WrittenNumber) -> bool:
    if not 0 < number.value < 130:
        return False
    if pieces.lower(number.first - 1) == "of" and pieces.lower(number.first - 2) in ("age", "ages"):
        return pieces.at(number.after).text not in ("%", "/", "°")
    if not _is_free(pieces, number.after):
        return False
    before, second = pieces.lower(first - 1), pieces.lower(first - 2)
    if before in _AGE_WORDS or (before in ("of", "between", "from") and second in ("age", "ages", "aged")):
        return True
    if before in ("is", "was", ":") and "age" in [pieces.lower(first - back) for back in range(2, 7)]:
        return number.value > 1
    limited = first < number.first and pieces.lower(first) in ("under", "over", "above", "below")
    return limited and before in vocabulary().words.people


def _is_free(pieces: Pieces, after: int) -> bool:
    """Whether no noun, scale or number follows that the number may belong to."""
    piece = pieces.at(after)
    if piece.kind == "number" or piece.text in ("%", "/", "°") or (piece.text == ":" and pieces.touches(after)):
        return False
    return (
        piece.kind != "word"
        or piece.lower in vocabulary().words.no_modifiers
        or piece.lower in context_words().after_bare_number
    )


def _is_population(pieces: Pieces, first: int) -> bool:
    before = pieces.lower(first - 1)
    changes = vocabulary().words.change_verbs
    if (
        before not in context_words().reaching
        and before not in changes
        and not (before == "to" and pieces.lower(first - 2) in changes)
    ):
        return False
    for place in range(first - 1, max(first - _REACH, -1), -1):
        if pieces.lower(place) == "population":
            return "density" not in (pieces.lower(place + 1), pieces.lower(place + 2))
        if pieces.ends_sentence(place) or pieces.lower(place) in (";", ","):
            return False
    return False


def _is_marked(pieces: Pieces, at: int) -> bool:
    first, after = pieces.sentence(at, 12)
    return any(pieces.lower(place) in context_words().marking for place in range(first, after))
