"""The readers of quantities that `values.py` compares, and how well ours reads what a quantity measures, and of which thing.

    python benchmarks/values_quantities.py DATA [--half dev|test]

prints the softer fields of the labels, over the quantities whose bounds and unit are right, and then precision and recall of all
readers if only a number and the unit have to be right.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.text.quantities.quantity import Quantity
from constraintsuite.text.quantities.reader import read_quantities
from values import Found, Reader, _shown, read_sentences

CURRENCIES = {
    "dollar": "USD",
    "united states dollar": "USD",
    "pound sterling": "GBP",
    "pound": "GBP",
    "british pound": "GBP",
}
SPELLED = {
    "percentage": "percent", "minute_of_arc": "minute", "second_of_arc": "second", "degree_angle": "degree", "c": "degree_celsius",
    "f": "degree_fahrenheit", "calorie": "kilocalorie", "year": "year", "metric_ton": "tonne", "pound-mass": "pound",
    "megabit_per_second": "megabit_per_second", "mbit_per_second": "megabit_per_second", "degree": "degree",
}  # fmt: skip


def label(item: Mapping[str, Any]) -> Found:
    """A labelled quantity in the form that is compared: both bounds and the unit."""
    return Found(item["start"], item["end"], (_number(item["low"]), _number(item["high"]), item["unit"]))


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def _found(one: Quantity) -> Found:
    return Found(one.start, one.end, (_number(one.low), _number(one.high), one.unit))


def ours(texts: Sequence[str]) -> list[list[Found]]:
    """The reader of this package."""
    return [[_found(one) for one in read_quantities(text)] for text in texts]


def quantulum3(texts: Sequence[str]) -> list[list[Found]]:
    """The library quantulum3 (MIT). Minutes of arc count as minutes: the file of its classifier, which would
    tell them apart, does not load with scikit-learn 1.4 or 1.9."""
    setattr(import_named("quantulum3.classifier", "quantulum3"), "USE_CLF", False)  # noqa: B010 - a module has no such field
    parse = import_named("quantulum3.parser", "quantulum3").parse
    return [list(_of_quantulum(parse(text))) for text in texts]


def _of_quantulum(quantities: Sequence[Any]) -> Iterator[Found]:
    for one in quantities:
        name = one.unit.name.partition(" per ")[0] if one.unit.entity.name in ("currency", "unknown") else one.unit.name
        if name != "dimensionless":
            spread = one.uncertainty or 0.0
            start, end = one.span
            yield Found(start, end, (_number(one.value - spread), _number(one.value + spread), _unit(name)))


def recognizers(texts: Sequence[str]) -> list[list[Found]]:
    """Microsoft's recognizers-text-suite (MIT): its models of units, currencies, ages, temperatures, percentages and durations."""
    units = import_named("recognizers_number_with_unit", "recognizers-text-suite 'emoji<2'")
    dates = import_named("recognizers_date_time", "recognizers-text-suite 'emoji<2'")
    numbers = import_named("recognizers_number", "recognizers-text-suite 'emoji<2'")
    models = [
        units.recognize_dimension, units.recognize_currency, units.recognize_age, units.recognize_temperature,
        numbers.recognize_percentage, dates.recognize_datetime,
    ]  # fmt: skip
    return [_without_overlaps([one for model in models for one in model(text, "en-us")]) for text in texts]


def _without_overlaps(entities: Sequence[Any]) -> list[Found]:
    """The entities in order; of those that overlap, the longest."""
    kept: list[Found] = []
    for one in sorted(entities, key=lambda entity: entity.start - entity.end):
        found = _of_recognizer(one)
        if found is not None and all(found.end <= other.start or other.end <= found.start for other in kept):
            kept.append(found)
    return sorted(kept)


def _of_recognizer(one: Any) -> Found | None:  # noqa: ANN401 - an object of an untyped library
    resolution = one.resolution or {}
    if "values" in resolution:  # dates and times; only durations are quantities
        last = resolution["values"][0]
        if last.get("type") != "duration" or "T" not in last.get("timex", "") + "T":
            return None
        return _of_timex(one, last["timex"])
    value = resolution.get("value")
    if value is None:
        return None
    unit = resolution.get("isoCurrency") or resolution.get("unit") or "percent"
    try:
        number = _number(float(str(value).rstrip("%").replace(",", "")))
    except ValueError:
        return None
    return Found(one.start, one.end + 1, (number, number, _unit(unit)))


def _of_timex(one: Any, timex: str) -> Found | None:  # noqa: ANN401 - as above
    """A duration such as PT30M or P3D."""
    letters = {
        "H": "hour",
        "S": "second",
        "D": "day",
        "W": "week",
        "Y": "year",
        "M": "minute" if "T" in timex else "month",
    }
    number, letter = timex.lstrip("PT")[:-1], timex[-1:]
    try:
        value = _number(float(number))
    except ValueError:
        return None
    return Found(one.start, one.end + 1, (value, value, letters[letter])) if letter in letters else None


def _unit(name: str) -> str:
    """A unit in the spelling of the labels."""
    lower = name.lower()
    if name.isupper() and len(name) == 3:
        return name
    if lower in CURRENCIES:
        return CURRENCIES[lower]
    spelled = lower.replace(" ", "_").replace("meter", "metre").replace("liter", "litre")
    return SPELLED.get(spelled, {"euro": "EUR", "swiss_franc": "CHF"}.get(spelled, spelled))


def import_named(module: str, package: str) -> ModuleType:
    """A module of a library that is compared, or the pip command that installs it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return import_module(module)
        except ImportError as error:
            raise SystemExit(f"{module} is missing ({error}). Install it: pip install {package}") from None


READERS: dict[str, Reader] = {"ours": ours, "quantulum3": quantulum3, "recognizers": recognizers}


def compare_fields(data: Path, half: str) -> Counter[tuple[str, bool]]:
    """How often each softer field is right, over the quantities that are."""
    counts: Counter[tuple[str, bool]] = Counter()
    for sentence in read_sentences(data, "quantities"):
        if sentence.half == half:
            for quantity, item in _pairs(read_quantities(sentence.text), sentence.items):
                counts.update(_fields(quantity, item).items())
    return counts


def compare_numbers(data: Path, half: str, name: str) -> tuple[Interval, Interval]:
    """Precision and recall of a reader if only a number and the unit count, not the side that a bound leaves open.

    Neither library reads bounds; this says how they do at what they are made for.
    """
    sentences = [one for one in read_sentences(data, "quantities") if one.half == half]
    right = found = labelled = 0
    for sentence, items in zip(sentences, READERS[name]([one.text for one in sentences]), strict=True):
        left = [label(item) for item in sentence.items]
        found += len(items)
        labelled += len(left)
        for one in items:
            hit = next((other for other in left if _same_number(one, other)), None)
            if hit is not None:
                left.remove(hit)
                right += 1
    return wilson(right, found), wilson(right, labelled)


def _same_number(one: Found, other: Found) -> bool:
    (low, high, unit), (other_low, other_high, other_unit) = cast("_Value", one.value), cast("_Value", other.value)
    numbers = {low, high} & {other_low, other_high} - {None}
    return one.start < other.end and other.start < one.end and unit == other_unit and bool(numbers)


_Value = tuple[float | None, float | None, str]


def _pairs(
    quantities: Sequence[Quantity], items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Quantity, Mapping[str, Any]]]:
    left = list(items)
    for one in quantities:
        found = _found(one)
        for item in left:
            other = label(item)
            if found.start < other.end and other.start < found.end and found.value == other.value:
                left.remove(item)
                yield one, item
                break


def _fields(quantity: Quantity, item: Mapping[str, Any]) -> dict[str, bool]:
    of, labelled = quantity.of.lower(), (item["of"] or "").lower()
    measured = item["measured"].lower()
    return {
        "dimension": quantity.dimension == item["dimension"],
        "per": quantity.per == (item["per"] or ""),
        "approximate": quantity.approximate == item["approximate"],
        "measured, its noun": quantity.measured.split()[-1:] == measured.split()[-1:] or _counts(quantity, measured),
        "measured, exactly": quantity.measured == measured,
        "of, its noun": of.split()[-1:] == labelled.split()[-1:]
        or bool(of and labelled and (of in labelled or labelled in of)),
        "of, exactly": of == labelled,
    }


def _counts(quantity: Quantity, measured: str) -> bool:
    """Whether both say that things of one kind are counted: number of surviving victims, number of victims."""
    return quantity.measured.startswith("number of") and measured.startswith("number of")


def main() -> None:
    """Print how often each field is right, and how the readers compare if bounds do not count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=["dev", "test"], default="test")
    options = parser.parse_args()
    counts = compare_fields(options.data, options.half)
    for name in dict.fromkeys(field for field, _ in counts):
        right, wrong = counts[name, True], counts[name, False]
        print(f"  {name:<20} {_shown(wilson(right, right + wrong))}")
    for name in READERS:
        precision, recall = compare_numbers(options.data, options.half, name)
        print(f"  number and unit, {name:<12} {_shown(precision)}   {_shown(recall)}")


if __name__ == "__main__":
    main()
