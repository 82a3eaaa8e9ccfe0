"""The constraint type `number`: a quantity below a limit, or above it ("hotels under 80 euros a night")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Literal

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver
from constraintsuite.suites.reading.records import ValuesRead
from constraintsuite.suites.sides.limits import LimitBuilder, Limited, RoundLimits
from constraintsuite.suites.sides.measures import LimitedMeasure, LimitWording, StatedValue, ValueRange
from constraintsuite.suites.sides.solvers import BY_CONSTRUCTION, LIMIT_SOLVERS, UNBALANCED
from constraintsuite.text.quantities.quantity import Quantity, convert


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Limited):
    """A query for a quantity below or above a limit, which is in `unit`."""

    type: Literal["number"] = "number"
    unit: str


class QuantityMeasure(LimitedMeasure):
    """A quantity that can be limited, in one unit."""

    dimension: str
    units: tuple[str, ...]
    """Units that count; others than `unit` are converted."""
    measured: frozenset[str]
    """What the text must say that the quantity measures; if empty, anything."""
    per: str | None
    """What the value must be for, such as `night`; None if that does not matter."""
    signs: str = ""
    """A pattern that the sentence of the quantity must match; if empty, any sentence will do."""
    no_signs: str = ""
    """A pattern that it must not match: the time of one step is not the time of a recipe."""
    written: str
    """A value in words, with `{n}` for the number."""

    def find(self, reading: ValuesRead, text: str) -> Iterator[StatedValue]:
        """The quantities that this measure is about."""
        for quantity in reading.quantities:
            if _is_meant(quantity, self) and _is_said(quantity, self, text):
                converted = convert(quantity, self.unit)
                if converted is not None:
                    low = -inf if converted.low is None else round(converted.low, 6)
                    high = inf if converted.high is None else round(converted.high, 6)
                    written = _in_words(low, high, self.unit)
                    stated = ValueRange(low, high, converted.approximate)
                    yield StatedValue(quantity.start, quantity.end, stated, written)

    def write(self, value: float) -> str:
        """Such as "700 pounds a week"."""
        return self.written.format(n=f"{value:,g}" if value < 1e6 else f"{value:,.0f}")


class _MeasureEntry(StrictModel):
    """An entry of the file; one with currencies stands for several measures."""

    key: str
    of: tuple[str, ...] = ()
    dimension: str
    units: tuple[str, ...] = ()
    unit: str = ""
    measured: frozenset[str] = frozenset()
    written: str = "{n}"
    currencies: Mapping[str, str] = {}
    per: Mapping[str, str] = {}
    signs: str = ""
    no_signs: str = ""
    limits: tuple[float, ...]
    wordings: tuple[LimitWording, ...]
    comparing: tuple[LimitWording, ...] = ()

    def measures(self) -> Iterator[QuantityMeasure]:
        """The measure, or one for each currency and each thing that a price is for."""
        for currency, written in (self.currencies or {"": self.written}).items():
            pers: list[tuple[str | None, str]] = [*self.per.items()] or [(None, "")]
            for per, ending in pers:
                yield QuantityMeasure(
                    key="_".join(filter(None, (self.key, currency, per))),
                    of=self.of,
                    limits=self.limits,
                    wordings=self.wordings,
                    comparing=self.comparing,
                    dimension=self.dimension,
                    units=(currency,) if currency else self.units,
                    unit=currency or self.unit,
                    measured=self.measured,
                    per=per,
                    written=written + ending,
                    signs=self.signs,
                    no_signs=self.no_signs,
                )


@cache
def quantity_measures() -> tuple[QuantityMeasure, ...]:
    """The measures of the file."""
    entries = read_package_yaml(tuple[_MeasureEntry, ...], "constraintsuite.suites.constraints", "number.yaml")
    return tuple(measure for entry in entries for measure in entry.measures())


def is_price(constraint: Number) -> bool:
    """Whether it limits an amount of money."""
    return any(one.key == constraint.measure and one.dimension == "money" for one in quantity_measures())


def make_number(measure: LimitedMeasure, limit: float, words: str) -> Number:
    """What asks for quantities below a limit, from the limit as a number and in words."""
    return Number(value=words, cue="", forms=(), measure=measure.key, position="below", limit=limit, unit=measure.unit)


def _is_meant(quantity: Quantity, measure: QuantityMeasure) -> bool:
    return (
        quantity.dimension == measure.dimension
        and quantity.unit in measure.units
        and (not measure.measured or quantity.measured in measure.measured)
        and (measure.per is None or quantity.per == measure.per)
    )


def _is_said(quantity: Quantity, measure: QuantityMeasure, text: str) -> bool:
    """Whether the sentence around a quantity says that it is the value of the whole thing."""
    before, after = _SENTENCE_END.split(text[: quantity.start])[-1], _SENTENCE_END.split(text[quantity.end :])[0]
    sentence = f"{before} {after}".lower()
    wanted = not measure.signs or re.search(measure.signs, sentence) is not None
    return wanted and not (measure.no_signs and re.search(measure.no_signs, sentence))


_SENTENCE_END = re.compile(r"[.!?;]\s")


def _in_words(low: float, high: float, unit: str) -> str:
    bounds = [f"{value:g}" for value in dict.fromkeys((low, high)) if abs(value) < inf]
    return f"{' to '.join(bounds)} {unit}"


@dataclass(frozen=True, slots=True)
class NumberType:
    """How limits of quantities are checked and audited."""

    record: type[Constraint] = Number
    solvers: tuple[Solver, ...] = LIMIT_SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """The value decides, together with the query."""
        return BY_CONSTRUCTION.get(solver, "")

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the quantities of both texts again."""
        return BUILDER.faults(examples)


NUMBER = NumberType()
BUILDER = LimitBuilder(
    borders=lambda view, values: RoundLimits(make_number),
    measures=quantity_measures,
    balanced=UNBALANCED,
)
