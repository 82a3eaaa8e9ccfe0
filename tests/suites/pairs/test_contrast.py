"""A denied filler put into a real passage, and the two fillers exchanged."""

from __future__ import annotations

from collections import Counter

import pytest

from constraintsuite.suites.pairs.contrast import (
    EditablePassage,
    Inserted,
    contrast_drafts,
    insert_denial,
    swap_fillers,
)
from constraintsuite.suites.pairs.couples import find_couples
from constraintsuite.suites.recipe import PairSettings
from suites.build_factory import knowledge, make_matching, make_proposal, read_all

FILM = "Red Weir is a 1961 drama film directed by Ann Example"
REST = "It was shown in Ravenna."


def passage(text: str, pronoun: str = "It") -> EditablePassage:
    reading = read_all({"d": text})["d"]
    return EditablePassage(text, "", reading.facts, reading.sentences, pronoun)


def insertions(text: str, relation: str, stated: str, denied: str, pronoun: str = "It") -> set[str]:
    """All ways that turn up over many documents; each span must hold exactly what was put in."""
    found = set()
    for number in range(40):
        made = insert_denial(
            passage(text, pronoun), knowledge().relations[relation], stated, denied, f"document {number}"
        )
        if made is not None:
            start, end = made.span
            assert made.text[:start] + made.text[end:] == text
            assert denied in made.text[start:end]
            found.add(made.text)
    return found


def test_a_denial_is_inserted_in_every_way_that_the_relation_has() -> None:
    assert insertions(f"{FILM}. {REST}", "directed_by", "Ann Example", "Bob Stone") == {
        f"{FILM}, not Bob Stone. {REST}",
        f"{FILM} rather than Bob Stone. {REST}",
        f"Red Weir is a 1961 drama film directed not by Bob Stone but by Ann Example. {REST}",
        f"{FILM}. It was not directed by Bob Stone. {REST}",
    }


def test_inside_a_sentence_the_denial_is_closed_with_a_comma() -> None:
    found = insertions(f"{FILM} and starring Carl Bergmann. {REST}", "directed_by", "Ann Example", "Bob Stone")
    assert f"{FILM}, not Bob Stone, and starring Carl Bergmann. {REST}" in found


def test_where_the_list_goes_on_only_a_new_sentence_is_safe() -> None:
    assert insertions(f"{FILM} about a nurse. {REST}", "directed_by", "Ann Example", "Bob Stone") == {
        f"{FILM} about a nurse. It was not directed by Bob Stone. {REST}"
    }


def test_but_not_follows_only_a_list_of_several() -> None:
    one = "Red Weir is a 1961 drama film starring Ann Example."
    two = "Red Weir is a 1961 drama film starring Ann Example and Carl Bergmann."
    assert insertions(one, "starring", "Ann Example", "Bob Stone") == {f"{one} Bob Stone does not appear in it."}
    assert insertions(two, "starring", "Ann Example", "Bob Stone") == {
        f"{two} Bob Stone does not appear in it.",
        "Red Weir is a 1961 drama film starring Ann Example and Carl Bergmann but not Bob Stone.",
    }


def test_a_person_is_spoken_of_as_the_text_does() -> None:
    text = "Ida Lorne was a painter born in Ravenna. She died in 1970."
    assert "Ida Lorne was a painter born in Ravenna. She was not born in Oslo. She died in 1970." in insertions(
        text, "born_in", "Ravenna", "Oslo", pronoun="She"
    )


def test_a_value_comes_with_its_article() -> None:
    text = "Bob Stone is an English footballer who plays as a goalkeeper."
    found = insertions(text, "plays_as", "goalkeeper", "attacking midfielder", pronoun="He")
    assert "Bob Stone is an English footballer who plays as a goalkeeper rather than an attacking midfielder." in found


def test_nothing_is_inserted_where_the_passage_does_not_state_the_filler() -> None:
    assert insertions(f"{FILM}.", "directed_by", "Carl Bergmann", "Bob Stone") == set()


def test_the_same_document_gets_the_same_denial() -> None:
    relation = knowledge().relations["directed_by"]
    made: set[Inserted | None] = {
        insert_denial(passage(f"{FILM}."), relation, "Ann Example", "Bob Stone", "d") for _ in range(3)
    }
    assert len(made) == 1


@pytest.mark.parametrize(
    ("text", "relation", "a", "b", "expected"),
    [
        ("A film directed by Ann Example, not Bob Stone.", "directed_by", "Ann Example", "Bob Stone",
         "A film directed by Bob Stone, not Ann Example."),
        ("A village in Norfolk, not Kent.", "located_in", "Norfolk", "Kent", "A village in Kent, not Norfolk."),
        ("He plays as a goalkeeper rather than an outfielder.", "plays_as", "goalkeeper", "outfielder",
         "He plays as an outfielder rather than a goalkeeper."),
    ],
)  # fmt: skip
def test_fillers_are_exchanged_with_their_articles_and_no_word_more_or_less(
    text: str, relation: str, a: str, b: str, expected: str
) -> None:
    swapped = swap_fillers(text, "", knowledge().relations[relation], a, b)
    assert swapped is not None
    assert swapped.text == expected
    assert swapped.token_count_preserved
    assert len(swapped.text.split()) == len(text.split())


def test_the_places_of_the_exchange_are_known_in_both_texts() -> None:
    text = "A film directed by Ann Example, not Bob van Stone."
    swapped = swap_fillers(text, "", knowledge().relations["directed_by"], "Ann Example", "Bob van Stone")
    assert swapped is not None
    assert [text[start:end] for start, end in swapped.original_spans] == ["Ann Example", "Bob van Stone"]
    assert [swapped.text[start:end] for start, end in swapped.spans] == ["Bob van Stone", "Ann Example"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("A film directed by Ann Example, not Bob Stone. Ann Example died.", ""),
        ("A film directed by Ann Example, not Bob Stone. Example died.", ""),  # the surname alone
        ("A film directed by Ann Example.", ""),
        ("A film directed by Ann Example, not Bob Stone.", "The Stone"),
    ],
)
def test_a_filler_that_stands_twice_in_the_title_or_not_at_all_is_not_exchanged(text: str, title: str) -> None:
    assert swap_fillers(text, title, knowledge().relations["directed_by"], "Ann Example", "Bob Stone") is None


def test_a_filler_that_shows_under_another_name_is_not_exchanged() -> None:
    text = "A Danish film, not Dutch, shown in Denmark."
    assert swap_fillers(text, "", knowledge().relations["work_nationality"], "Danish", "Dutch") is None


FILMS = {
    "weir": "Red Weir is a 1961 drama film directed by Ann Example. It was shown in Ravenna in winter.",
    "dam": "Blue Dam is a 1963 drama film directed by Bob Stone. It was shown in Oslo in spring.",
}


def test_a_couple_of_a_relation_gives_explicit_mentions_and_minimal_pairs() -> None:
    proposals = [
        make_proposal("Ann Example", topic="drama films", relation="directed_by", violating=["weir"],
                      forms=("Ann Example", "Example")),
        make_proposal("Bob Stone", topic="drama films", relation="directed_by", violating=["dam"],
                      forms=("Bob Stone", "Stone")),
    ]  # fmt: skip
    matching = make_matching(FILMS, proposals)
    (couple,) = find_couples(proposals, matching, PairSettings(), Counter(), explicit=False)
    passages = {name: passage(text) for name, text in FILMS.items()}
    drafts = list(contrast_drafts(couple, passages, knowledge()))
    assert sorted(draft.slice for draft in drafts) == ["explicit"] * 2 + ["minpairs"] * 2
    explicit = [draft for draft in drafts if draft.slice == "explicit"]
    assert explicit[0].satisfying.text == explicit[1].violating.text
    assert explicit[0].violating.text == explicit[1].satisfying.text
    assert all(
        "Ann Example" in text and "Bob Stone" in text
        for draft in drafts
        for text in (draft.satisfying.text, draft.violating.text)
    )
    minimal = [draft for draft in drafts if draft.slice == "minpairs"]
    assert all(draft.satisfying.source == draft.violating.source for draft in minimal)
    assert all(draft.satisfying.text != draft.violating.text for draft in minimal)
    assert all(sorted(draft.satisfying.text) == sorted(draft.violating.text) for draft in minimal)
