from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.models.http.listwise import messages, read_partial_ranking, read_ranking


@pytest.mark.parametrize(
    ("said", "ranking"),
    [
        ("[2] > [1] > [3]", [1, 0, 2]),
        ("  [2]>[ 1 ]\n > [3].\n", [1, 0, 2]),
        ("2 > 1 > 3", [1, 0, 2]),
        ("The order is **[3] > [2] > [1]**, since [3] says so.", [2, 1, 0]),
        ("First I thought [1] > [2] > [3], but no: [3] > [2] > [1]", [2, 1, 0]),
        ("<think>[1] > [2] > [3]</think>\n[2] > [1] > [3]", [1, 0, 2]),
        ("<think>[1] > [2] > [3]</think> I cannot say.", None),
        ("[2] > [1]", None),
        ("[2] > [1] > [2]", None),
        ("[2] > [1] > [3] > [3]", None),
        ("[2] > [1] > [4]", None),
        ("[0] > [1] > [2]", None),
        ("[12] > [1] > [3]", None),
        ("[2], [1], [3]", None),
        ("", None),
    ],
)
def test_only_a_complete_ranking_counts(said: str, ranking: list[int] | None) -> None:
    assert read_ranking(said, 3) == ranking


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("[2] > [1]", [1, 0]),
        ("[2] > [2] > [7] > [3]", [1, 2]),
        ("[3]", [2]),
        ("[1], but [3] > [2]", [2, 1]),
        ("I cannot say.", []),
    ],
)
def test_what_an_incomplete_ranking_names_is_found(said: str, found: list[int]) -> None:
    assert read_partial_ranking(said, 3) == found


@given(
    st.integers(2, 30).flatmap(lambda n: st.permutations(range(n))),
    st.sampled_from([" > ", ">", "  >\n", "\t> "]),
    st.sampled_from(["[{}]", "[ {} ]"]),
    st.text(alphabet=st.characters(exclude_characters="0123456789[]><"), max_size=20),
)
def test_every_permutation_is_read_whatever_stands_around_it(
    order: list[int], separator: str, item: str, noise: str
) -> None:
    said = noise + separator.join(item.format(place + 1) for place in order) + noise
    assert read_ranking(said, len(order)) == order


@given(st.text(alphabet="[]0123456789> \nax</think>"), st.integers(2, 5))
def test_whatever_is_said_no_passage_is_invented(said: str, count: int) -> None:
    ranking, found = read_ranking(said, count), read_partial_ranking(said, count)
    assert ranking is None or sorted(ranking) == list(range(count))
    assert len(set(found)) == len(found)
    assert set(found) <= set(range(count))
    assert ranking is None or len(found) == count


def test_the_question_shows_all_passages_and_braces_do_no_harm() -> None:
    system, user = messages("soups {without} cream", ["a {soup}", "50 % [1]"])
    assert system["role"] == "system"
    assert "[1] a {soup}\n\n[2] 50 % [1]\n" in user["content"]
    assert "Query: soups {without} cream" in user["content"]


def test_the_question_does_not_hint_at_negation() -> None:
    said = " ".join(message["content"] for message in messages("q", ["a", "b"])).lower()
    assert not {"not", "without", "exclude", "negation", "except", "avoid"} & set(said.split())
