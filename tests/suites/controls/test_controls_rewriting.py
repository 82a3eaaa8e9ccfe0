"""Offsets survive a rewriting, and each rule changes exactly what it says."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from constraintsuite.core.records.text import Span
from constraintsuite.suites.controls import typography, word_order
from constraintsuite.suites.controls.rewrites import SpanRewrite, apply_changes, exchange
from constraintsuite.suites.controls.synonym import reword, synonyms
from constraintsuite.suites.word_lists import guard_words
from suites.controls.controls_factory import film, main_example, minimal_pair


def test_a_place_is_found_again_behind_a_change_and_lost_inside_one() -> None:
    new = apply_changes("until the cream thickens", [SpanRewrite(Span(0, 5), "till")])
    assert new.text == "till the cream thickens"
    assert new.place(Span(10, 15)) == Span(9, 14)
    assert new.place(Span(0, 5)) is None
    assert new.place(Span(10, 10)) == Span(9, 9)
    assert new.place(Span(0, 0)) == Span(0, 0)


def test_a_stretch_across_an_exchange_is_torn() -> None:
    new = exchange("salt and cream", Span(0, 4), Span(9, 14))
    assert new.text == "cream and salt"
    assert new.place(Span(9, 14)) == Span(0, 5)
    assert new.place(Span(0, 14)) is None


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        (typography.upper, "films by Ann Weiß", "FILMS BY ANN WEIß"),  # ß has no single capital
        (typography.lower, "İzmir and Rome", "İzmir and rome"),
        (typography.large_first_letters, "it isn't far-off", "It Isn't Far-Off"),
        (typography.small_first_letters, "In Rome, the BBC met McKay.", "in rome, the BBC met McKay."),
    ],
)
def test_case_changes_letters_only_where_they_stay_the_same_letters(
    change: Callable[[str], str], text: str, expected: str
) -> None:
    assert change(text) == expected


@pytest.mark.parametrize(
    ("find", "text", "expected"),
    [
        (typography.curl_quotes, 'It\'s "new", he said.', "It’s “new”, he said."),
        (typography.curl_quotes, "a 5\" pipe isn't long", 'a 5" pipe isn’t long'),
        (typography.curl_quotes, 'enters a" quarter-life crisis"', 'enters a" quarter-life crisis"'),  # do not pair up
        (typography.straighten_quotes, "It’s “new”.", 'It\'s "new".'),
        (typography.change_dashes, "open 9-5 - walk-in only", "open 9–5 – walk‐in only"),
        (typography.change_dashes, "a non-stick, nut-free pan", "a non-stick, nut-free pan"),  # those hyphens are cues
        (typography.double_sentence_spaces, "One here. Two there.", "One here.  Two there."),
        (typography.trailing_space, "One here.", "One here. "),
    ],
)
def test_punctuation(find: Callable[[str], list[SpanRewrite]], text: str, expected: str) -> None:
    assert apply_changes(text, find(text)).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shops began to open.", "Shops started to open."),
        ("Begins at noon.", "Starts at noon."),  # the capital of a sentence stays
        ("They made a purchase.", "They made a purchase."),  # a noun here
        ("They purchase maps.", "They buy maps."),
        ("the firm's purchase of maps", "the firm's purchase of maps"),
        ("I can't seem to open it.", "I can't seem to open it."),  # an idiom
        ("one hundred and twenty days", "one hundred and twenty days"),
        ("a hit on its own soil", "a hit on its own soil"),
        ("It is located in Rome.", "It is situated in Rome."),
        ("They met in A House until Dawn.", "They met in A House until Dawn."),  # perhaps a title
        ("She read Nearly There.", "She read Nearly There."),
        ("It is a large room.", "It is a big room."),
        ("It is a huge room.", "It is a huge room."),  # "a enormous" would be wrong
        ("a large-scale map", "a large-scale map"),
        ("It is not exactly cheap.", "It is not exactly cheap."),
        ("It isn't often open late.", "It isn't often open late."),
        ("Aloe was chosen over lanolin.", "Aloe was chosen over lanolin."),
        ("A number of the films", "A number of the films"),
        ("A number of films", "Several films"),
        ("ten minutes on foot", "10 minutes on foot"),
        ("at half past ten", "at half past ten"),
        ("forty-five minutes", "forty-five minutes"),
        ("The favourite colour is grey.", "The favorite color is gray."),
        ("They came as well.", "They came too."),
        ("as well as he could", "as well as he could"),
    ],
)
def test_synonyms_respect_their_guards(text: str, expected: str) -> None:
    assert apply_changes(text, [match.change for match in synonyms().find(text)]).text == expected


@pytest.mark.parametrize(
    ("topic", "y", "query", "expected"),
    [
        ("soups", "cream", "soups without cream", {"soups with no cream"}),
        ("flats", "lift", "flats without a lift", {"flats with no lift"}),
        ("films", "Ann Ray", "films not directed by Ann Ray", {"films that were not directed by Ann Ray"}),
        ("films", "Ann Ray", "films that were not directed by Ann Ray", set()),
        ("cakes", "rum", "cakes excluding rum", {"cakes leaving out rum", "cakes except for rum"}),
        ("films", "war", "films other than war films", {"films except for war films"}),
        ("films", "Ray", "films by directors other than Ray", {"films by any director except Ray"}),
        (
            "songs",
            "Without You",
            "songs excluding Without You",
            {"songs leaving out Without You", "songs except for Without You"},
        ),
    ],
)
def test_queries_are_reworded_outside_topic_and_y(topic: str, y: str, query: str, expected: set[str]) -> None:
    example = main_example(topic=topic, y=y, query=query, opposite=f"{topic} with {y}")
    variants = [reword(example, rewording) for rewording in synonyms().queries]
    assert {variant.query for variant in variants if variant is not None and variant.query is not None} == expected


def test_the_synonyms_are_many_closed_and_free_of_cues() -> None:
    data = synonyms()
    pairs = {(old, new) for one in data.documents for old, new in zip(one.old, one.new, strict=True)}
    assert len(data.documents) >= 60
    cues = guard_words()["cues"]
    assert not [pair for pair in pairs if cues.intersection(" ".join(pair).split())]
    olds = [old for one in data.documents for old in one.old]
    assert len(olds) == len(set(olds))


def test_every_substitution_is_of_a_known_class() -> None:
    assert {one.word_class for one in synonyms().documents} <= synonyms().classes.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In 1952, it was released.", {"It was released in 1952."}),
        ("It was released in 1952.", {"In 1952, it was released."}),
        ("In 1952, it was not released.", set()),  # the negation could reach less
        ("In 1952, it won a prize and was sold.", set()),  # two verbs
        ("In 1952, he met a singer born in Rome.", set()),  # in 1952 could be said of the birth
        ("In 1952, he went to Rome to study.", set()),
        ("The premiere was in 1971.", set()),
        ("It was sold to Warner Bros. in 1952.", set()),
        ("The cliff gives shade from three in the afternoon.", set()),
        ("When the tide is low, dogs run on the sand.", {"Dogs run on the sand when the tide is low."}),
        ("When the tide is low, it smells.", set()),  # "it" would come before the tide
        ("Serve it with garlic and thyme.", {"Serve it with thyme and garlic."}),
        ("Season with salt and serve.", set()),  # a verb follows "and"
        ("Serve it without garlic and thyme.", set()),
        ("A shop with bread and butter.", set()),  # a fixed pair
        ("A stew of beans, onions and herbs.", {"A stew of beans, herbs and onions."}),
        ("It stars Ida Lorne and Ben Ash.", {"It stars Ben Ash and Ida Lorne."}),
        ("A film written and directed by Ida Lorne.", {"A film directed and written by Ida Lorne."}),
        ("A film recorded and released by Ida Lorne.", set()),  # one after the other
        ("The rooms are quick and quiet.", {"The rooms are quiet and quick."}),
        (
            "An inn. Old. The rooms are dry. Parking is easy enough. Bring a warm coat.",
            {"An inn. Old. Parking is easy enough. The rooms are dry. Bring a warm coat."},
        ),
        (
            "An inn. Old. The rooms are dry. Parking is easy enough. It rains here.",
            set(),
        ),  # "It" leans on what is before
        ("An inn. Old. The rooms are dry. Pools are not.", set()),  # "are not" is half a sentence
        ("An inn. Old. Season the beans. Mash the herbs.", set()),  # steps have an order
    ],
)
def test_word_order_moves_only_what_surely_means_the_same(text: str, expected: set[str]) -> None:
    assert {move.text for move in word_order.find_moves(text).values()} == expected


def test_conjuncts_of_the_topic_may_change_places() -> None:
    example = main_example(
        topic="hotels for walkers and anglers",
        y="pool",
        opposite="hotels for walkers and anglers with a pool",
        query="hotels for walkers and anglers without a pool",
        satisfying="Plain.",
        violating="A pool.",
    )
    variant = word_order.rewrite(example, random.Random(0))
    assert variant is not None
    assert variant.query is not None
    assert variant.query == "hotels for anglers and walkers without a pool"
    assert variant.opposite == "hotels for anglers and walkers with a pool"


def test_queries_are_not_reordered_otherwise() -> None:
    variant = word_order.rewrite(film(), random.Random(0))
    assert variant is not None
    assert variant.query is None


def test_a_minimal_pair_gets_the_same_move_in_both_documents() -> None:
    variant = word_order.rewrite(minimal_pair(), random.Random(0))
    assert variant is not None
    assert variant.satisfying is not None
    assert variant.violating is not None
    assert variant.satisfying.text.replace("without a", "with a") == variant.violating.text
