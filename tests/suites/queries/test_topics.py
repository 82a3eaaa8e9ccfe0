"""Topics: classes that enough documents share, in the words of a searcher."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.topics import plural
from constraintsuite.suites.reading.records import ClassReading
from suites.build_factory import make_topics


def defined(head: str, kind: str, modifiers: str = "", strength: int = 3) -> ClassReading:
    return ClassReading(head, kind, tuple(modifiers.split()), strength, 10, 10 + len(head))


def topic_texts(readings: Sequence[ClassReading], min_documents: int = 3) -> dict[str, int]:
    """Size by topic of a corpus in which each document has one reading."""
    table = make_topics([(reading,) for reading in readings], min_documents)
    assert table.sizes == {topic: len(table.members(topic)) for topic in table.sizes}
    return {topic.text: size for topic, size in table.sizes.items()}


FILMS = [
    *[defined("film", "film", "1961 Indian drama")] * 3,
    *[defined("film", "film", "1972 Indian comedy")] * 3,
    *[defined("film", "film", "French drama")] * 2,
    defined("film", "film"),
]


def test_topics_are_all_combinations_that_enough_documents_share() -> None:
    assert topic_texts(FILMS) == {
        "1960s Indian dramas": 3,
        "1960s Indian films": 3,
        "1960s dramas": 3,
        "1960s films": 3,
        "1970s Indian comedies": 3,
        "1970s Indian films": 3,
        "1970s comedies": 3,
        "1970s films": 3,
        "Indian dramas": 3,
        "Indian comedies": 3,
        "dramas": 5,
        "comedies": 3,
        "Indian films": 6,
        "films": 9,
    }


def test_a_smaller_minimum_lets_more_topics_in() -> None:
    more = topic_texts(FILMS, min_documents=2).keys() - topic_texts(FILMS).keys()
    assert more == {"French dramas", "French films"}


def test_an_actor_and_writer_is_first_of_all_an_actor() -> None:
    actor, writer = defined("actor", "person"), defined("writer", "person")
    table = make_topics([(actor, writer)] * 3 + [(writer,)] * 3, 3)
    assert {topic.text: table.is_first(topic, 0) for topic in table.sizes} == {"actors": True, "writers": False}


def test_the_topics_of_a_document_stand_smallest_first() -> None:
    table = make_topics([(reading,) for reading in FILMS], 3)
    assert [topic.text for topic in table.topics_of(0)] == [
        "1960s Indian dramas",
        "1960s Indian films",
        "1960s dramas",
        "1960s films",
        "Indian dramas",
        "dramas",
        "Indian films",
        "films",
    ]


@pytest.mark.parametrize(
    ("topic", "documents"),
    [
        (Topic("Indian films", "film", "film", "Indian", ""), [0, 1, 2, 3, 4, 5]),
        (Topic("dramas", "film", "film", "", "drama"), [0, 1, 2, 6, 7]),
        (Topic("French dramas", "film", "film", "French", "drama"), []),  # too few: it is no topic
    ],
    ids=lambda value: value.text if isinstance(value, Topic) else None,
)
def test_the_documents_of_a_topic_stand_in_order(topic: Topic, documents: list[int]) -> None:
    assert make_topics([(reading,) for reading in FILMS], 3).members(topic).tolist() == documents


def test_a_modifier_that_nearly_all_share_belongs_to_the_class() -> None:
    """Of five apps four are note-taking apps: then the app that does not say so is taken for one too."""
    apps = [*[defined("app", "program", "note - taking")] * 4, defined("app", "program", "")]
    assert topic_texts(apps) == {"note-taking apps": 5}


def test_a_modifier_that_only_some_share_makes_a_topic_of_its_own() -> None:
    soups = [*[defined("soup", "dish", "lentil")] * 3, *[defined("soup", "dish", "")] * 4]
    assert topic_texts(soups) == {"lentil soups": 3, "soups": 7}


def test_words_of_praise_and_age_narrow_nothing() -> None:
    assert topic_texts([defined("campsite", "stay", "small"), *[defined("campsite", "stay", "popular")] * 2]) == {
        "campsites": 3
    }


def test_a_person_among_coordinated_heads_makes_a_person() -> None:
    both = (defined("writer", "person", "Irish"), defined("film", "film"))
    table = make_topics([both] * 3, 3)
    assert {topic.text for topic in table.sizes} == {"Irish writers", "writers"}


def test_a_class_noun_that_nobody_defines_himself_by_is_no_topic() -> None:
    assert topic_texts([defined("gate", "", strength=0)] * 9) == {}


def test_a_class_that_the_domain_files_do_not_know_needs_five_definitions() -> None:
    assert topic_texts([defined("kite", "")] * 4) == {}
    assert topic_texts([defined("kite", "")] * 5) == {"kites": 5}


def test_passing_mentions_join_a_class_that_others_define() -> None:
    campsites = [*[defined("campsite", "stay")] * 3, defined("campsite", "stay", strength=0)]
    assert topic_texts(campsites) == {"campsites": 4}


@pytest.mark.parametrize(("kind", "domain"), [("film", "works"), ("dish", "food"), ("", "other")])
def test_the_domain_of_a_topic_is_that_of_its_kind(kind: str, domain: str) -> None:
    assert make_topics([], 3).domain(Topic("things", "thing", kind)) == domain


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("film", "films"),
        ("church", "churches"),
        ("city", "cities"),
        ("web series", "web series"),
        ("businessman", "businessmen"),
        ("studio apartment", "studio apartments"),
        ("singer-songwriter", "singer-songwriters"),
        ("e-bike", "e-bikes"),
    ],
)
def test_plural(noun: str, expected: str) -> None:
    assert plural(noun) == expected
