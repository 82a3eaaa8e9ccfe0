"""The units of measurement: which words and symbols stand for them, and their exact sizes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml

_POWERS = (("square", "area", 2), ("cubic", "volume", 3))
_POWER_SIGNS = {2: ("2", "²", "^2"), 3: ("3", "³", "^3")}
_SHORT = {"square": ("sq", "sq."), "cubic": ("cu", "cu.")}


class UnitEntry(StrictModel):
    """A unit as the file `units.yaml` has it."""

    names: str
    symbols: str = ""
    factor: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class MeasuringUnit:
    """A unit with its dimension; units of one family convert into each other."""

    name: str
    dimension: str
    family: str
    factor: Fraction | None = None
    """Its size in the base unit of the family; without one it does not convert by a factor."""


@dataclass(frozen=True, slots=True)
class UnitTable:
    """All units, and the words and symbols that stand for them."""

    units: dict[str, MeasuringUnit]
    names: dict[str, MeasuringUnit]
    """By words in lower case, with single spaces."""
    symbols: dict[str, MeasuringUnit]
    """By the symbol without spaces, in its own case."""
    longest: dict[str, int]
    """By the first word or sign, in lower case: how many words and signs the longest form has."""


@cache
def unit_table() -> UnitTable:
    """The table made from `text/data/units.yaml`, with squares and cubes of all lengths."""
    entries = read_package_yaml(dict[str, dict[str, UnitEntry]], "constraintsuite.text", "data", "units.yaml")
    table = UnitTable({}, {}, {}, {})
    for dimension, units in entries.items():
        for name, entry in units.items():
            factor = Fraction(entry.factor) if entry.factor else None
            unit = MeasuringUnit(name, dimension, entry.family or (dimension if factor else name), factor)
            names = _plurals(entry.names.split(", "))
            _add(table, unit, names, entry.symbols.split())
            if dimension == "length" and factor is not None:
                _add_powers(table, unit, names, entry.symbols.split())
    return table


def _plurals(names: list[str]) -> list[str]:
    spelled = [name.replace("-", " ") for name in names]
    return spelled + [name + "s" for name in spelled]


def _add(table: UnitTable, unit: MeasuringUnit, names: list[str], symbols: list[str]) -> None:
    table.units[unit.name] = unit
    for name in names:
        table.names[name] = unit
        _note_length(table, name.split())
    for symbol in symbols:
        table.symbols[symbol] = unit
        _note_length(table, _signs(symbol))


def _add_powers(table: UnitTable, length: MeasuringUnit, names: list[str], symbols: list[str]) -> None:
    for word, dimension, power in _POWERS:
        factor = length.factor**power if length.factor is not None else None
        unit = MeasuringUnit(f"{word}_{length.name}", dimension, dimension, factor)
        _add(
            table,
            unit,
            [f"{before} {name}" for before in (word, *_SHORT[word]) for name in (*names, *symbols)]
            + [f"{name} {after}" for after in (word, f"{word}d") for name in names]
            + [f"{before[0]} . {name}" for before in [_SHORT[word]] for name in (*names, *symbols)],
            [symbol + sign for symbol in symbols if symbol.isalpha() for sign in _POWER_SIGNS[power]]
            + [f"{_SHORT[word][0]}/{symbol}" for symbol in symbols],
        )


def _note_length(table: UnitTable, parts: list[str]) -> None:
    first = parts[0].lower()
    table.longest[first] = max(table.longest.get(first, 0), len(parts))


def _signs(symbol: str) -> list[str]:
    """The parts into which the scanner cuts a symbol: letters together, every other sign alone."""
    parts: list[str] = []
    for character in symbol:
        if parts and character.isalnum() and not character.isdecimal() and parts[-1][-1].isalnum():
            parts[-1] += character
        else:
            parts.append(character)
    return parts
