"""Dates of a text: calendar expressions with their values, their bounds, and the events that they date."""

from __future__ import annotations

import time
from calendar import month_name, monthrange
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.dates.read import find_unresolved, read_dates
from constraintsuite.text.dates.record import Date


def only(text: str) -> Date:
    (one,) = read_dates(text)
    return one


def periods(text: str) -> list[tuple[str, str, str]]:
    """What is read, as words, first day and last day."""
    return [(text[one.start : one.end], one.first.isoformat(), one.last.isoformat()) for one in read_dates(text)]


def values(text: str) -> list[str]:
    """The periods of a text, as first and last day."""
    return [f"{one.first}..{one.last}" for one in read_dates(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The footbridge opened on 12 May 1987.",
        "The footbridge opened on 12th May, 1987.",
        "The footbridge opened on the 12th of May 1987.",
        "The footbridge opened on the twelfth of May 1987.",
        "The footbridge opened on May 12, 1987.",
        "The footbridge opened on May 12th 1987.",
        "The footbridge opened on Tuesday, May 12, 1987.",
        "The footbridge opened on 12 MAY 1987.",
        "The footbridge opened on 12-May-1987.",
        "Opened: 1987-05-12",
        "Opened: 1987/05/12",
        "Opened: 12.05.1987",
    ],
)
def test_a_day_is_read_however_it_is_written(text: str) -> None:
    assert values(text) == ["1987-05-12..1987-05-12"]


def test_a_numeric_date_is_read_if_one_number_is_no_month() -> None:
    assert values("Signed on 25/04/2015.") == ["2015-04-25..2015-04-25"]
    assert values("Signed on 04/25/2015.") == ["2015-04-25..2015-04-25"]


def test_a_numeric_date_that_can_be_two_days_is_left_out() -> None:
    assert read_dates("Signed on 03/04/2015.") == ()


def test_a_day_that_does_not_exist_is_left_out() -> None:
    assert read_dates("It opened on 31 February 2001.") == ()


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("It closed in February 1956.", "1956-02-01..1956-02-29"),
        ("It closed in July of 1969.", "1969-07-01..1969-07-31"),
        ("It closed in Nov. 2024.", "2024-11-01..2024-11-30"),
        ("It was found in 08/1995.", "1995-08-01..1995-08-31"),
        ("It was planted in autumn 1999.", "1999-09-01..1999-11-30"),
        ("It was hot in the summer of '69.", "1969-06-01..1969-08-31"),
        ("It froze in the winter of 1998–99.", "1998-12-01..1999-02-28"),
        ("It was founded in 1872.", "1872-01-01..1872-12-31"),
        ("It was founded in AD 79.", "0079-01-01..0079-12-31"),
        ("He was born in 742.", "0742-01-01..0742-12-31"),
        ("He was crowned emperor in 800.", "0800-01-01..0800-12-31"),
        ("In 476 the empire fell.", "0476-01-01..0476-12-31"),
        ("It closed in '98.", "1998-01-01..1998-12-31"),
        ("Founded: 1905 in Leeds", "1905-01-01..1905-12-31"),
        ("© 2015 The Bakery", "2015-01-01..2015-12-31"),
        ("Updated 2019-03 by the team.", "2019-03-01..2019-03-31"),
        ("Sales fell in Q3 2018.", "2018-07-01..2018-09-30"),
        ("Sales fell in the third quarter of 2018.", "2018-07-01..2018-09-30"),
        ("It was fashionable in the noughties.", "2000-01-01..2009-12-31"),
        ("It was banned in the 1970s.", "1970-01-01..1979-12-31"),
        ("It was banned in the '70s.", "1970-01-01..1979-12-31"),
        ("It was banned in the seventies.", "1970-01-01..1979-12-31"),
        ("It was common in the 1700s.", "1700-01-01..1799-12-31"),
        ("It was abolished in the nineties of the eighteenth century.", "1790-01-01..1799-12-31"),
        ("It was built in the 13th century.", "1201-01-01..1300-12-31"),
        ("It was built in the sixteenth century.", "1501-01-01..1600-12-31"),
        ("It grew in the second half of the 19th century.", "1851-01-01..1900-12-31"),
        ("It rained in the first half of 1987.", "1987-01-01..1987-06-30"),
    ],
)
def test_a_period_is_its_first_and_last_day(text: str, period: str) -> None:
    assert values(text) == [period]


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("He played there from 1966 to 1971.", "1966-01-01..1971-12-31"),
        ("It was held between 2001 and 2004.", "2001-01-01..2004-12-31"),
        ("The war (1914–18) ended it.", "1914-01-01..1918-12-31"),
        ("It was closed from March 2019 until August 2020.", "2019-03-01..2020-08-31"),
        ("It was filmed between May and August 2017.", "2017-05-01..2017-08-31"),
        ("It was carried out in June and July 2018.", "2018-06-01..2018-07-31"),
        ("It was shown 2–28 February 2010.", "2010-02-02..2010-02-28"),
        ("It ran from 8 May to 3 June 1987.", "1987-05-08..1987-06-03"),
        ("It ran May 12 – June 3, 1987.", "1987-05-12..1987-06-03"),
        ("It ran from December to February 1990.", "1989-12-01..1990-02-28"),
        ("Silk was woven in the 17th and 18th centuries.", "1601-01-01..1800-12-31"),
        ("It was common from the 18th century until the 20th.", "1701-01-01..2000-12-31"),
    ],
)
def test_two_ends_are_one_period(text: str, period: str) -> None:
    assert values(text) == [period]


def test_days_that_are_only_listed_stay_apart() -> None:
    assert values("It opened on 12 May and 3 June 1987.") == ["1987-05-12..1987-05-12", "1987-06-03..1987-06-03"]


def test_a_list_of_years_is_read_to_its_end() -> None:
    assert [one.first.year for one in read_dates("He won the race in 2010, 2012 and 2013.")] == [2010, 2012, 2013]


@pytest.mark.parametrize(
    "text",
    [
        "About 2000 people came to the market.",
        "In 1836 metres of rope there was one knot.",
        "The meeting is in room 1984, on the second floor.",
        "We watched 1917 on the plane.",
        "In 2001: A Space Odyssey there is a computer.",
        "For sale: Peugeot 2008, automatic, 41,000 km.",
        "Parts for the 2008 model are rare.",
        "The hut lies at 1950 m.",
        "She broke the 1500 m record.",
        "It costs $1984 or €2000.",
        "The village has a population of 1836.",
        "Visits rose by 1900.",
        "Sales rose from 1200 to 1500.",
        "At about 1900 UTC the storm turned.",
        "Call 555-1984 or 020 7946 1958.",
        "See pp. 1920-1935 of the handbook.",
        "Version 2019.3 was the last.",
        "A 2000-word essay is due.",
        "The film was made by 20th Century Fox.",
        "He scored his 10th century.",
        "Temperatures are in the 60s.",
        "The hall seats at least 1500.",
        "It holds up to 1250.",
        "One in 2000 sees it.",
        "Prices start from 1500.",
        "In 300 of the cases it failed.",
        "Windows 2000 and Office 2010 are old.",
        "A page (1200) of numbers.",
        "Breakfast is served from 7 to 10.",
        "It may march in august company.",
        "Whales have lived for 50 million years.",
        "The 20th visitor gets a free coffee.",
    ],
)
def test_what_only_looks_like_a_date_gives_nothing(text: str) -> None:
    assert read_dates(text) == ()


def test_a_count_after_a_month_is_no_year() -> None:
    assert read_dates("In March, 2000 people came.") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Last year we renovated the bathrooms.", "Last year"),
        ("He left three days ago.", "three days ago"),
        ("The shop closes on 12 May.", "12 May"),
        ("The philosopher died in 322 BC.", "322 BC"),
        ("The oasis was settled in the fourth century BC.", "fourth century BC"),
        ("The dynasty ruled from 305 to 30 BC.", "305 to 30 BC"),
        ("Signed on 03/04/2015.", "03/04/2015"),
        ("It was common in the 1900s.", "1900s"),
    ],
)
def test_a_time_without_a_certain_value_is_unresolved(text: str, words: str) -> None:
    assert read_dates(text) == ()
    assert [span.of(text) for span in find_unresolved(text)] == [words]


def test_what_was_read_is_not_unresolved() -> None:
    assert find_unresolved("He was born on 12 May 1987.") == ()


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("It opened in 1994.", ""),
        ("The harbour had a station until 1994.", "until"),
        ("The dialect was spoken well into the 1950s.", "until"),
        ("Women could not vote until 1971.", "since"),
        ("It was not until 1971 that they could vote.", ""),
        ("She has been a member since 1977.", "since"),
        ("The party held the town hall from 1946.", "since"),
        ("A letter from 1946 was found.", ""),
        ("The tower has been empty from 2017 onwards.", "since"),
        ("He was mayor from 1990 to the present.", "since"),
        ("Tickets bought before 1 June 2024 remain valid.", "before"),
        ("Members who joined prior to 2020-01-01 pay less.", "before"),
        ("It was believed extinct by 1930.", "before"),
        ("By the end of 1999 it was sold.", "before"),
        ("The shop buys pre-1950 stamps.", "before"),
        ("The singer (1950–present) is known.", "since"),
        ("They met after the war, after 1945.", "after"),
        ("He served from 1946 to 1950.", ""),
        ("It was inspired by the 1959 film.", ""),
    ],
)
def test_the_words_before_a_date_bound_the_event(text: str, bound: str) -> None:
    assert only(text).bound == bound


@pytest.mark.parametrize(
    ("text", "approximate"),
    [
        ("The well was dug in 1820.", False),
        ("The well was dug in about 1820.", True),
        ("The well was dug sometime around 1820.", True),
        ("The well was dug ca. 1820.", True),
        ("The well was dug c1820.", True),
        ("The well was dug in the early 1820s.", True),
        ("The well was dug in the middle of the 17th century.", True),
        ("The well was dug between about 1680 and 1700.", True),
        ("The well was dug in spring 1820.", True),
        ("The well was dug in 1820 or thereabouts.", True),
    ],
)
def test_an_approximate_date_says_so(text: str, approximate: bool) -> None:
    assert only(text).approximate == approximate


@pytest.mark.parametrize(
    ("text", "event", "of"),
    [
        ("The footbridge across the canal was opened on 12 May 1987.", "open", "The footbridge"),
        ("In 2018 the hostel won an award.", "win", "the hostel"),
        ("Built in 1911, the villa has 12 rooms.", "build", "the villa"),
        ("The café stands opposite a church that was consecrated in 1734.", "consecrate", "a church"),
        ("She is a weaver who retired in 1987.", "retire", "She"),
        ("He released his first album in 2004.", "release", "his first album"),
        ("Ten Canoes is a 2006 film by Rolf de Heer.", "release", "Ten Canoes"),
        ('His 1977 film "Crazy Women" was a success.', "release", "Crazy Women"),
        ('She acted in "Amadeus" (1984) and left.', "release", "Amadeus"),
        ("Rufus Jones (born 17 May 1975) is an actor.", "born", "Rufus Jones"),
        ("Jonas Wiik was born in 1990.", "born", "Jonas Wiik"),
        ("The novel retells the 1953 flood.", "happen", "flood"),
        ("It was not until 1917 that the president asked.", "ask", "the president"),
    ],
)
def test_a_date_says_which_event_it_dates(text: str, event: str, of: str) -> None:
    one = only(text)
    assert (one.event, one.of) == (event, of)


def test_each_verb_of_a_sentence_keeps_its_date() -> None:
    text = "The company was founded in 1999, went public in 2007 and was sold on 3 March 2015."
    assert [(one.event, one.of, one.first.year) for one in read_dates(text)] == [
        ("found", "The company", 1999),
        ("go", "The company", 2007),
        ("sell", "The company", 2015),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Maria Tveit (1902–1987) was a Norwegian weaver.",
        "Maria Tveit( 4 May 1902 – 6 March 1987) was a Norwegian weaver.",
        "Maria Tveit (4 May 1902, Oslo – 6 March 1987, Bergen) was a Norwegian weaver.",
    ],
)
def test_a_life_in_brackets_has_two_dates(text: str) -> None:
    assert [(one.event, one.of, one.first.year) for one in read_dates(text)] == [
        ("born", "Maria Tveit", 1902),
        ("die", "Maria Tveit", 1987),
    ]


def test_an_open_end_is_no_death() -> None:
    one = only('He made "South Park" (1997–present).')
    assert (one.bound, one.event) == ("since", "make")


def test_years_of_an_office_are_one_period() -> None:
    assert values("He was King of Spain (1759–1788).") == ["1759-01-01..1788-12-31"]


def test_years_in_brackets_after_an_institution_are_one_period() -> None:
    assert values("The Ottoman Empire (1901–1987) was large.") == ["1901-01-01..1987-12-31"]


def test_the_span_is_the_expression_itself() -> None:
    text = "It ran from March 2019 until August 2020, and again in the early 2020s."
    assert [words for words, _, _ in periods(text)] == ["March 2019 until August 2020", "2020s"]


def test_an_empty_text_has_no_dates() -> None:
    assert read_dates("") == ()


DAYS = st.dates(min_value=date(1000, 1, 1), max_value=date(2100, 12, 31))


def _written(day: date, form: int) -> str:
    """A day in words; the calendar of the standard library is the reference."""
    month = month_name[day.month]
    forms = (
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"the {day.day}th of {month} {day.year}",
        f"{day.day} {month[:3]}. {day.year}",
        day.isoformat(),
        f"{day.day:02}.{day.month:02}.{day.year}",
    )
    return forms[form]


@given(DAYS, st.integers(0, 5))
def test_a_day_that_is_written_out_is_read_back(day: date, form: int) -> None:
    one = only(f"The library opened on {_written(day, form)} at noon.")
    assert (one.first, one.last) == (day, day)


@given(DAYS)
def test_a_month_that_is_written_out_is_read_back(day: date) -> None:
    one = only(f"The library opened in {month_name[day.month]} {day.year}.")
    assert (one.first, one.last) == (day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))


@given(st.integers(1000, 2100))
def test_a_year_that_is_written_out_is_read_back(year: int) -> None:
    one = only(f"The library was founded in {year}.")
    assert (one.first, one.last) == (date(year, 1, 1), date(year, 12, 31))


@given(DAYS, st.integers(1, 20_000), st.sampled_from(["from {} to {}", "between {} and {}", "from {} until {}"]))
def test_a_range_that_is_written_out_is_read_back(day: date, length: int, form: str) -> None:
    last = min(day + timedelta(days=length), date(2100, 12, 31))
    one = only(f"The library was open {form.format(_written(day, 0), _written(last, 0))}.")
    assert (one.first, one.last, one.bound) == (day, last, "")


WORDS = st.sampled_from(
    "in 1990 the 1980s May 12 , - – / ( ) to and from about early 19th century BC AD Mary was born 2000 people 3 . ' \" 44".split()  # noqa: SIM905
)


@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=80))
def test_spans_are_in_order_inside_the_text_and_hold_their_value(text: str) -> None:
    end = 0
    for one in read_dates(text):
        assert end <= one.start < one.end <= len(text)
        assert one.first <= one.last
        end = one.end
        words = text[one.start : one.end]
        assert any(character.isdigit() for character in words) or "century" in words.lower()


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1,",
        "1 ",
        " ",
        "1990 ",
        "in 1990, ",
        "1/",
        "May ",
        "1 May ",
        "from 1 to ",
        "19th and ",
        "(1990 ",
        "1990–91 ",
        "A (1990), ",
    ],
)
def test_the_time_is_linear_in_the_length(unit: str) -> None:
    """100,000 characters take seconds at most; a quadratic pattern takes minutes."""
    text = (unit * 100_000)[:100_000]
    begin = time.process_time()
    read_dates(text)
    assert time.process_time() - begin < 10
