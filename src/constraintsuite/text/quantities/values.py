"""Join a number with its limits, its range, its unit and what it is for."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.text.quantities.contexts import implied_unit
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.limits import Limit, limit_after, limit_before, sides
from constraintsuite.text.quantities.lookalikes import is_part_of_name, is_time_or_date
from constraintsuite.text.quantities.numbers import WrittenNumber, read_number
from constraintsuite.text.quantities.quantity import convert_value
from constraintsuite.text.quantities.ranges import Connector, find_connector, scaled_like
from constraintsuite.text.quantities.rates import find_per
from constraintsuite.text.quantities.resolve import SIDES, Resolved, exact_value, resolve_unit
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.sizes import read_feet_and_inches, read_size
from constraintsuite.text.quantities.suits import true_unit
from constraintsuite.text.quantities.terms import Term, read_term
from constraintsuite.text.quantities.unit_words import find_unit
from constraintsuite.text.quantities.vocabulary import context_words

_SIGNED = frozenset(("temperature", "share"))
_BRACKET = 10


def read_values(pieces: Pieces, at: int, previous: Draft | None) -> tuple[list[Draft], int]:
    """The quantities that begin with the number at a place (two for "from 0 to 100 km/h"), and where to read on."""
    term = read_term(pieces, at)
    if term is None:
        return _one_unit(pieces, at)
    number = term.number
    if _follows_number(pieces, at):
        return [], number.after
    converted = previous is not None and previous.after == at - 1 and pieces.lower(at - 1) == "/"  # 23°C/74°F
    if (term.currency is None and not converted and is_part_of_name(pieces, at)) or is_time_or_date(pieces, number):
        return [], number.after + (2 if pieces.lower(number.after) == ":" else 0)
    size = read_feet_and_inches(pieces, term) or read_size(pieces, term)
    if size:
        return size, size[-1].after
    pair = _pair(pieces, term)
    if pair is not None:
        return pair
    draft = _single(pieces, term, previous)
    return ([draft], draft.after) if draft is not None else ([], number.after)


def _follows_number(pieces: Pieces, at: int) -> bool:
    """Whether another number stands right before, as in 0800 123 456; a year may: in 2010 300 people."""
    before = pieces.at(at - 1)
    apart = before.kind == "number" and pieces.spaced(at - 1) and pieces.at(at).kind == "number"
    return apart and not (len(before.text) == 4 and before.text[:2] in ("18", "19", "20"))


def _single(pieces: Pieces, term: Term, previous: Draft | None) -> Draft | None:
    limit = limit_before(pieces, term.first)
    inner = limit_after(pieces, term.number.after)
    resolved = resolve_unit(pieces, term, limit, inner, previous)
    if resolved is None or (term.negative and resolved.dimension not in _SIGNED):
        return None
    outer = limit_after(pieces, resolved.after)
    bound = inner.bound or outer.bound or limit.bound
    first = _prices_from(pieces, term) if not bound else None
    if first is not None:
        bound, limit = "at least", Limit(first, "at least")
    value = exact_value(term.number, term.value, resolved.dimension)
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


def _pair(pieces: Pieces, term: Term) -> tuple[list[Draft], int] | None:
    """A range such as 15 to 20 minutes, or the two values of a change; None if there is no second number."""
    found = find_unit(pieces, term.number.after) if term.currency is None else None
    end = found.after if found else term.number.after
    if found is not None or term.currency is not None:
        _, end = find_per(pieces, end, "money" if term.currency is not None else "")  # $3 per square foot to $12
    connector = find_connector(pieces, term.first, end)
    other = read_term(pieces, connector.after) if connector else None
    if connector is None or other is None or (other.negative and connector.kind == "dash"):
        return None
    if connector.kind == "or" and term.currency is not None and other.currency is not None:
        return None  # USD 120 or USD 11 a month
    limit = limit_before(pieces, connector.first)
    if term.currency is not None and other.currency is None:
        other = replace(other, currency=term.currency)
        number = read_number(pieces, other.number.first, money=True)
        other = replace(other, number=number) if number else other
    resolved = resolve_unit(pieces, other, Limit(other.first - 1), Limit(other.number.after), None)
    if resolved is None:
        resolved = _resolve_age(pieces, connector, term, other)
    if resolved is None or is_time_or_date(pieces, other.number):
        return ([], other.number.after) if connector.kind == "dash" and found is None else None
    if connector.kind == "or" and term.value >= other.value:
        return None
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
    one = exact_value(term.number, low, resolved.dimension)
    two = exact_value(other.number, other.value, resolved.dimension)
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
    if connector.kind == "change" or (
        connector.kind in ("to", "from") and one > two and term.number.after < connector.after - 1
    ):
        first = replace(draft, first=term.first, after=connector.after - 1, high=one, bound="")
        second = replace(draft, first=other.first, number=other.number.first, low=two, bound="")
        return [first, _with_per(pieces, second)], second.after
    if one >= two or (limit.bound and not pieces.lower(limit.place).startswith("start")):
        return [], resolved.after
    outer = limit_after(pieces, resolved.after)
    draft = replace(draft, after=max(draft.after, outer.place), approximate=draft.approximate or outer.approximate)
    draft = _with_per(pieces, draft)
    return [draft], draft.after


def _one_unit(pieces: Pieces, at: int) -> tuple[list[Draft], int]:
    """A unit without a number: under an hour, about a mile, an hour and a half."""
    if pieces.lower(at) not in ("a", "an"):
        return [], at + 1
    found = find_unit(pieces, at + 1)
    if found is None or found.hyphen or pieces.at(at + 1).kind != "word" or len(pieces.at(at + 1).text) < 3:
        return [], at + 1
    limit = limit_before(pieces, at)
    if limit_after(pieces, found.after).bound:
        return [], at + 1  # up to a year or longer
    after = [pieces.lower(found.after + offset) for offset in range(3)]
    half = after[:2] == ["and", "a"] and after[2] in ("half", "quarter")
    if not half and (not (limit.bound or limit.approximate) or found.unit.name in ("time", "star", "second", "bit")):
        return [], at + 1
    if not half and (limit.bound in ("over", "under") and pieces.lower(limit.place) in SIDES | {"near"}):
        safe = pieces.lower(at - 1) == "under" or pieces.lower(limit.place - 1) in context_words().before_over
        if not safe:
            return [], at + 1
    number = WrittenNumber({"half": 1.5, "quarter": 1.25}[after[2]] if half else 1.0, at, at + 1, digits=False)
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
    return place if pieces.opens(place) or pieces.lower(place - 1) in context_words().priced else None


def _is_ambiguous(pieces: Pieces, limit: Limit, number: WrittenNumber, resolved: Resolved) -> bool:
    """Whether "over three years" may mean during, or "under two kings" the time of their reign."""
    word = pieces.lower(limit.place)
    if resolved.dimension == "duration" and word == "over" and number.value < 6:
        return pieces.lower(limit.place - 1) not in context_words().before_over
    return resolved.dimension == "count" and word in SIDES and not number.digits
