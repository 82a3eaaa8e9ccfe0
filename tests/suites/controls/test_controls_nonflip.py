"""Non-flip controls: same claim, same words where words must stay, mentions kept, even over the kinds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from controls_factory import SOUP_WITH, SOUP_WITHOUT, film, main_example, minimal_pair, suite_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.records.examples import Edit, Example
from constraintsuite.store.jsonl import adapter, encode
from constraintsuite.suites.controls import REWRITERS
from constraintsuite.suites.controls.nonflip import make_nonflip
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.terms import words


def test_the_kinds_are_dealt_evenly_and_every_original_is_used_once_first() -> None:
    controls = make_nonflip(suite_of(10), count=40, seed=1)
    assert Counter(one.control.kind for one in controls if one.control) == {kind: 10 for kind in REWRITERS.names()}
    assert len({one.control.of for one in controls if one.control}) == 40


def test_no_more_than_asked_and_fewer_rather_than_padded() -> None:
    assert make_nonflip(suite_of(5), count=0, seed=1) == []
    assert make_nonflip([], count=10, seed=1) == []
    assert len(make_nonflip(suite_of(5), count=7, seed=1)) == 7
    few = make_nonflip([main_example(0), film(1)], count=500, seed=1)
    assert len(few) <= 2 * len(REWRITERS.names())
    assert len({(one.control.of, one.control.kind) for one in few if one.control}) == len(few)


def test_a_control_says_what_it_is() -> None:
    examples = suite_of(3)
    by_id = {one.id: one for one in examples}
    for control in make_nonflip(examples, count=30, seed=2):
        assert control.control is not None
        original = by_id[control.control.of]
        assert control.suite == "controls_nonflip"
        assert control.couple == ""
        assert (control.labels, control.split, control.tags, control.clusters) == (
            original.labels,
            original.split,
            original.tags,
            original.clusters,
        )
        assert (control.query.neg, control.docs) != (original.query.neg, original.docs)
        assert control.notes[-1].startswith(control.control.kind)
        assert adapter(Example).validate_json(encode(control)) == control


def test_ids_are_unique_and_name_the_corpus() -> None:
    controls = make_nonflip(
        [*suite_of(3), *(main_example(n, corpus="my_wiki") for n in range(90, 94))], count=30, seed=3
    )
    assert [one.id.rpartition("_")[2] for one in controls] == [f"{n:06d}" for n in range(30)]
    assert {one.id.rpartition("_")[0] for one in controls} == {"controls_nonflip_sample", "controls_nonflip_my_wiki"}


def test_the_same_seed_gives_the_same_controls_whatever_the_order_of_the_input() -> None:
    examples = suite_of(4)
    first = make_nonflip(examples, count=20, seed=7)
    assert make_nonflip(list(reversed(examples)), count=20, seed=7) == first
    assert make_nonflip(examples, count=20, seed=8) != first


def test_slices_take_turns() -> None:
    examples = [main_example(n) for n in range(90)] + [minimal_pair(n) for n in range(90, 100)]
    controls = make_nonflip(examples, count=20, seed=1)
    by_id = {one.id: one.suite for one in examples}
    assert min(Counter(by_id[one.control.of] for one in controls if one.control).values()) >= 8


def test_controls_and_examples_without_exclusion_are_no_originals() -> None:
    control = make_nonflip([main_example()], count=1, seed=1)[0]
    affirmative = replace(main_example(), constraint=replace(main_example().constraint, type="none"))
    assert make_nonflip([control, affirmative], count=5, seed=1) == []


@pytest.mark.parametrize("seed", range(6))
def test_evidence_still_points_at_y(seed: int) -> None:
    for control in make_nonflip(suite_of(2), count=40, seed=seed):
        assert {one.document for one in control.evidence} >= {"neg"}
        for one in control.evidence:
            text = (control.docs.pos if one.document == "pos" else control.docs.neg).text
            assert fold(text[one.start : one.end]) in map(fold, control.constraint.y_surface_forms)


@pytest.mark.parametrize("seed", range(6))
def test_an_edited_pair_still_differs_by_its_edit_alone(seed: int) -> None:
    for control in make_nonflip([minimal_pair(n) for n in range(6)], count=24, seed=seed):
        assert control.edit is not None
        (pos,), (neg,) = control.edit.spans_pos, control.edit.spans_neg
        texts = control.docs.pos.text, control.docs.neg.text
        assert (texts[0][slice(*pos)].lower(), texts[1][slice(*neg)].lower()) == ("without", "with")
        assert texts[0][: pos[0]] + texts[0][pos[1] :] == texts[1][: neg[0]] + texts[1][neg[1] :]


@pytest.mark.parametrize(
    ("pos", "bad"),
    [
        ("The flat isn't given a balcony.", "The flat is given a balcony."),  # a quote mark in one of them only
        ("The flat has no balcony until May.", "The flat has a balcony in May."),  # a synonym in one of them only
    ],
)
def test_the_documents_of_a_minimal_pair_change_both_or_not_at_all(pos: str, bad: str) -> None:
    example = main_example(suite="negation_minpairs", topic="apartments", y="balcony", pos=pos, bad=bad)
    for seed in range(30):
        for control in make_nonflip([example], count=4, seed=seed):
            assert (control.docs.pos.text == pos) == (control.docs.neg.text == bad)


def test_an_edit_without_length_keeps_its_place() -> None:
    bad = "It was released in 1952. The flat has a balcony."
    pos = "It was released in 1952. The flat has no balcony."
    edit = Edit("no", "pos", ((35, 40),), ((34, 34),), token_count_preserved=False)
    example = main_example(suite="negation_minpairs", topic="flats", y="balcony", pos=pos, bad=bad, edit=edit)
    (control,) = [
        one for one in make_nonflip([example], count=4, seed=1) if one.control and one.control.kind == "word_order"
    ]
    assert control.docs.neg.text == "In 1952, it was released. The flat has a balcony."
    assert control.edit is not None
    assert (control.edit.spans_pos, control.edit.spans_neg) == (((36, 41),), ((35, 35),))


def test_a_reworded_query_records_its_marker() -> None:
    controls = [
        one
        for seed in range(20)
        for one in make_nonflip([main_example(y="cream")], count=4, seed=seed)
        if one.query.neg == "soups with no cream"
    ]
    assert controls
    assert {one.constraint.negation_marker for one in controls} == {"no"}
    assert {one.query.base for one in controls} == {"soups with cream"}


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
        base=f"{topic} near {y}",
        neg=f"{topic} away from {y}",
        pos="A park where children are happy.",
        bad="Another park where children are happy.",
    )
    for seed in range(10):
        for control in make_nonflip([example], count=4, seed=seed):
            assert word in fold(control.docs.pos.text)


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
@given(pos=_TEXTS, bad=_TEXTS, seed=st.integers(0, 5))
def test_documents_keep_their_words_and_every_mention_of_y(pos: str, bad: str, seed: int) -> None:
    example = main_example(pos=pos, bad=bad)
    for control in make_nonflip([example], count=4, seed=seed):
        assert control.control is not None
        for old, new in ((pos, control.docs.pos.text), (bad, control.docs.neg.text)):
            mentions = [find_forms(text, example.constraint.y_surface_forms) for text in (old, new)]
            assert len(mentions[0]) == len(mentions[1])
            if control.control.kind != "synonym":
                assert Counter(words(fold(new))) == Counter(words(fold(old)))
