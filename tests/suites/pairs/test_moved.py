"""A denial moves from one attribute to another; both nouns keep their places."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Span
from constraintsuite.suites.pairs.moved import MovedDenial, move_denial, moved_drafts
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.text.edits import apply_replacements
from suites.build_factory import make_matching, make_proposal, read_all

A, NONE = ("a ", "a "), ("", "")
"""The articles of the two nouns where they are affirmed."""


def find(text: str, affirmed: str, denied: str, articles: tuple[str, str]) -> MovedDenial | None:
    """What becomes of a text in which each noun is there once."""
    one, other = (Span(text.index(noun), text.index(noun) + len(noun)) for noun in (affirmed, denied))
    return move_denial(text, one, other, read_all({"d": text})["d"], articles)


def moved(text: str, affirmed: str, denied: str, articles: tuple[str, str]) -> str:
    found = find(text, affirmed, denied, articles)
    assert found is not None
    return apply_replacements(found.text, found.edits)[0]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The inn comes with a pool but without a sauna.", "The inn comes without a pool but with a sauna."),
        ("The inn has a pool but lacks a sauna.", "The inn lacks a pool but has a sauna."),
        ("There is a pool. There is no sauna.", "There is no pool. There is a sauna."),
        ("There's a pool. There's no sauna.", "There's no pool. There's a sauna."),
        ("There is a pool, but there's no sauna.", "There is no pool, but there's a sauna."),
        ("The inn has a pool but it has no sauna.", "The inn has no pool but it has a sauna."),
    ],
)
def test_a_denial_moves_to_the_other_noun_and_back(text: str, other: str) -> None:
    assert moved(text, "pool", "sauna", A) == other
    assert moved(other, "sauna", "pool", A) == text


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The soup is made with cream, not with butter.", "The soup is made not with cream but with butter."),
        ("We serve cream. We do not serve butter.", "We do not serve cream. We serve butter."),
        ("Here cream is allowed, but butter is not.", "Here cream is not allowed, but butter is."),
        ("Cream, yes; butter, no.", "Cream, no; butter, yes."),
    ],
)
def test_nouns_without_an_article_get_none(text: str, other: str) -> None:
    cream = "Cream" if "Cream" in text else "cream"
    assert moved(text, cream, "butter", NONE) == other
    assert moved(other, "butter", cream, NONE) == text


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("It has towels but no soap.", "It has no towels but has soap."),
        ("You get towels but no soap.", "You get no towels but get soap."),
        ("Guests get towels but no soap.", "Guests get no towels but get soap."),
        ("The place has plenty of towels but no soap.", "The place has no towels, but plenty of soap."),
    ],
)
def test_no_towels_but_soap_is_never_written(text: str, other: str) -> None:
    """It could mean: only soap."""
    assert moved(text, "towels", "soap", NONE) == other


def test_the_article_is_that_of_the_noun_that_is_affirmed() -> None:
    text = "The hut comes with a stove but without any oven."
    assert moved(text, "stove", "oven", ("a ", "an ")) == "The hut comes without a stove but with an oven."


def test_a_name_in_the_middle_of_a_sentence_does_not_begin_one() -> None:
    assert moved("There's Wi-Fi but no sauna.", "Wi-Fi", "sauna", ("", "a ")) == "There's no Wi-Fi but a sauna."


def test_a_verb_takes_back_its_ending() -> None:
    text = "The app supports plugins but does not support themes."
    assert moved(text, "plugins", "themes", NONE) == "The app does not support plugins but supports themes."


@pytest.mark.parametrize("reason", [", because the pipes froze", ", so guests swim", ": it was too dear"])
def test_what_explains_the_denial_is_left_out_of_both_texts(reason: str) -> None:
    found = find(f"The inn has a pool but lacks a sauna{reason}.", "pool", "sauna", A)
    assert found is not None
    assert found.text == "The inn has a pool but lacks a sauna."
    assert apply_replacements(found.text, found.edits)[0] == "The inn lacks a pool but has a sauna."


@pytest.mark.parametrize(
    "text",
    [
        "It has a heated pool but no sauna.",
        "It has a pool but no Finnish sauna.",
        "It has a pool but no sauna because the pipes froze.",
        "It has a pool but no sauna in winter.",
        "It has a pool but no sauna. That is why guests swim.",
        "There is a pool, so guests swim. There is no sauna.",
        "There is a pool. Wood is dear, so there is no sauna.",
        "It has a pool and, on the days when it rains, no sauna.",
    ],
)
def test_a_text_that_would_say_something_else_besides_is_left_alone(text: str) -> None:
    assert find(text, "pool", "sauna", A) is None


POOL = make_proposal("pools", violating=["oak", "elm"], satisfying=["ash"], forms=("pool", "pools"))
SAUNA = make_proposal("saunas", violating=["ash"], satisfying=["oak"], forms=("sauna", "saunas"))


def drafts(**texts: str) -> list[PairDraft]:
    all_texts = {
        "oak": "",
        "ash": "Ash Hill is a campsite with a sauna.",
        "elm": "Elm is a campsite with a pool.",
    } | texts
    return list(moved_drafts([POOL, SAUNA], make_matching(all_texts, [POOL, SAUNA])))


def test_each_text_breaks_one_of_the_two_queries_and_obeys_the_other() -> None:
    told, reversed_ = (
        "Oak is a campsite with a pool but without a sauna.",
        "Oak is a campsite without a pool but with a sauna.",
    )
    pool, sauna = drafts(oak=told)
    assert (pool.proposal, pool.violating.text, pool.satisfying.text) == (POOL.id, told, reversed_)
    assert (sauna.proposal, sauna.violating.text, sauna.satisfying.text) == (SAUNA.id, reversed_, told)
    assert pool.couple == sauna.couple
    assert {pool.slice, sauna.slice} == {"minpairs"}


def test_the_changed_places_are_marked_in_both_texts() -> None:
    pool, _ = drafts(oak="Oak is a campsite with a pool but without a sauna.")
    for document in pool.documents:
        (span,) = document.changed
        assert document.text[slice(*span)] in ("with a pool but without a sauna", "without a pool but with a sauna")


def test_a_trimmed_text_says_that_it_is_edited() -> None:
    pool, _ = drafts(oak="Oak is a campsite with a pool but without a sauna, because the pipes froze.")
    assert (pool.violating.edit, pool.satisfying.edit) == ("trimmed", "moved_denial")


def test_a_text_that_mentions_a_noun_twice_is_left_alone() -> None:
    assert drafts(oak="Oak is a campsite with a pool but without a sauna. The pool is warm.") == []


def test_a_noun_takes_the_article_of_the_opposite_query() -> None:
    told = "Oak is a campsite. There is a pool, but there is no sauna."
    texts = {
        "oak": told,
        "ash": "Ash Hill is a campsite, and its sauna is warm.",
        "elm": "Elm is a campsite with a pool.",
    }
    sauna = make_proposal("a sauna", violating=["ash"], satisfying=["oak"], forms=("sauna", "saunas"))
    found = list(moved_drafts([POOL, sauna], make_matching(texts, [POOL, sauna])))
    assert {draft.satisfying.text for draft in found} == {
        told,
        "Oak is a campsite. There is no pool, but there is a sauna.",
    }
