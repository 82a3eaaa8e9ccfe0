"""Non-flip controls: same claim, same words where words must stay, mentions kept, even over the kinds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.suites.controls import REWRITERS
from constraintsuite.suites.controls.nonflip import make_nonflip
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.terms import words
from suites.controls.controls_factory import (
    SOUP_WITH,
    SOUP_WITHOUT,
    exclusion,
    film,
    main_example,
    minimal_pair,
    suite_of,
)


def test_the_kinds_are_dealt_evenly_and_every_original_is_used_once_first() -> None:
    controls = make_nonflip(suite_of(10), count=40, seed=1)
    assert Counter(one.control.kind for one in controls if one.control) == {kind: 10 for kind in REWRITERS.names()}
    assert len({one.control.original for one in controls if one.control}) == 40


def test_no_more_than_asked_and_fewer_rather_than_padded() -> None:
    assert make_nonflip(suite_of(5), count=0, seed=1) == []
    assert make_nonflip([], count=10, seed=1) == []
    assert len(make_nonflip(suite_of(5), count=7, seed=1)) == 7
    few = make_nonflip([main_example(0), film(1)], count=500, seed=1)
    assert len(few) <= 2 * len(REWRITERS.names())
    assert len({(one.control.original, one.control.kind) for one in few if one.control}) == len(few)


def test_a_control_says_what_it_is() -> None:
    examples = suite_of(3)
    by_id = {one.id: one for one in examples}
    for control in make_nonflip(examples, count=30, seed=2):
        assert control.control is not None
        original = by_id[control.control.original]
        assert control.slice == "nonflip"
        assert control.couple == ""
        assert (control.preferences, control.split, control.tags, control.clusters) == (
            original.preferences,
            original.split,
            original.tags,
            original.clusters,
        )
        assert (control.query, control.documents) != (original.query, original.documents)
        assert control.notes[-1].startswith(control.control.kind)
        assert adapter(Example).validate_json(encode(control)) == control


def test_ids_are_unique_and_name_the_corpus() -> None:
    controls = make_nonflip(
        [*suite_of(3), *(main_example(n, corpus="my_wiki") for n in range(90, 94))], count=30, seed=3
    )
    assert [one.id.rpartition("_")[2] for one in controls] == [f"{n:06d}" for n in range(1, 31)]
    assert {one.id.rpartition("_")[0] for one in controls} == {"exclude_nonflip_sample", "exclude_nonflip_my_wiki"}


def test_the_same_seed_gives_the_same_controls_whatever_the_order_of_the_input() -> None:
    examples = suite_of(4)
    first = make_nonflip(examples, count=20, seed=7)
    assert make_nonflip(list(reversed(examples)), count=20, seed=7) == first
    assert make_nonflip(examples, count=20, seed=8) != first


def test_slices_take_turns() -> None:
    examples = [main_example(n) for n in range(90)] + [minimal_pair(n) for n in range(90, 100)]
    controls = make_nonflip(examples, count=20, seed=1)
    by_id = {one.id: one.slice for one in examples}
    assert min(Counter(by_id[one.control.original] for one in controls if one.control).values()) >= 8


def test_controls_and_examples_without_a_constraint_are_no_originals() -> None:
    control = make_nonflip([main_example()], count=1, seed=1)[0]
    unstated = replace(main_example(), constraint=None)
    assert make_nonflip([control, unstated], count=5, seed=1) == []


@pytest.mark.parametrize("seed", range(6))
def test_evidence_still_points_at_y(seed: int) -> None:
    for control in make_nonflip(suite_of(2), count=40, seed=seed):
        evidence = exclusion(control).evidence
        assert {one.document for one in evidence} >= {"violating"}
        for one in evidence:
            text = control.document(one.document).text
            assert fold(text[one.start : one.end]) in map(fold, exclusion(control).forms)


@pytest.mark.parametrize("seed", range(6))
def test_an_edited_pair_still_differs_by_its_edit_alone(seed: int) -> None:
    for control in make_nonflip([minimal_pair(n) for n in range(6)], count=24, seed=seed):
        assert (control.satisfying.edit, control.violating.edit) == ("without", "")
        ((start, end),), ((other_start, other_end),) = control.satisfying.changed, control.violating.changed
        texts = control.satisfying.text, control.violating.text
        assert (texts[0][start:end].lower(), texts[1][other_start:other_end].lower()) == ("without", "with")
        assert texts[0][:start] + texts[0][end:] == texts[1][:other_start] + texts[1][other_end:]


@pytest.mark.parametrize(
    ("satisfying", "violating"),
    [
        ("The flat isn't given a balcony.", "The flat is given a balcony."),  # a quote mark in one of them only
        ("The flat has no balcony until May.", "The flat has a balcony in May."),  # a synonym in one of them only
    ],
)
def test_the_documents_of_a_minimal_pair_change_both_or_not_at_all(satisfying: str, violating: str) -> None:
    example = main_example(
        slice="minpairs", topic="apartments", y="balcony", satisfying=satisfying, violating=violating
    )
    for seed in range(30):
        for control in make_nonflip([example], count=4, seed=seed):
            assert (control.satisfying.text == satisfying) == (control.violating.text == violating)


def test_an_edit_without_length_keeps_its_place() -> None:
    example = main_example(
        slice="minpairs",
        topic="flats",
        y="balcony",
        satisfying="It was released in 1952. The flat has no balcony.",
        violating="It was released in 1952. The flat has a balcony.",
        edit="no",
        changed=(((35, 40),), ((34, 34),)),
    )
    (control,) = [
        one for one in make_nonflip([example], count=4, seed=1) if one.control and one.control.kind == "word_order"
    ]
    assert control.violating.text == "In 1952, it was released. The flat has a balcony."
    assert control.edit == "no"
    assert (control.satisfying.changed, control.violating.changed) == (((36, 41),), ((35, 35),))


def test_a_reworded_query_records_its_cue() -> None:
    controls = [
        one
        for seed in range(20)
        for one in make_nonflip([main_example(y="cream")], count=4, seed=seed)
        if one.query == "soups with no cream"
    ]
    assert controls
    assert {exclusion(one).cue for one in controls} == {"no"}
    assert {one.opposite for one in controls} == {"soups with cream"}


@pytest.mark.parametrize(
    ("y", "topic", "word"),
    [
        ("children", "parks", "children"),  # Y itself
        ("kids", "parks", "children"),  # would add a mention of Y
        ("dogs", "parks for children", "children"),  # a word of the topic
    ],
)
def test_a_synonym_never_touches_or_adds_y_or_a_word_of_the_topic(y: str, topic: str, word: str) -> None:
    example = main_example(
        topic=topic,
        y=y,
        query=f"{topic} away from {y}",
        opposite=f"{topic} near {y}",
        satisfying="A park where children are happy.",
        violating="Another park where children are happy.",
    )
    for seed in range(10):
        for control in make_nonflip([example], count=4, seed=seed):
            assert word in fold(control.satisfying.text)


_SENTENCES = st.sampled_from(
    [
        *SOUP_WITH.split(". "),
        *SOUP_WITHOUT.split(". "),
        "In 1952, it was released",
        "He won the cup in 1960",
        "A tin of beans, onions and herbs",
        "It stars Ida Lorne and Ben Ash",
        "Cream-filled buns aren't sold",
        '"Cream", he said, isn\'t all',
        "When the wind drops, boats leave",
        "The rooms are dry",
        "Parking is easy enough",
        "CREAM, cream; creamless ſtraße",
    ]
)
_TEXTS = st.one_of(
    st.lists(_SENTENCES, min_size=1, max_size=7).map(lambda parts: ". ".join(parts) + "."),
    st.lists(st.one_of(_SENTENCES, st.text(max_size=12)), min_size=1, max_size=7).map(" ".join),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(satisfying=_TEXTS, violating=_TEXTS, seed=st.integers(0, 5))
def test_documents_keep_their_words_and_every_mention_of_y(satisfying: str, violating: str, seed: int) -> None:
    example = main_example(satisfying=satisfying, violating=violating)
    for control in make_nonflip([example], count=4, seed=seed):
        assert control.control is not None
        for old, new in ((satisfying, control.satisfying.text), (violating, control.violating.text)):
            mentions = [find_forms(text, exclusion(example).forms) for text in (old, new)]
            assert len(mentions[0]) == len(mentions[1])
            if control.control.kind != "synonym":
                assert Counter(words(fold(new))) == Counter(words(fold(old)))
