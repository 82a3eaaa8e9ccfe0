"""Places: what is read, what only looks like a place, and what lies inside what."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.places.containment import StatedContainment, contains
from constraintsuite.text.places.gazetteer import place_names, without_marks
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.reader import read_places


def found(text: str) -> list[tuple[str, str]]:
    """Name and country of each place."""
    return [(place.name, place.country) for place in read_places(text)]


def only(text: str) -> Place:
    """The one place of a text."""
    (place,) = read_places(text)
    return place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Museums in Scotland are free.", [("Scotland", "GB")], id="country in a country"),
        pytest.param("Parcels to the U.K. take a week.", [("United Kingdom", "GB")], id="abbreviation"),
        pytest.param("The firm moved from Kraków to Gent.", [("Kraków", "PL"), ("Ghent", "BE")], id="other names"),
        pytest.param("A cafe in Zurich opened.", [("Zürich", "CH")], id="without diacritics"),
        pytest.param("The club on the Thames is old.", [("River Thames", "GB")], id="river with its article"),
        pytest.param("They live in New South Wales.", [("New South Wales", "AU")], id="longest name"),
        pytest.param("He works in northern Italy.", [("Italy", "IT")], id="direction"),
        pytest.param("US troops left.", [("United States", "US")], id="before a noun"),
        pytest.param("The New York legislature met.", [("New York", "US")], id="article before a noun"),
        pytest.param("A London-based bank closed.", [("London", "GB")], id="hyphen"),
    ],
)
def test_names_of_the_gazetteer(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("She was born in Vollermoos in 1790.", ("Vollermoos", ""), id="born in"),
        pytest.param("The village of Kleinhagel has a well.", ("Kleinhagel", ""), id="class noun"),
        pytest.param("The Duke of Ravensmoor rode away.", ("Ravensmoor", ""), id="ruler"),
        pytest.param("We climbed to Mount Vellerin at dawn.", ("Mount Vellerin", ""), id="name that says it"),
        pytest.param("Breakfast at the inn in Tarnholm is good.", ("Tarnholm", ""), id="venue"),
        pytest.param("Osterbrook, a fishing village in the north, was flooded.", ("Osterbrook", ""), id="apposition"),
    ],
)
def test_names_that_no_gazetteer_has(text: str, expected: tuple[str, str]) -> None:
    assert found(text) == [expected]


def test_an_unknown_town_has_the_country_that_the_text_gives() -> None:
    assert found("He was born in Pennerville, Ohio.") == [("Pennerville", "US"), ("Ohio", "US")]


def test_a_definition_gives_level_and_country() -> None:
    place = read_places("The Varna Mica is a left tributary of the river Olta in Romania.")[0]
    assert (place.name, place.level, place.country) == ("Varna Mica", "natural", "RO")


def test_an_unknown_name_is_read_again_where_it_stands_as_a_place() -> None:
    text = "She was born in Vollermoos. For years no doctor lived there; the first in Vollermoos was her son."
    assert found(text) == [("Vollermoos", ""), ("Vollermoos", "")]


@pytest.mark.parametrize(
    "text",
    [
        "Paris Hilton cut the ribbon.",
        "Jack London wrote it.",
        "The Bank of England raised its rate.",
        "The University of Oxford is old.",
        "Boil the Brussels sprouts.",
        "French fries and a Turkish bath.",
        "The Berlin Philharmonic played.",
        "Turn into London Road.",
        "HMS Newcastle sank.",
        "Anne of Denmark married him.",
        "The 6th Earl of Derby died.",
        "The Prince of Wales opened it.",
        "Florence baked a cake for Victoria.",
        "Jordan scored twice for the team.",
        "Washington crossed the river.",
        "They sang the musical Chicago.",
        '"Chicago" is sold out.',
        "Chicago is a 2002 American musical film.",
        "Two for Texas is a 1998 film.",
        "The prize was US$30 billion.",
        "The Indianapolis 500 was cancelled.",
        "It was a narrow win over Iowa in the championship.",
        "The frigate sank the Sussex.",
        "Presidents Truman and Kennedy agreed.",
        "Amazon opened a warehouse.",
        "The Mediterranean diet helps.",
        "It ended in May.",
        "He is interested in Reading and Nice clothes.",
        "A Hungarian Jordan shoe",
        "",
    ],
)
def test_look_alikes_give_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("She teaches in Paris, Texas.", "US"),
        ("The hotel in Perth overlooks the harbour.", "AU"),
        ("The shop in Birmingham, Alabama, is closed.", "US"),
        ("They live in San José, Costa Rica.", "CR"),
        ("They live in Dallas, TX.", "US"),
        ("He lives in Memphis, the capital of ancient Egypt.", "EG"),
        ("Peaches grow in Georgia, and more so near Atlanta.", "US"),
        ("The Blue Mountains of Jamaica are wet.", "JM"),
    ],
)
def test_which_of_several_places_is_meant(text: str, country: str) -> None:
    assert read_places(text)[0].country == country


@pytest.mark.parametrize("text", ["He studied in Cambridge.", "It is sold in Georgia."])
def test_what_may_be_two_places_is_left_out(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "relation", "thing"),
    [
        ("The painter was born in Ghent.", "born_in", "The painter"),
        ("Jamison died in London in 1811.", "died_in", "Jamison"),
        ("He opened our new shop in Leeds.", "located_in", "our new shop"),
        ("The novel is set in Trieste.", "set_in", "The novel"),
        ("The series was shot in Budapest.", "made_in", "The series"),
        ("The conference takes place in Dublin.", "held_in", "The conference"),
        ("She teaches in Leeds.", "works_in", "She"),
        ("Our guide comes from Sicily.", "from", "Our guide"),
        ("They travelled to Norway.", "travels_to", "They"),
        ("Anna Berg (born 1 May 1900 in Prague) was a poet.", "born_in", "Anna Berg"),
        ("Anna Berg (1 May 1900- 2 May 1970, Prague) was a poet.", "died_in", "Anna Berg"),
        ("The mayor of Rotterdam thanked them.", "other", ""),
    ],
)
def test_relations(text: str, relation: str, thing: str) -> None:
    place = only(text)
    assert (place.relation, place.of) == (relation, thing)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("He was not born in Cardiff.", True),
        ("Our shoes are no longer made in Italy.", True),
        ("He died outside Miami.", True),
        ("We ship everywhere except Malta.", True),
        ("The author had never been to Morocco.", True),
        ("It rains not only in Denmark.", False),
        ("It is made in Portugal, which is not far.", False),
    ],
)
def test_negation(text: str, negated: bool) -> None:
    assert only(text).negated is negated


def test_a_negation_ends_at_but() -> None:
    first, second = read_places("He was not born in Cardiff but in Newport, Wales.")[:2]
    assert (first.negated, second.negated, second.relation) == (True, False, "born_in")


def test_a_list_shares_its_relation() -> None:
    assert [place.relation for place in read_places("It is made in Spain, Italy and France.")] == ["made_in"] * 3


def test_what_the_text_says_contains_a_place() -> None:
    assert read_places("He lives in Skokie, Illinois, USA.")[0].inside == ("Illinois", "United States")


def test_contains_by_the_gazetteer() -> None:
    edinburgh, scotland, france, europe, britain = (
        only(f"He lives in {name}.") for name in ("Edinburgh", "Scotland", "France", "Europe", "the United Kingdom")
    )
    assert contains(scotland, edinburgh) is True
    assert contains(britain, edinburgh) is True
    assert contains(europe, france) is True
    assert contains(france, edinburgh) is False
    assert contains(edinburgh, scotland) is not True
    assert contains(scotland, scotland) is True


def test_contains_by_what_the_corpus_says() -> None:
    leith, edinburgh = read_places("Nether Leith, a district of Edinburgh, has a harbour.")
    elsewhere = only("She was born in Nether Leith.")
    stated = StatedContainment((leith, edinburgh))
    scotland = only("He lives in Scotland.")
    assert contains(edinburgh, leith) is True
    assert contains(scotland, leith) is True
    assert contains(edinburgh, elsewhere) is None
    assert stated.contains(edinburgh, Place(0, 1, "Nether Leith", "district", "GB")) is True


def test_places_of_two_countries_are_apart() -> None:
    scotland, dallas = only("He lives in Scotland."), only("He lives in Dallas.")
    assert contains(scotland, dallas) is False


COUNTRIES = sorted(
    {
        place.name
        for places in place_names().places.values()
        for place in places
        if place.level == "country" and place.country and " " not in place.name and len(places) == 1
    }
    - {"Georgia", "Jersey", "Guernsey"}
)


@given(
    st.sampled_from(COUNTRIES),
    st.sampled_from(["The factory is in {}.", "They moved to {}, then home.", "Most live in {}"]),
)
def test_every_country_is_read_where_a_sentence_names_it(country: str, frame: str) -> None:
    names = [place.name for place in read_places(frame.format(country))]
    assert names == [country] or "moved to" in frame  # a weak name such as Chad needs "in"


@given(
    st.lists(
        st.sampled_from(
            [
                "in",
                "the",
                "of",
                "Paris",
                "Mount",
                "Lake",
                "Texas,",
                "and",
                "(",
                '"',
                ".",
                "is a",
                "U.S.",
                "é",
                "Jordan",
                "\n",
            ]
        )
    )
)
def test_spans_lie_in_order_inside_the_text(words: list[str]) -> None:
    text = " ".join(words)
    places = read_places(text)
    assert all(0 <= place.start < place.end <= len(text) for place in places)
    assert all(left.end <= right.start for left, right in pairwise(places))
    assert all(text[place.start].isupper() for place in places)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert read_places(text) == read_places(text)
    assert len(without_marks(text)) == len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "1234567890",
        ",",
        " ",
        "A",
        "A ",
        "A-",
        "(",
        '"',
        ". A",
        "Paris, ",
        "in Paris and ",
        "U.S. ",
        "Mount ",
        "the city of ",
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    read_places(text)
    assert time.process_time() - started < 10


def test_the_gazetteer_names_each_place_once() -> None:
    for places in place_names().places.values():
        assert len(places) == len(set(places))
        assert all(len(place.country) in (0, 2) for place in places)
