"""Relations that a document states of its own subject, and those it states of something else."""

from __future__ import annotations

import pytest

from suites.reading.reader import both_analysers, read

FILM = "Red Weir is a 1961 drama film"


def facts(text: str, relation: str, analyser: str, title: str = "") -> list[str]:
    return [fact.y for fact in read(text, analyser, title).facts if fact.relation == relation]


@both_analysers
@pytest.mark.parametrize(
    ("text", "relation", "expected"),
    [
        (f"{FILM} directed by Ann Example.", "directed_by", ["Ann Example"]),
        (f"{FILM} directed by Ann Example and Bob Stone.", "directed_by", ["Ann Example", "Bob Stone"]),
        (f"{FILM} starring Ann Example, Bob Stone, and Carl Berg.", "starring",
         ["Ann Example", "Bob Stone", "Carl Berg"]),
        (f"{FILM} written by Ann Example and directed by Bob Stone.", "written_by", ["Ann Example"]),
        (f"{FILM} written by Ann Example and directed by Bob Stone.", "directed_by", ["Bob Stone"]),
        (f"{FILM} written and directed by Ann Example.", "written_by", ["Ann Example"]),
        (f"{FILM} written and directed by Ann Example.", "directed_by", ["Ann Example"]),
        (f"{FILM}. It was directed by Ann Example.", "directed_by", ["Ann Example"]),
        (f"{FILM}. The film stars Ann Example.", "starring", ["Ann Example"]),
        (f"{FILM} distributed by Universal Pictures.", "distributed_by", ["Universal Pictures"]),
        ("Bob Stone is an actor born in Boston.", "born_in", ["Boston"]),
        ("Bob Stone is an actor. He was born in Boston.", "born_in", ["Boston"]),
        ("Bob Stone is an English footballer who plays as a goalkeeper.", "plays_as", ["goalkeeper"]),
        ("Kirkby is a village in Norfolk.", "located_in", ["Norfolk"]),
    ],
)  # fmt: skip
def test_a_trigger_is_followed_by_its_fillers(text: str, relation: str, expected: list[str], analyser: str) -> None:
    assert facts(text, relation, analyser) == expected


@both_analysers
@pytest.mark.parametrize(
    ("text", "relation", "expected"),
    [
        ("Red Weir is a 1961 Spanish drama film.", "work_nationality", ["Spanish"]),
        ("Red Weir is a 1961 Spanish drama film.", "genre", ["drama"]),
        ("Red Weir is a 1961 Hindi film.", "film_language", ["Hindi"]),
        ("Bob Stone is an American actor and director.", "person_nationality", ["American"]),
        ("Red Weir is a 1961 Franco-Italian drama film.", "work_nationality", []),
        ("Red Weir is a 1961 comedy-drama film.", "genre", []),
    ],
)
def test_a_value_is_read_off_the_defining_phrase_if_it_is_the_only_one(
    text: str, relation: str, expected: list[str], analyser: str
) -> None:
    assert facts(text, relation, analyser) == expected


@both_analysers
@pytest.mark.parametrize(
    "text",
    [
        f"{FILM}. It was remade as a film directed by Ann Example.",
        f"{FILM}. Its sequel was directed by Ann Example.",
        f"{FILM}. Critics praised the play directed by Ann Example.",
        f"{FILM}. It is unlike another film directed by Ann Example.",
        f"{FILM} not directed by Ann Example.",
        f"{FILM}. It was not directed by Ann Example.",
        f"{FILM}. It was never directed by Ann Example.",
        f"{FILM}. Carl Berg had seen a play and was directed by Ann Example.",
        "Bob Stone is an American actor who appeared in a film directed by Ann Example.",
    ],
)
def test_a_director_of_something_else_or_of_nothing_is_no_fact(text: str, analyser: str) -> None:
    assert facts(text, "directed_by", analyser) == []


@both_analysers
@pytest.mark.parametrize(
    "text",
    [
        f"{FILM} with a score written by Carl Berg.",
        f"{FILM} based on a novel written by Carl Berg.",
        f"{FILM}. The score was written by Carl Berg.",
    ],
)
def test_who_wrote_the_score_or_the_novel_did_not_write_the_film(text: str, analyser: str) -> None:
    assert facts(text, "written_by", analyser) == []


@both_analysers
def test_the_birthplace_of_a_brother_is_not_ones_own(analyser: str) -> None:
    assert facts("Bob Stone is an actor. His brother was born in Boston.", "born_in", analyser) == []


@both_analysers
def test_a_sentence_about_the_title_is_about_the_subject(analyser: str) -> None:
    text = f"{FILM}. Red Weir was directed by Ann Example."
    assert facts(text, "directed_by", analyser, "Red Weir (film)") == ["Ann Example"]
    assert facts(text, "directed_by", analyser, "Blue Dam") == []


@both_analysers
def test_a_text_without_a_definition_states_nothing(analyser: str) -> None:
    assert read("It was directed by Ann Example and stars Bob Stone.", analyser).facts == ()


@both_analysers
def test_a_relation_of_another_kind_of_thing_is_not_read(analyser: str) -> None:
    assert facts("Kirkby is a village. It was directed by Ann Example.", "directed_by", analyser) == []


@both_analysers
def test_a_fact_knows_its_place(analyser: str) -> None:
    text = f"{FILM} directed by Ann Example and Bob Stone. It ends well."
    first, second = (fact for fact in read(text, analyser).facts if fact.relation == "directed_by")
    assert text[first.start : first.end] == "Ann Example"
    assert text[second.start : second.end] == "Bob Stone"
