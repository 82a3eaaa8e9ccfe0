"""Topics that a name narrows, such as the films of an actor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.suites.queries.named_topics import NamedTopics
from constraintsuite.suites.reading.records import ClassReading
from suites.build_factory import knowledge, make_topics


def film(modifiers: str) -> ClassReading:
    return ClassReading("film", "film", tuple(modifiers.split()), 3, 10, 14)


def named(stating: Mapping[str, Mapping[str, Sequence[int]]], min_documents: int = 2) -> dict[str, list[int]]:
    """The documents of each topic, in a corpus of four films."""
    topics = make_topics([(film("Indian"),), (film("drama"),), (film(""),), (film("1950 comedy"),)], 2)
    facts = [
        (knowledge().relations[key], {y: np.array(numbers, dtype=np.uint32) for y, numbers in fillers.items()})
        for key, fillers in stating.items()
    ]
    found = NamedTopics(facts, topics, min_documents)
    for topic, members in found.members.items():
        assert all(topic in found.topics_of(document) for document in members.tolist())
    return {topic.text: members.tolist() for topic, members in found.members.items()}


def test_documents_that_state_a_name_are_a_topic_if_there_are_enough() -> None:
    stating = {"starring": {"Ann Example": [0, 1, 3], "Bob Stone": [2]}}
    assert named(stating) == {"Ann Example films": [0, 1, 3]}


def test_the_minimum_can_be_raised() -> None:
    assert named({"starring": {"Ann Example": [0, 1, 3]}}, min_documents=4) == {}


def test_of_two_topics_with_the_same_words_the_larger_one_counts() -> None:
    stating = {"directed_by": {"Ann Example": [0, 1]}, "starring": {"Ann Example": [0, 2, 3]}}
    assert named(stating) == {"Ann Example films": [0, 2, 3]}


def test_a_relation_that_names_no_topics_gives_none() -> None:
    assert named({"genre": {"drama": [0, 1, 2]}}) == {}
