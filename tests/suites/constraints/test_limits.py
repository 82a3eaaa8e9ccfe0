"""Numbers and times with limits: what a text states, which limits are asked for, and whether a text obeys one."""

from __future__ import annotations

import pytest

from constraintsuite.suites.constraints import number, time
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.reading.document import read_values
from constraintsuite.suites.sides.limits import LimitBuilder, Limited, choose_limits
from constraintsuite.suites.sides.measures import LimitedMeasure, Position, ValueRange
from constraintsuite.text.choice import get_analyser


def measure(builder: LimitBuilder, key: str) -> LimitedMeasure:
    return next(one for one in builder.measures() if one.key == key)


def stated(builder: LimitBuilder, key: str, text: str) -> list[str]:
    """The values of a measure that a text states."""
    (analysis,) = get_analyser("rules").analyse([text])
    return [one.text for one in measure(builder, key).find(read_values(analysis, load_knowledge()), text)]


@pytest.mark.parametrize(
    ("key", "text", "values"),
    [
        ("price_EUR_night", "Rooms cost 80 euros a night.", ["80 EUR"]),
        ("price_EUR", "Rooms cost 80 euros a night.", []),
        ("price_GBP_night", "Rooms cost 80 euros a night.", []),
        ("price_GBP", "Admission is £6.50.", ["6.5 GBP"]),
        ("distance", "The walk is 5 miles long.", ["8.04672 kilometre"]),
        ("running_time", "The film runs for an hour and a half.", ["90 minute"]),
        ("pages", "It is a novel of 300 pages.", ["300 page"]),
        ("bedrooms", "The house has two bedrooms and a garden.", ["2 bedroom"]),
        ("cooking_time", "From start to finish it takes 40 minutes.", ["40 minute"]),
        ("cooking_time", "Bake it for 40 minutes.", []),
        ("cooking_time", "Toasting the oats takes three minutes.", []),
    ],
)
def test_quantities_are_converted_within_their_dimension_and_never_between_currencies(
    key: str, text: str, values: list[str]
) -> None:
    assert stated(number.BUILDER, key, text) == values


@pytest.mark.parametrize(
    ("key", "text", "values"),
    [
        ("released", "Dusk is a 1954 drama film by Ada Lind.", ["1954", "1954"]),
        ("released", "Dusk is a drama film. It was released in 1954.", ["1954"]),
        ("released", "Dusk is a drama film about the flood of 1954.", []),
        ("released", 'Dusk is a drama film, a sequel to the 1954 film "Dawn".', []),
        ("born", "Ada Lind (born 3 May 1901) is a Danish painter.", ["1901"]),
        ("opened", "The museum was opened in 1887 in an old mill.", ["1887"]),
    ],
)
def test_only_dates_of_the_event_count(key: str, text: str, values: list[str]) -> None:
    assert stated(time.BUILDER, key, text) == values


def price(limit: float, position: Position) -> Number:
    return Number(
        value=f"{limit:g} euros a night",
        cue="under",
        forms=(),
        measure="price_EUR_night",
        position=position,
        limit=limit,
        unit="EUR",
    )


BEFORE_1960 = Time(value="1960", cue="before", forms=(), measure="released", position="below", limit=1960)


@pytest.mark.parametrize(
    ("builder", "constraint", "text", "position"),
    [
        (number.BUILDER, price(80, "below"), "Rooms cost 60 euros a night.", "below"),
        (number.BUILDER, price(80, "below"), "Rooms cost 95 euros a night.", "above"),
        (number.BUILDER, price(80, "below"), "Rooms cost 80 euros a night.", None),
        (number.BUILDER, price(80, "below"), "Rooms cost 60 to 95 euros a night.", None),
        (number.BUILDER, price(80, "below"), "Singles cost 60 euros a night, doubles cost 75 euros a night.", None),
        (number.BUILDER, price(80, "below"), "The hotel stands by the river.", None),
        (time.BUILDER, BEFORE_1960, "Dusk is a 1954 drama film.", "below"),
        (time.BUILDER, BEFORE_1960, "Dusk is a 1960 drama film.", None),
        (time.BUILDER, BEFORE_1960, "Dusk is a 1971 drama film.", "above"),
    ],
)
def test_a_text_is_on_one_side_only_if_its_one_value_is(
    builder: LimitBuilder, constraint: Limited, text: str, position: Position | None
) -> None:
    (analysis,) = get_analyser("rules").analyse([text])
    assert builder.position(constraint, analysis, load_knowledge()) == position


def test_the_limits_are_those_that_divide_the_values_most_evenly() -> None:
    values = [ValueRange(float(price), float(price)) for price in (10, 12, 15, 30, 35, 45, 60, 200)]
    assert choose_limits(values, [5, 20, 40, 100]) == [20, 40]  # 5 has nothing below, 100 too little above


def test_a_value_that_may_be_on_either_side_counts_for_neither() -> None:
    sure, open_ended = ValueRange(10, 10), ValueRange(low=30)
    assert (sure.position(20), open_ended.position(20), open_ended.position(40)) == ("below", "above", None)


@pytest.mark.parametrize("builder", [number.BUILDER, time.BUILDER])
def test_measures_have_names_of_their_own_and_at_least_three_wordings(builder: LimitBuilder) -> None:
    keys = [one.key for one in builder.measures()]
    assert len(set(keys)) == len(keys)
    for one in builder.measures():
        assert len(one.wordings) >= 3, one.key
        assert list(one.limits) == sorted(set(one.limits)), one.key
        for wording in one.wordings:
            for text in (wording.below, wording.above):
                assert "{topic}" in text, (one.key, wording.name)
                assert "{n}" in text, (one.key, wording.name)
