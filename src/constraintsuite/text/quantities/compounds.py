"""Quantities that belong together: 1 hour and 52 minutes, three hours and a half, 6 ft 3 in, 46.4 °F (8 °C)."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.limits import sides
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import find_unit
from constraintsuite.text.quantities.units import unit_table

_COMPOUND = ("duration", "length", "mass", "age")
_NEXT = {
    ("year", "month"),
    ("hour", "minute"),
    ("minute", "second"),
    ("foot", "inch"),
    ("pound", "ounce"),
    ("stone", "pound"),
}


def join_compounds(pieces: Pieces, drafts: list[Draft]) -> list[Draft]:
    """The drafts, with a larger and a smaller unit that follow each other made one quantity in the smaller."""
    joined: list[Draft] = []
    for each in drafts:
        draft = _with_part(pieces, each if joined and joined[-1].after == each.first - 1 else _with_one(pieces, each))
        if joined and (_is_rest_of_years(pieces, joined[-1], draft) or _lost_its_square(pieces, joined[-1], draft)):
            continue
        whole = _sum(pieces, joined[-1], draft) if joined else None
        if whole is not None:
            joined[-1] = whole
        else:
            joined.append(draft)
    return joined


def _with_one(pieces: Pieces, small: Draft) -> Draft:
    """The draft with the one larger unit before it: an hour and ten minutes; after "an hour to" it is the end of a range."""
    at = small.first - 3
    found = find_unit(pieces, at + 1) if pieces.lower(at) in ("a", "an") and pieces.lower(at + 2) == "and" else None
    one, two = (unit_table().units.get(name) for name in (found.unit.name if found else "", small.unit))
    if one is None or two is None or one.factor is None or two.factor is None or (one.name, two.name) not in _NEXT:
        return small
    ratio = one.factor / two.factor
    if small.low is None or small.low != small.high or small.low >= ratio or small.approximate:
        return small
    whole = int(ratio) + small.low
    low = None if pieces.lower(at - 1) in ("to", "or") else whole
    return replace(small, first=at, low=low, high=whole, bound="" if low else "range")


def _with_part(pieces: Pieces, draft: Draft) -> Draft:
    """The draft with the half or quarter after its unit: three hours and a half."""
    words = [pieces.lower(draft.after + offset) for offset in range(5)]
    part = {"half": 0.5, "quarter": 0.25}.get(words[2])
    if part is None or words[:2] != ["and", "a"] or draft.dimension not in _COMPOUND:
        return draft
    if draft.low is None or draft.low != draft.high or draft.low != int(draft.low) or draft.hyphen or draft.per:
        return draft
    if words[3] == "-" or words[3:] in (["of", "a"], ["of", "an"]) or find_unit(pieces, draft.after + 3) is not None:
        return draft  # three hours and a half-mile, and a quarter of a mile
    return replace(draft, after=draft.after + 3, low=draft.low + part, high=draft.low + part)


def _is_rest_of_years(pieces: Pieces, large: Draft, small: Draft) -> bool:
    """Whether days only add to years, as in 70 years and 126 days; no exact factor joins them."""
    if large.dimension != "duration":
        return False
    calendar = large.unit in ("year", "month") and small.unit in ("week", "day") and small.low == small.high
    return calendar and [pieces.lower(place) for place in range(large.after, small.first)] in (
        [],
        ["and"],
        [","],
        [",", "and"],
    )


def _lost_its_square(pieces: Pieces, area: Draft, length: Draft) -> bool:
    """Whether a length in brackets gives an area, whose exponent the text has lost: 70,762 square miles (183,273 km)."""
    bracketed = pieces.at(length.first - 1).text in "([;" and length.first == area.after + 1
    return bracketed and area.dimension == "area" and length.dimension == "length"


def share_bounds(pieces: Pieces, drafts: list[Draft]) -> list[Draft]:
    """The drafts, with the bound of a quantity given also to the one in brackets after it, and to its partner.

    "colder than 46.4 °F (8 °C)" bounds both values; so does "up to 59 cm in size, and 3 kg in weight".
    """
    shared: list[Draft] = []
    for draft in drafts:
        before = shared[-1] if shared else None
        if before is not None and before.bound not in ("", "range") and not draft.bound and draft.low == draft.high:
            same = draft.unit == before.unit
            if (
                (same and _alternative(pieces, before, draft))
                or _in_brackets(pieces, before, draft)
                or _partners(pieces, before, draft)
            ):
                low, high = sides(before.bound, draft.low or 0.0)
                draft = replace(draft, low=low, high=high, bound=before.bound)  # noqa: PLW2901
        shared.append(draft)
    return shared


def _sum(pieces: Pieces, large: Draft, small: Draft) -> Draft | None:
    if large.unit == "hour" and pieces.lower(small.after - 1) == "m" and large.after == small.first:
        small = replace(small, unit="minute", dimension="duration")  # 2h 15m
    units = unit_table().units
    one, two = units.get(large.unit), units.get(small.unit)
    if one is None or two is None or small.dimension not in _COMPOUND or small.low != small.high or small.low is None:
        return None
    if one.family != two.family or one.factor is None or two.factor is None or large.bound == "range" or large.per:
        return None
    gap = [pieces.lower(place) for place in range(large.after, small.first)]
    if gap not in ([], ["and"]) and not (gap in ([","], [",", "and"]) and (large.unit, small.unit) in _NEXT):
        return None
    ratio = one.factor / two.factor
    if ratio <= 1 or small.low >= ratio or small.approximate or ratio.denominator != 1:
        return None
    low, high = (None if value is None else value * int(ratio) + small.low for value in (large.low, large.high))
    return replace(
        small,
        first=large.first,
        number=large.number,
        low=low,
        high=high,
        bound=large.bound,
        approximate=large.approximate,
    )


def _in_brackets(pieces: Pieces, before: Draft, draft: Draft) -> bool:
    return (
        draft.first == before.after + 1
        and pieces.at(before.after).text in "(["
        and draft.dimension == before.dimension
        and draft.unit != before.unit
    )


def _alternative(pieces: Pieces, before: Draft, draft: Draft) -> bool:
    """Whether a value restates the one before it: less than $47,950 (a year), or $23.05."""
    return [pieces.lower(place) for place in range(before.after, draft.first)] == [",", "or"]


def _partners(pieces: Pieces, before: Draft, draft: Draft) -> bool:
    gap = [pieces.lower(place) for place in range(before.after, draft.first)]
    return len(gap) in (3, 4) and gap[0] == "in" and gap[-1] == "and" and pieces.lower(draft.after) == "in"
