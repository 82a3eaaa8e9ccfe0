"""Join a number with its limits, its range, its unit and what it is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from constraintsuite.text.quantities.contexts import implied_unit
from constraintsuite.text.quantities.counted import Counted, find_counted
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.limits import Limit, limit_after, limit_before, sides
from constraintsuite.text.quantities.lookalikes import is_label, is_list_marker, is_one_of_many, is_part_of_name, is_time_or_date, is_title, is_year
from constraintsuite.text.quantities.numbers import Number, read_number
from constraintsuite.text.quantities.quantity import convert_value
from constraintsuite.text.quantities.ranges import Connector, find_connector, scaled_like
from constraintsuite.text.quantities.rates import find_per
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.suits import age_end, suits, true_unit
from constraintsuite.text.quantities.unit_words import find_currency_before, find_unit
from constraintsuite.text.quantities.units import Unit, unit_table
from constraintsuite.text.quantities.vocabulary import vocabulary
from constraintsuite.text.readings import readings

_MINUS = frozenset("-−–")
_SIGNED = frozenset(("temperature", "share"))
_PRICED = frozenset("price prices priced tickets ticket rooms room cost costs available rates fares fees starting".split())
_DURING = frozenset("over".split())
_SURELY_MORE = frozenset("for just well in takes took lasts lasted little slightly after".split())
_SERVED_UNDER = frozenset("under above below beneath over".split())
_LIST_GAP = 4
_BRACKET = 10
_FOOT_MARKS = frozenset("'’′")
_INCH_MARKS = frozenset('"”″')
_CONTAINERS = frozenset("serving slice cup can bottle packet piece scoop clove pinch portion sheet tin".split())


@dataclass(frozen=True, slots=True)
class Term:
    """A number with its sign and the currency before it."""

    number: Number
    first: int
    currency: Unit | None = None
    negative: bool = False

    @property
    def value(self) -> float:
        """The signed value."""
        return -self.number.value if self.negative else self.number.value


class Resolved(NamedTuple):
    """The unit of a number, where it begins, and the place after it."""

    unit: str
    dimension: str
    at: int
    after: int
    hyphen: bool = False


def read_values(pieces: Pieces, at: int, previous: Draft | None) -> tuple[list[Draft], int]:
    """The quantities that begin with the number at a place (two for "from 0 to 100 km/h"), and where to read on."""
    term = _term(pieces, at)
    if term is None:
        return _one_unit(pieces, at)
    number = term.number
    converted = previous is not None and previous.after == at - 1 and pieces.lower(at - 1) == "/"  # 23°C/74°F
    if (term.currency is None and not converted and is_part_of_name(pieces, at)) or is_time_or_date(pieces, number):
        return [], number.after + (2 if pieces.lower(number.after) == ":" else 0)
    size = _feet_and_inches(pieces, term) or _size(pieces, term)
    if size:
        return size, size[-1].after
    pair = _pair(pieces, term)
    if pair is not None:
        return pair
    draft = _single(pieces, term, previous)
    return ([draft], draft.after) if draft is not None else ([], number.after)


def _term(pieces: Pieces, at: int) -> Term | None:
    """The number at a place, or after a currency sign at that place."""
    for start in (at, at + 1, at + 2):
        if start > at and pieces.at(start - 1).kind == "number":
            break
        currency = find_currency_before(pieces, start) if pieces.at(start).kind == "number" else None
        if start > at and (currency is None or currency[1] != at):
            continue
        number = read_number(pieces, start, money=currency is not None)
        if number is None:
            continue
        first = currency[1] if currency else start
        before = pieces.at(first - 1) if first else None
        worded = before is not None and before.lower in ("minus", "negative")
        glued = before is not None and before.text in _MINUS and pieces.touches(first - 1) and not pieces.touches(first - 2)
        negative = worded or (glued and number.digits and currency is None)
        return Term(number, first - 1 if negative else first, currency[0] if currency else None, negative)
    return None


def _single(pieces: Pieces, term: Term, previous: Draft | None) -> Draft | None:
    limit = limit_before(pieces, term.first)
    inner = limit_after(pieces, term.number.after)
    resolved = _resolve(pieces, term, limit, inner, previous)
    if resolved is None or (term.negative and resolved.dimension not in _SIGNED):
        return None
    outer = limit_after(pieces, resolved.after)
    bound = inner.bound or outer.bound or limit.bound
    first = _prices_from(pieces, term) if not bound else None
    if first is not None:
        bound, limit = "at least", Limit(first, "at least")
    value = _exact_value(term.number, term.value, resolved.dimension)
    if value is None or _is_ambiguous(pieces, limit, term.number, resolved):
        return None
    if resolved.dimension == "length" and _is_speed(pieces, resolved.after):
        return None
    low, high = sides(bound, value)
    draft = Draft(
        limit.place,
        term.number.first,
        resolved.at,
        max(resolved.after, outer.place),
        low,
        high,
        resolved.unit,
        resolved.dimension,
        bound=bound,
        approximate=limit.approximate or inner.approximate or outer.approximate,
        hyphen=resolved.hyphen,
    )
    return _with_per(pieces, draft)


def _resolve(pieces: Pieces, term: Term, limit: Limit, inner: Limit, previous: Draft | None) -> Resolved | None:
    """The unit of a number: its currency, the unit or noun after it, or what the words around it tell."""
    number = term.number
    if term.currency is not None:
        repeated = find_unit(pieces, number.after)
        after = repeated.after if repeated and repeated.unit == term.currency else number.after
        return Resolved(term.currency.name, "money", number.after, after)
    written = _written(pieces, number, inner.place, limited=limit.place < term.first)
    if written is not None:
        return written
    counted = _counted(pieces, number, inner.place, limited=limit.place < term.first, previous=previous)
    if counted is not None:
        return counted
    words = vocabulary().words
    if is_label(pieces, number) and pieces.lower(limit.place - 1) not in words.holders | words.people:
        return None
    following = tuple(pieces.lower(place) for place in range(number.after, inner.place))
    implied = implied_unit(pieces, limit.place, number, following)
    return Resolved(implied.unit, implied.dimension, inner.place, inner.place) if implied else None


def _written(pieces: Pieces, number: Number, at: int, *, limited: bool) -> Resolved | None:
    start = at
    found = find_unit(pieces, start)
    if found is None and pieces.lower(at) in vocabulary().words.several_more:
        found = find_unit(pieces, at + 1)
        found = found if found and found.unit.dimension == "duration" else None
    if found is None or not suits(pieces, number, found, limited=limited):
        return None
    unit = true_unit(pieces, number, found)
    if unit.dimension in ("duration", "other") and (end := age_end(pieces, found.after)):
        return Resolved(unit.name, "age", number.after, end, found.hyphen)
    return Resolved(unit.name, unit.dimension, number.after, found.after, found.hyphen)


def _counted(
    pieces: Pieces, number: Number, at: int, *, limited: bool, previous: Draft | None
) -> Resolved | None:
    if number.part or number.european and not number.value.is_integer() or is_title(pieces, number):
        return None
    if is_one_of_many(pieces, number):
        return None
    named = is_label(pieces, number) or is_list_marker(pieces, number)
    if named or (not limited and is_year(pieces, number)) or _is_age_of_people(pieces, number):
        return None
    found = find_counted(pieces, at)
    one = number.value == 1
    if found is None and one and not number.digits:
        found = _one_of_a_list(pieces, number, previous)
    elif one or number.value == 0:
        return None
    if found is None or (not (2 * number.value).is_integer() and found.noun != "point"):
        return None
    unit = unit_table().units.get(found.noun)
    if unit is not None and found.after == at + 1:
        return None  # it was refused as a unit: two degrees
    return Resolved(found.noun, unit.dimension if unit else "count", at, found.after, found.hyphen)


def _is_age_of_people(pieces: Pieces, number: Number) -> bool:
    """Whether a number limits people by age, such as "everybody over 65"; the next word is no noun then."""
    before = pieces.lower(number.first - 2)
    return pieces.lower(number.first - 1) in _SERVED_UNDER and before in vocabulary().words.people


def _one_of_a_list(pieces: Pieces, number: Number, previous: Draft | None) -> Counted | None:
    """The singular noun after "one" where it stands in a list of numbers, or measures out something."""
    at = number.after
    piece = pieces.at(at)
    if piece.kind != "word" or not piece.text.islower() or not any(one.tag == "NN" for one in readings(piece.lower)):
        return None
    joined = pieces.lower(number.first - 1) in ("and", ",")
    follows = joined and previous is not None and number.first - previous.after <= _LIST_GAP and previous.dimension == "count"
    listed = pieces.lower(at + 1) in (",", "and") and read_number(pieces, at + 2) is not None
    return Counted(piece.lower, at + 1) if follows or listed or piece.lower in _CONTAINERS else None


def _pair(pieces: Pieces, term: Term) -> tuple[list[Draft], int] | None:
    """A range such as 15 to 20 minutes, or the two values of a change; None if there is no second number."""
    found = find_unit(pieces, term.number.after) if term.currency is None else None
    end = found.after if found else term.number.after
    connector = find_connector(pieces, term.first, end)
    other = _term(pieces, connector.after) if connector else None
    if connector is None or other is None or other.negative and connector.kind == "dash":
        return None
    if connector.kind == "or" and found is None and pieces.lower(connector.after) == "a":
        return None
    limit = limit_before(pieces, connector.first)
    if term.currency is not None and other.currency is None:
        other = replace(other, currency=term.currency)
        number = read_number(pieces, other.number.first, money=True)
        other = replace(other, number=number) if number else other
    resolved = _resolve(pieces, other, Limit(other.first - 1), Limit(other.number.after), None)
    if resolved is None:
        resolved = _resolve_age(pieces, connector, term, other)
    if resolved is None or is_time_or_date(pieces, other.number):
        return ([], other.number.after) if connector.kind == "dash" and found is None else None
    low = scaled_like(pieces, term.number, term.value, other.number)
    if found is not None and found.unit.name != resolved.unit:
        converted = convert_value(low, found.unit.name, resolved.unit)
        if converted is None and connector.kind in ("from", "between"):
            return [], resolved.after  # from two weeks to eight months
        if converted is None or connector.kind == "or":
            return None
        low = converted
    return _joined(pieces, term, other, connector, limit, resolved, low)


def _resolve_age(pieces: Pieces, connector: Connector, term: Term, other: Term) -> Resolved | None:
    implied = implied_unit(pieces, connector.first, replace(term.number, after=other.number.after), ())
    at = other.number.after
    return Resolved(implied.unit, implied.dimension, at, at) if implied else None


def _joined(
    pieces: Pieces, term: Term, other: Term, connector: Connector, limit: Limit, resolved: Resolved, low: float
) -> tuple[list[Draft], int]:
    one = _exact_value(term.number, low, resolved.dimension)
    two = _exact_value(other.number, other.value, resolved.dimension)
    if one is None or two is None or (min(one, two) < 0 and resolved.dimension not in _SIGNED):
        return [], resolved.after
    draft = Draft(
        limit.place,
        term.number.first,
        resolved.at,
        resolved.after,
        one,
        two,
        resolved.unit,
        resolved.dimension,
        bound="range",
        approximate=limit.approximate,
        hyphen=resolved.hyphen,
    )
    if connector.kind == "change" or (connector.kind in ("to", "from") and one > two and term.number.after < connector.after - 1):
        first = replace(draft, first=term.first, after=connector.after - 1, high=one, bound="")
        second = replace(draft, first=other.first, number=other.number.first, low=two, bound="")
        return [first, _with_per(pieces, second)], second.after
    if one >= two or (limit.bound and not pieces.lower(limit.place).startswith("start")):
        return [], resolved.after
    outer = limit_after(pieces, resolved.after)
    draft = replace(draft, after=max(draft.after, outer.place), approximate=draft.approximate or outer.approximate)
    draft = _with_per(pieces, draft)
    return [draft], draft.after


def _feet_and_inches(pieces: Pieces, term: Term) -> list[Draft]:
    """The length of 6'2"; a quotation mark has to close it."""
    at = term.number.after
    inches = _term(pieces, at + 1) if pieces.at(at).text in _FOOT_MARKS and pieces.touches(at - 1) else None
    if inches is None or not term.number.plain or not inches.number.digits or inches.number.value >= 12:
        return []
    marks = 1 if pieces.at(inches.number.after).text in _INCH_MARKS else 0
    if not marks or not pieces.touches(inches.number.after - 1):
        return []
    value = 12 * term.value + inches.value
    after = inches.number.after + marks
    return [Draft(term.first, term.number.first, at, after, value, value, "inch", "length")]


def _size(pieces: Pieces, term: Term) -> list[Draft]:
    """The lengths of 101 x 41 x 50 cm; empty if the number begins no such list."""
    terms, after, units = [term], term.number.after, 0
    while True:
        found = find_unit(pieces, after)
        end = found.after if found and found.unit.dimension == "length" else after
        units = end if end > after else units
        if pieces.lower(end) not in ("x", "×", "by") or len(terms) > 3:
            break
        other = _term(pieces, end + 1)
        if other is None or other.currency is not None:
            break
        terms.append(other)
        after = other.number.after
    last = find_unit(pieces, after)
    if len(terms) < 2 or last is None or last.unit.dimension != "length":
        return []
    return [
        Draft(
            one.first,
            one.number.first,
            one.number.after,
            last.after if one is terms[-1] else one.number.after,
            one.value,
            one.value,
            last.unit.name,
            "length",
        )
        for one in terms
    ]


def _one_unit(pieces: Pieces, at: int) -> tuple[list[Draft], int]:
    """A unit without a number: under an hour, about a mile, an hour and a half."""
    if pieces.lower(at) not in ("a", "an"):
        return [], at + 1
    found = find_unit(pieces, at + 1)
    if found is None or found.hyphen or pieces.at(at + 1).kind != "word" or len(pieces.at(at + 1).text) < 3:
        return [], at + 1
    limit = limit_before(pieces, at)
    half = [pieces.lower(found.after + offset) for offset in range(3)] == ["and", "a", "half"]
    if not half and (not (limit.bound or limit.approximate) or found.unit.name in ("time", "star", "second", "bit")):
        return [], at + 1
    if not half and (limit.bound in ("over", "under") and pieces.lower(limit.place) in _SERVED_UNDER | {"near"}):
        safe = pieces.lower(at - 1) == "under" or pieces.lower(limit.place - 1) in _SURELY_MORE
        if not safe:
            return [], at + 1
    number = Number(1.5 if half else 1.0, at, at + 1, digits=False)
    unit = true_unit(pieces, number, found)
    low, high = sides(limit.bound, number.value)
    draft = Draft(
        limit.place,
        at,
        at + 1,
        found.after + (3 if half else 0),
        low,
        high,
        unit.name,
        unit.dimension,
        bound=limit.bound,
        approximate=limit.approximate,
    )
    return [_with_per(pieces, draft)], draft.after


def _with_per(pieces: Pieces, draft: Draft) -> Draft:
    if draft.hyphen:
        return draft
    per, after = find_per(pieces, draft.after, draft.dimension)
    return replace(draft, per=per, after=after) if per else draft


def _exact_value(number: Number, value: float, dimension: str) -> float | None:
    """The value as an English writer means it; None where point and comma can be read in two ways."""
    if dimension == "money" and number.three_decimals and number.after == number.first + 1:
        return None
    if not number.european:
        return value
    if value.is_integer():  # 3.000
        return value * 1000 if dimension in ("count", "age", "duration") and value >= 1 else None
    return value if dimension not in ("count", "age") else None


def _is_speed(pieces: Pieces, at: int) -> bool:
    """Whether a bracket stands between a length and "per second": 150 metres (or roughly 500 feet) per second."""
    if pieces.lower(at) not in ("(", ")"):
        return False
    end = next((place for place in range(at, at + _BRACKET) if pieces.lower(place) == ")"), at)
    return pieces.lower(end + 1) in ("per", "/") and pieces.lower(end + 2) in ("second", "hour", "minute")


def _prices_from(pieces: Pieces, term: Term) -> int | None:
    """The place of "from" in "rooms from £40"."""
    place = term.first - 1
    if term.currency is None or pieces.lower(place) != "from":
        return None
    return place if pieces.opens(place) or pieces.lower(place - 1) in _PRICED else None


def _is_ambiguous(pieces: Pieces, limit: Limit, number: Number, resolved: Resolved) -> bool:
    """Whether "over three years" may mean during, or "under two kings" the time of their reign."""
    word = pieces.lower(limit.place)
    if resolved.dimension == "duration" and word in _DURING and number.value < 6:
        return pieces.lower(limit.place - 1) not in _SURELY_MORE
    return resolved.dimension == "count" and word in _SERVED_UNDER and not number.digits

