"""Quantities read from text: values, units, bounds, ranges, look-alikes, what is measured, and conversion."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.quantities.numbers import parse_digits, write_in_words
from constraintsuite.text.quantities.quantity import Quantity, convert
from constraintsuite.text.quantities.reader import read_quantities
from constraintsuite.text.quantities.units import unit_table


def read(text: str) -> list[tuple[str, float | None, float | None, str]]:
    """Each quantity as its text, bounds and unit."""
    return [(text[one.start : one.end], one.low, one.high, one.unit) for one in read_quantities(text)]


def only(text: str) -> Quantity:
    """The one quantity of a text."""
    found = read_quantities(text)
    assert len(found) == 1, read(text)
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("The oven takes 1,000 minutes.", 1000, "minute"),
        ("The film cost $1.4 billion.", 1.4e9, "USD"),
        ("She raised €2.7billion.", 2.7e9, "EUR"),
        ("They sold it for £3m.", 3e6, "GBP"),
        ("It pays CHF 2,150.", 2150, "CHF"),
        ("It pays 950 €.", 950, "EUR"),
        ("It pays 200 SEK.", 200, "SEK"),
        ("The plot has 75 m².", 75, "square_metre"),
        ("The plot has 75 square feet.", 75, "square_foot"),
        ("The area is 52 cm 2.", 52, "square_centimetre"),
        ("A line of 1,000 Mbit/s.", 1000, "megabit_per_second"),
        ("It recorded -27 °C.", -27, "degree_celsius"),
        ("It recorded minus five degrees Celsius.", -5, "degree_celsius"),
        ("Raise the temperature by 18∘C.", 18, "degree_celsius"),
        ("Set the oven to 350F.", 350, "degree_fahrenheit"),
        ("Add 1 1/2 cups.", 1.5, "cup"),
        ("Add 2½ tsp salt.", 2.5, "teaspoon"),
        ("It took two and a half hours.", 2.5, "hour"),
        ("It took three quarters of an hour.", 0.75, "hour"),
        ("It took half an hour.", 0.5, "hour"),
        ("It took three hours and a half.", 3.5, "hour"),
        ("It took two hours and a quarter of steady climbing.", 2.25, "hour"),
        ("It took an hour and ten minutes.", 70, "minute"),
        ("It gained a pound and a half.", 1.5, "pound"),
        ("It was twenty-five yards.", 25, "yard"),
        ("It has one hundred and sixty-five pages.", 165, "page"),
        ("It has half a dozen eggs.", 6, "egg"),
        ("It has 240 calories.", 240, "kilocalorie"),
        ("A 45-watt charger.", 45, "watt"),
        ("A 3,000-square-mile area.", 3000, "square_mile"),
        ("A four-star hotel.", 4, "star"),
        ("A $10-million house.", 1e7, "USD"),
        ("An estate with 23 400 inhabitants.".replace("23 400", "23\u00a0400"), 23400, "inhabitant"),
        ("Rated 4.6/5 by buyers.", 4.6, "point"),
        ("She gave it a nine out of ten.", 9, "point"),
        ("It has 4.5 out of 5 stars.", 4.5, "star"),
        ("It costs 20 pounds.", 20, "GBP"),
        ("It weighs 20 pounds.", 20, "pound"),
    ],
)
def test_a_value_and_its_unit_are_read(text: str, value: float, unit: str) -> None:
    quantity = only(text)
    assert (quantity.low, quantity.high, quantity.unit) == (value, value, unit)


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("Eight televised events.", "event"),
        ("For six people.", "person"),
        ("They had six wives.", "wife"),
        ("It has two television works.", "work"),
        ("It has eleven first-class matches.", "match"),
        ("It has three full- length records.", "record"),
        ("She won two César Awards.", "award"),
        ("A two-bedroom flat.", "bedroom"),
        ("More than 2 million U.S. soldiers.", "soldier"),
        ("It has 3 fish.", "fish"),
    ],
)
def test_a_counted_noun_is_the_unit(text: str, noun: str) -> None:
    assert (only(text).unit, only(text).dimension) == (noun, "count")


@pytest.mark.parametrize(
    ("text", "low", "high", "bound"),
    [
        ("It costs under 80 euros.", None, 80, "under"),
        ("It costs less than $6.", None, 6, "under"),
        ("It costs no more than $6.", None, 6, "at most"),
        ("It takes up to two years.", None, 2, "at most"),
        ("It takes as long as 4 months.", None, 4, "at most"),
        ("It is made within five working days.", None, 5, "at most"),
        ("It carries six people at most.", None, 6, "at most"),
        ("It takes over 90 minutes.", 90, None, "over"),
        ("It is hotter than 95°F.", 95, None, "over"),
        ("It has at least 72 % cocoa.", 72, None, "at least"),
        ("It needs three or more years.", 3, None, "at least"),
        ("It needs 5+ years.", 5, None, "at least"),
        ("It takes as little as 24 hours.", 24, None, "at least"),
        ("As much as a 50% or more increase.", 50, None, "at least"),
        ("Rooms from £65 per night.", 65, None, "at least"),
        ("It takes under an hour.", None, 1, "under"),
        ("Children under the age of 5 eat free.", None, 5, "under"),
        ("Minimum 3 nights.", 3, None, "at least"),
    ],
)
def test_a_bound_leaves_the_other_side_open(text: str, low: float | None, high: float | None, bound: str) -> None:
    quantity = only(text)
    assert (quantity.low, quantity.high, quantity.bound) == (low, high, bound)


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("Simmer for 15 to 20 minutes.", 15, 20, "minute"),
        ("It lives 2-4 weeks.", 2, 4, "week"),
        ("It grows 3 - 4 inches.", 3, 4, "inch"),
        ("It has 70- 80 degree weather.", 70, 80, "degree"),
        ("It costs $3.00 - $7.00.", 3, 7, "USD"),
        ("It costs $400 to $700.", 400, 700, "USD"),
        ("It costs between £60 to £400.", 60, 400, "GBP"),
        ("It costs $5-10 million.", 5e6, 1e7, "USD"),
        ("For between three and six players.", 3, 6, "player"),
        ("It varies from 3 to 930 miles.", 3, 930, "mile"),
        ("It lives 2 or 3 months.", 2, 3, "month"),
        ("Children aged 6 to 11 may come.", 6, 11, "year"),
        ("It serves 4-6.", 4, 6, "person"),
        ("Wait between 30 seconds and 2 minutes.", 0.5, 2, "minute"),
        ("For 12- to 14-year-olds.", 12, 14, "year"),
        ("For people between the ages of 18 and 35.", 18, 35, "year"),
    ],
)
def test_a_range_has_both_sides(text: str, low: float, high: float, unit: str) -> None:
    quantity = only(text)
    assert (quantity.low, quantity.high, quantity.unit, quantity.bound) == (low, high, unit, "range")


def test_a_change_has_two_values() -> None:
    assert read("The van goes from 0 to 100 km/h.") == [
        ("0", 0, 0, "kilometre_per_hour"),
        ("100 km/h", 100, 100, "kilometre_per_hour"),
    ]
    assert read("It fell from 4.4 stars to 2.1 stars.") == [
        ("4.4 stars", 4.4, 4.4, "star"),
        ("2.1 stars", 2.1, 2.1, "star"),
    ]


def test_a_size_has_a_value_for_each_side() -> None:
    assert [one[1:] for one in read("It measures 101 x 41 x 50 cm.")] == [
        (101, 101, "centimetre"),
        (41, 41, "centimetre"),
        (50, 50, "centimetre"),
    ]


def test_a_number_of_equal_lengths_is_no_size() -> None:
    assert read("He ran the 4 × 400 metres relay.") == [("400 metres", 400, 400, "metre")]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It runs 1 hour and 52 minutes.", 112, "minute"),
        ("It runs 1 hr 20 min.", 80, "minute"),
        ("It runs 2h 15m.", 135, "minute"),
        ("He is 6 ft 3 in tall.", 75, "inch"),
        ("He is 6'2\" tall.", 74, "inch"),
        ("It lasted two years and six months.", 30, "month"),
    ],
)
def test_a_larger_and_a_smaller_unit_are_one_quantity(text: str, value: float, unit: str) -> None:
    assert (only(text).low, only(text).unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("It costs £140 a night.", "night"),
        ("It costs $5 per square foot.", "square_foot"),
        ("It uses 6.4 litres per 100 kilometres.", "100 kilometre"),
        ("It uses 5.2 l/100 km.", "100 kilometre"),
        ("Give a goldfish 10 gallons for every inch.", "inch"),
        ("It takes 40,000 tonnes of paper per year.", "year"),
        ("Take it 3 times a day.", "day"),
        ("It costs $12.", ""),
    ],
)
def test_what_the_value_is_for(text: str, per: str) -> None:
    assert only(text).per == per


def test_a_conversion_in_brackets_has_the_bound_of_the_first_value() -> None:
    first, second = read_quantities("They die below 46.4°F (8°C).")
    assert (first.low, first.high, second.low, second.high) == (None, 46.4, None, 8)


@pytest.mark.parametrize("word", ["about", "some", "nearly", "around", "approximately", "roughly"])
def test_a_value_may_be_approximate(word: str) -> None:
    assert only(f"It takes {word} 18 minutes.").approximate
    assert not only("It takes 18 minutes.").approximate


@pytest.mark.parametrize(
    "text",
    [
        "The iPhone 12 was the third phone.",
        "Windows 11 looks better.",
        "The Galaxy Tab 9 ships today.",
        "The Boeing 737 lands at 6 pm, at 7:30 or at 9 o'clock.",
        "The CX-200 and the F16 and variant B.1.1.7.",
        "On the one hand it is one more thing to learn.",
        "One of the main causes.",
        "Half of the audience left.",
        "Two-thirds of the members voted.",
        "We saw Twelve Angry Men.",
        "He wrote 24 Hours in the Life of a Woman.",
        "In 1917 people fled, and the 2004 finals were held.",
        "It was born on 12 January 1990 and died on April 6, 1917.",
        "The 1990s, the 90s and the 19th century.",
        "Choose option 2, enter PIN 4711 and see page 12.",
        "Take Highway 12, Route 50 or Interstate 5.",
        "Call 555-1234 or +44 20 7946 0958.",
        "They won 4–0 and then 3-1.",
        "Python 3.11 and version 2.0.",
        "He sat in the Seventy-second Congress.",
        "He holds two degrees.",
        "Add it; 4 Potato soup.",
        "About 3 in 4 adults use it, and 1 in every 5 personnel.",
        "The 802.11g standard.",
        "The 5150 code falls under the act.",
        "He wrote Six Degrees of Separation.",
        "It moves 150 metres (or 500 feet) per second.",
        "The price was $32.600.",
        "It served one's interest.",
        "They ruled under two kings.",
        "It takes from two weeks to eight months.",
        "She lived in apartment 3J.",
        "I know two others.",
        "It cost $ 2 50 $ 3 00.",
        "",
    ],
)
def test_look_alikes_give_nothing(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "dimension", "measured", "of"),
    [
        ("The film runs 99 minutes.", "duration", "running time", "film"),
        ("Simmer the sauce for 15 minutes.", "duration", "simmering time", "sauce"),
        ("The film grossed $900.", "money", "box office gross", "film"),
        ("Add 500 g flour.", "mass", "amount", "flour"),
        ("Add 500 g of flour.", "mass", "amount", "flour"),
        ("The desk is 120 cm wide.", "length", "width", "desk"),
        ("They reach 59 cm in size.", "length", "size", ""),
        ("The tent weighs 2 kg.", "mass", "weight", "tent"),
        ("The average sea temperature is 27°C.", "temperature", "average sea temperature", ""),
        ("The town has 23,400 inhabitants.", "count", "population", "town"),
        ("The lift carries six people.", "count", "capacity", "lift"),
        ("The library owns 18,000 maps.", "count", "number of maps", "library"),
        ("He died at the age of 60.", "age", "age at death", ""),
        ("The 25-year-old Mozart arrived.", "age", "age", "Mozart"),
        ("A four-star hotel opened.", "rating", "star rating", "hotel"),
        ("At 2,340 metres, the pass is closed.", "length", "altitude", "pass"),
        ("A 90-degree angle.", "other", "", "angle"),
    ],
)
def test_what_is_measured_and_of_which_thing(text: str, dimension: str, measured: str, of: str) -> None:
    quantity = only(text)
    assert (quantity.dimension, quantity.measured, quantity.of) == (dimension, measured, of)


# The right sides are the definitions: the international yard and pound of 1959, the SI, and the ISO scale of temperature.
@pytest.mark.parametrize(
    ("value", "unit", "target", "expected"),
    [
        (90, "minute", "hour", 1.5),
        (1, "mile", "metre", 1609.344),
        (1, "pound", "gram", 453.59237),
        (1, "acre", "square_metre", 4046.8564224),
        (1, "square_mile", "acre", 640),
        (1, "cubic_metre", "litre", 1000),
        (1, "foot", "inch", 12),
        (36, "kilometre_per_hour", "metre_per_second", 10),
        (180, "degree_celsius", "degree_fahrenheit", 356),
        (-40, "degree_fahrenheit", "degree_celsius", -40),
        (0, "degree_celsius", "kelvin", 273.15),
        (1, "kilowatt_hour", "joule", 3_600_000),
        (2, "year", "month", 24),
        (1, "gallon", "pint", 8),
    ],
)
def test_units_convert_exactly(value: float, unit: str, target: str, expected: float) -> None:
    quantity = Quantity(0, 1, value, value, unit, unit_table().units[unit].dimension)
    converted = convert(quantity, target)
    assert converted is not None
    assert (converted.low, converted.high, converted.unit) == (expected, expected, target)
    back = convert(converted, unit)
    assert back is not None
    assert back.low == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("unit", "target"),
    [("EUR", "USD"), ("month", "day"), ("ton", "kilogram"), ("gallon", "litre"), ("minute", "metre"), ("degree", "kelvin"),
     ("person", "guest"), ("kilocalorie", "joule")],
)  # fmt: skip
def test_what_has_no_exact_factor_does_not_convert(unit: str, target: str) -> None:
    assert convert(Quantity(0, 1, 1.0, 1.0, unit, ""), target) is None


def test_an_open_side_stays_open() -> None:
    quantity = only("It takes under 90 minutes.")
    assert convert(quantity, "hour") == replace(quantity, high=1.5, unit="hour")


@pytest.mark.parametrize("name", sorted(unit_table().names))
def test_every_name_of_a_unit_is_read(name: str) -> None:
    refused = {"time", "century", "millennium", "decade", "stone", "stones"}  # "20 century" is no quantity
    if name in refused or "." in name or name.startswith(("sq ", "cu ")):
        return
    quantity = only(f"It is around 12 {name}.")
    assert quantity.unit == unit_table().names[name].name


ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spell(number: int) -> str:
    """A number below a billion in words."""
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joint = " and " if rest and rest < 100 else " "
            return f"{spell(number // size)} {name}{joint + spell(rest) if rest else ''}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


@given(st.integers(2, 999_999_999))
def test_a_number_in_words_is_read_back(number: int) -> None:
    assert only(f"It is {spell(number)} kilometres long.").low == number


@given(st.integers(2, 10**12), st.sampled_from(["kilometres", "kg", "minutes", "people", "%"]))
def test_a_number_with_commas_is_read_back(number: int, unit: str) -> None:
    text = f"It has about {number:,} {unit} now."
    quantity = only(text)
    assert quantity.low == quantity.high == number
    assert f"{number:,}" in text[quantity.start : quantity.end]


@given(st.decimals(0, 10_000, places=2))
def test_a_price_is_read_back(price: object) -> None:
    assert only(f"It costs €{price} today.").low == float(str(price))


@given(st.integers(1, 500), st.integers(1, 500), st.sampled_from([" to ", "-", "–", " - "]))
def test_a_range_is_read_back(low: int, more: int, dash: str) -> None:
    quantity = only(f"It takes {low}{dash}{low + more} minutes.")
    assert (quantity.low, quantity.high) == (low, low + more)


@given(st.text(alphabet="0123456789.,", min_size=1, max_size=25))
def test_digits_never_raise(text: str) -> None:
    if text[0].isdigit():
        value = parse_digits(text)
        assert value is None or value >= 0


WORDS = [
    "5", "1,000", "3.5", "half", "a", "an", "hundred", "million", "two", "and", "-", "to", "from", "between", "under", "about",
    "%", "km", "hours", "old", "year", "$", "€", "per", "night", "people", "(", ")", "/", "x", "of", "the", "°", "C", "in", ".",
    ",", "six", "films", "is", "age", "'", '"', "½", "m", "²", "\u00a0", "out", "ten", "or", "more", "second",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", " "]))
def test_spans_lie_inside_the_text_in_order(words: list[str], joint: str) -> None:
    text = joint.join(words)
    found = read_quantities(text)
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(text[one.start : one.end].strip() for one in found)
    assert all(one.low is None or one.high is None or one.low <= one.high for one in found)
    assert read_quantities(text) == found


@pytest.mark.parametrize(
    "unit",
    ["1", ",", " ", "1,", "1 ", "1 to ", "one ", "a hundred ", "10 - ", "5 x ", "up to ", "half a ", "1/2/", "$", "5 big ",
     "thousand and ", "\u00a0111", "(5 km ", "6'2", "2 (", "m/"],
)  # fmt: skip
def test_time_grows_with_the_length_of_the_text(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    read_quantities(text)
    assert time.process_time() - start < 20


@pytest.mark.parametrize("number", [2, 13, 21, 90, 100, 120, 1000, 1500, 2005, 25000, 200000, 1000000, 1250000])
def test_a_number_in_words_is_read_as_that_number(number: int) -> None:
    (quantity,) = read_quantities(f"It weighs {write_in_words(number)} grams.")
    assert (quantity.low, quantity.unit) == (number, "gram")
