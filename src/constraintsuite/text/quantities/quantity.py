"""A quantity that a text states, and its conversion to other units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from constraintsuite.text.quantities.units import unit_table

QuantityBound = Literal["", "under", "over", "at most", "at least", "range"]
_ZERO_CELSIUS = Fraction(27315, 100)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, or an interval of numbers, and what it measures."""

    start: int
    end: int
    low: float | None
    """The smallest value; None if that side is open."""
    high: float | None
    """The largest value; None if that side is open."""
    unit: str
    """The singular: `minute`, `EUR`, `square_kilometre`, or the noun that is counted."""
    dimension: str
    per: str = ""
    """What the value is for: `night` in EUR 40 a night."""
    bound: QuantityBound = ""
    """How the text limits it: "under 30 minutes" excludes 30, "at most 30 minutes" includes it."""
    approximate: bool = False
    measured: str = ""
    """What the number measures, such as price or cooking time."""
    of: str = ""
    """The thing that is measured; empty if the sentence does not name it."""


def convert(quantity: Quantity, unit: str) -> Quantity | None:
    """The quantity in another unit, or None if no exact factor leads there.

    Currencies, months and days, and units with several sizes (ton, gallon and litre, calorie) do not convert.
    """
    if unit == quantity.unit:
        return quantity
    low, high = (convert_value(value, quantity.unit, unit) for value in (quantity.low, quantity.high))
    if (low is None and quantity.low is not None) or (high is None and quantity.high is not None):
        return None
    return replace(quantity, low=low, high=high, unit=unit)


def convert_value(value: float | None, source: str, target: str) -> float | None:
    """A value in another unit, or None if no exact factor leads there."""
    units = unit_table().units
    one, other = units.get(source), units.get(target)
    if value is None or one is None or other is None:
        return None
    if one.dimension == "temperature" == other.dimension:
        return _from_kelvin(_to_kelvin(_exact(value), source), target)
    if one.family != other.family or one.factor is None or other.factor is None:
        return None
    return float(_exact(value) * one.factor / other.factor)


def _exact(value: float) -> Fraction:
    """The decimal number that was written, not its nearest binary fraction."""
    return Fraction(repr(float(value)))


def _to_kelvin(value: Fraction, unit: str) -> Fraction | None:
    match unit:
        case "degree_celsius":
            return value + _ZERO_CELSIUS
        case "degree_fahrenheit":
            return (value - 32) * Fraction(5, 9) + _ZERO_CELSIUS
        case "kelvin":
            return value
    return None


def _from_kelvin(value: Fraction | None, unit: str) -> float | None:
    if value is None:
        return None
    match unit:
        case "degree_celsius":
            return float(value - _ZERO_CELSIUS)
        case "degree_fahrenheit":
            return float((value - _ZERO_CELSIUS) * Fraction(9, 5) + 32)
        case "kelvin":
            return float(value)
    return None
