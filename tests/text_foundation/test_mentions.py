"""Mentions stand between word boundaries, whatever their case, and their offsets fit the text as it was given."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.text import Span
from constraintsuite.text.mentions import Mention, MentionFinder, find_forms, fold, surface_forms


def found(text: str, *forms: str) -> list[str]:
    return [span.of(text) for span in find_forms(text, forms)]


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("peanut butter and a nut", "nut", ["nut"]),
        ("nutmeg and doughnuts", "nut", []),
        ("a goal in Goa", "goa", ["Goa"]),
        ("JavaScript, not Java", "java", ["Java"]),
        ("3nut nut4 nut", "nut", ["nut"]),
        ("nut", "nut", ["nut"]),
        ('"nut", (nut) and nut/seed', "nut", ["nut", "nut", "nut"]),
        ("C++, not C", "c++", ["C++"]),
    ],
)
def test_a_form_counts_only_between_word_boundaries(text: str, form: str, expected: list[str]) -> None:
    assert found(text, form) == expected


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("a nut-free cake", "nut", ["nut"]),
        ("coconut-nut mix", "nut", ["nut"]),
        ("non\N{NON-BREAKING HYPHEN}smoking rooms", "smoking", ["smoking"]),
        ("a Wi\N{HYPHEN}Fi point", "wi-fi", ["Wi\N{HYPHEN}Fi"]),
    ],
)
def test_a_hyphen_is_a_boundary(text: str, form: str, expected: list[str]) -> None:
    assert found(text, form) == expected


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("a sugarless gum", "sugar", ["sugar"]),
        ("Boneless, skinless chicken", "bone", ["Bone"]),
        ("a blessing", "b", []),
        ("sugarlessness", "sugar", []),
    ],
)
def test_the_suffix_less_is_a_boundary(text: str, form: str, expected: list[str]) -> None:
    assert found(text, form) == expected


@pytest.mark.parametrize(
    ("text", "forms", "expected"),
    [
        ("a washing machine", ("machine", "washing machine"), ["washing machine"]),
        ("coconut milk and milk", ("milk", "coconut milk"), ["coconut milk", "milk"]),
        ("New York City", ("new york", "new york city"), ["New York City"]),
        ("nut nut nut", ("nut", "nut nut"), ["nut nut", "nut"]),
    ],
)
def test_of_overlapping_forms_of_one_key_the_longest_is_kept(
    text: str, forms: tuple[str, ...], expected: list[str]
) -> None:
    assert found(text, *forms) == expected


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("NUTS", "nuts"),
        ("nuts", "NUTS"),
        ("ÉCLAIR", "éclair"),
        ("ΣΟΦΙΑ", "σοφια"),
        ("McDonald’s", "McDonald's"),
        ("McDonald's", "McDonald’s"),
        ("crème\N{NO-BREAK SPACE}fraîche", "crème fraîche"),
    ],
)
def test_case_apostrophes_and_hard_spaces_are_ignored(text: str, form: str) -> None:
    assert found(text, form) == [text]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("İİ café", Span(3, 7)),  # İ lowers to two characters
        ("ẞ ﬁ 🍰 café", Span(6, 10)),
        ("東京の café!", Span(4, 8)),
    ],
)
def test_offsets_fit_texts_whose_characters_change_length(text: str, span: Span) -> None:
    assert find_forms(text, ["café"]) == [span]


def test_each_key_is_found_on_its_own() -> None:
    finder = MentionFinder({"machine": ["machine"], "washer": ["washing machine", "washer"]})
    assert finder.find("A washing machine.") == [Mention("washer", Span(2, 17)), Mention("machine", Span(10, 17))]


def test_one_form_can_belong_to_two_keys() -> None:
    finder = MentionFinder({"a": ["nut"], "b": ["nut"]})
    assert finder.find("nut") == [Mention("a", Span(0, 3)), Mention("b", Span(0, 3))]


def test_no_forms_no_mentions() -> None:
    assert MentionFinder({}).find("nut") == []
    assert find_forms("nut", []) == []


WORDS = ("nut", "Nuts", "walnut", "coconut milk", "café", "Wi-Fi", "doll's")
gaps = st.sampled_from([" ", "-", ", ", "", "less ", "’s ", "s", "x", " İ ", "🍰", "\N{NO-BREAK SPACE}"])
texts = st.lists(st.tuples(st.sampled_from((*WORDS, "NUT", "milk", "doll’s", "wi‑fi")), gaps), max_size=6).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
def test_every_mention_reads_as_one_of_the_forms(text: str, forms: list[str]) -> None:
    plain = str.maketrans("’‑\N{NO-BREAK SPACE}", "'- ")
    folded = {form.casefold() for form in forms}
    for span in find_forms(text, forms):
        assert span.of(text).translate(plain).casefold() in folded


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
def test_mentions_of_one_key_never_overlap(text: str, forms: list[str]) -> None:
    spans = find_forms(text, forms)
    assert all(before.end <= after.start for before, after in pairwise(spans))


@given(st.text())
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ("nut", ("nut", "nuts")),
        ("cheese", ("cheese", "cheeses")),
        ("child", ("child", "children")),
        ("washing machine", ("washing machine", "washing machines")),
        ("sheep", ("sheep",)),
        ("Tom Hanks", ("Tom Hanks",)),
        ("ORM", ("ORM",)),
    ],
)
def test_a_singular_has_its_plural_and_a_name_only_itself(y: str, expected: tuple[str, ...]) -> None:
    assert surface_forms(y) == expected


@pytest.mark.parametrize(
    ("y", "singular"), [("nuts", "nut"), ("children", "child"), ("knives", "knife"), ("hiking boots", "hiking boot")]
)
def test_a_plural_has_its_singular(y: str, singular: str) -> None:
    assert surface_forms(y)[:2] == (y, singular)
