"""Training data: made from passages, read from files, kept free of test texts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.tuning.data import read_lists, read_suite
from constraintsuite.tuning.distil import MadeQuery, distil, gather, join_equal, make_queries
from constraintsuite.tuning.lists import DataContext, Exclusion, Lists, ListsBuilder, plain_form, read_exclusion
from constraintsuite.tuning.settings import DistilData, ListsData, MadeQuerySettings, SuiteData, TrainedRole
from experiments.tiny_suite import CREAM, CREAMLESS, DOGS, IDIOM, LEEKS, NO_DOGS, write_suite
from tuning.models import THINGS, TOPICS, write_cross, write_encoder

TEXT = "The soup is very rich. It has leeks and fresh cream in it. A warm bowl is best."
PASSAGES = [
    f"the {topic} is very rich and warm . it has {thing} and fresh {other} in a bowl ."
    for topic in TOPICS
    for thing, other in pairwise(THINGS)
]


def test_a_sentence_is_taken_out_of_its_passage() -> None:
    settings = MadeQuerySettings(taken_out=1, bags=0, titles=False)
    (made,) = make_queries(TEXT, "Soup", settings)
    assert made.query in TEXT
    assert made.query not in made.source
    assert made.right == {TEXT}
    assert sorted((made.query + " " + made.source).split()) == sorted(TEXT.split())


def test_equal_queries_share_what_is_right_and_have_each_source_once() -> None:
    first, other = MadeQuery("q", "left of a", frozenset({"a"})), MadeQuery("q", "b", frozenset({"b"}))
    joined = list(join_equal([first, other, first, MadeQuery("r", "c", frozenset({"c"}))]))
    assert [(made.query, made.source, set(made.right)) for made in joined] == [
        ("q", "left of a", {"a", "b"}),
        ("q", "b", {"a", "b"}),
        ("r", "c", {"c"}),
    ]


def test_bags_are_content_words_in_their_order_and_titles_are_queries() -> None:
    made = list(make_queries(TEXT, "Soup", MadeQuerySettings(sentences=0, bags=3, bag_words=(2, 3))))
    *bags, title = made
    assert title.query == "Soup"
    for bag in bags:
        words = bag.query.split()
        places = [TEXT.index(word) for word in words]
        assert 2 <= len(words) <= 3
        assert places == sorted(places)
        assert not {"is", "it", "The", "and", "A"} & set(words)


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_can_be_a_passage(text: str, title: str) -> None:
    made = list(make_queries(text, title, MadeQuerySettings()))
    assert made == list(make_queries(text, title, MadeQuerySettings()))
    assert all(one.query.strip() for one in made)


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("The soup, with leeks!", True),
        ("the soup with  leeks", True),
        ("the soup with leeks and cream", False),
        ("doc 7", False),  # of two words: an id
    ],
)
def test_texts_are_recognised_whatever_their_case_and_punctuation(tmp_path: Path, text: str, forbidden: bool) -> None:
    rows = [{"id": "doc 7", "pair": {"texts": ["The soup with leeks."]}}]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_exclusion([tmp_path]).forbids(text) is forbidden


@pytest.mark.parametrize(
    ("name", "words"), [("absent", "no such file"), ("bad.jsonl", "bad.jsonl:1: this is not JSON")]
)
def test_what_cannot_be_kept_out_is_an_error(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n")
    with pytest.raises(UserError, match=words):
        read_exclusion([tmp_path / name])


def test_a_forbidden_text_leaves_a_list_and_a_forbidden_first_text_ends_it() -> None:
    builder = ListsBuilder(Exclusion(frozenset({plain_form("a bad text")})))
    builder.add("q", ("one", "two", "A bad text."), (3, 2, 1))
    builder.add("q", ("a bad text", "two"), (3, 2))
    builder.add("q", ("one", "a bad text"), (3, 2))
    prepared = builder.done()
    assert [row.scores for row in prepared.lists.rows] == [(3, 2)]
    assert prepared.rejects == {"forbidden_text": 2, "forbidden_list": 1, "too_short_list": 1}


def test_lists_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    builder = ListsBuilder(Exclusion())
    builder.add("a query", ("one\n", "two"), (0.25, -1.0))
    lists = builder.done().lists
    lists.write(tmp_path)
    assert Lists.read(tmp_path) == lists


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"query": "q", "texts": ["a", "b"], "scores": [1]}, "list 1 has 2 texts and 1 scores"),
        ({"query": "q", "texts": ["a"], "scores": [1]}, "at least two texts"),
        ({"query": "q", "texts": "a", "scores": [1]}, "lists.jsonl:1: texts"),
    ],
)
def test_a_list_that_is_none_is_named(tmp_path: Path, row: object, words: str) -> None:
    (tmp_path / "lists.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(UserError, match=words):
        read_lists(ListsData(kind="lists", path=tmp_path / "lists.jsonl"), DataContext(Exclusion()))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    rows = [{"id": str(n), "title": text.split()[1], "text": text} for n, text in enumerate(PASSAGES)]
    (folder / "passages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    question = {"query": "which soup has nuts", "texts": [PASSAGES[0], PASSAGES[1]]}
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n")
    write_encoder(folder / "dense")
    write_cross(folder / "cross")
    return folder


def settings(corpus: Path, **changes: object) -> DistilData:
    return DistilData.model_validate(
        {
            "kind": "distil",
            "sources": [{"source": str(corpus / "passages.jsonl")}],
            "teacher": f"dense:{corpus / 'dense'},backend=torch,threads=1",
            "lists": {"near": 2, "near_ranks": 4, "far": 1, "far_ranks": 10, "random": 1},
            **changes,
        }
    )


def test_each_query_has_its_source_first_and_no_right_text_among_the_others(corpus: Path) -> None:
    prepared = distil(settings(corpus, questions=corpus / "questions.jsonl"), DataContext(Exclusion()))
    lists = prepared.lists
    assert {len(row.texts) for row in lists.rows} == {5}
    for row in lists.rows:
        own = [lists.texts[place] for place in row.texts]
        assert len(set(own)) == 5
        assert set(own[1:]) <= set(PASSAGES)
        if lists.texts[row.query] == "which soup has nuts":
            assert own[0] in PASSAGES[:2]
            assert not set(own[1:]) & set(PASSAGES[:2])
    assert prepared.counts["passages"] == len(PASSAGES)


def test_passages_of_the_same_title_all_answer_it(corpus: Path) -> None:
    titles = {"queries": {"sentences": 0, "bags": 0}}  # each of the four topics is the title of five passages
    lists = distil(settings(corpus, **titles), DataContext(Exclusion())).lists
    assert len(lists.rows) == len(PASSAGES)
    for row in lists.rows:
        title, *others = lists.texts[row.query], *(lists.texts[place] for place in row.texts[1:])
        assert len(others) == 4
        assert not any(text.split()[1] == title for text in others)


def test_a_question_with_many_right_texts_has_as_many_others(corpus: Path, tmp_path: Path) -> None:
    question = {"query": "which soup is rich", "texts": PASSAGES[:8]}
    (tmp_path / "many.jsonl").write_text(json.dumps(question) + "\n")
    few = {"near": 2, "near_ranks": 2, "far": 2, "far_ranks": 4, "random": 0}
    given = {"queries": {"sentences": 0, "bags": 0, "titles": False}, "lists": few}
    lists = distil(settings(corpus, questions=tmp_path / "many.jsonl", **given), DataContext(Exclusion())).lists
    assert {len(row.texts) for row in lists.rows} == {1 + 4}


def test_repeated_queries_are_counted(corpus: Path) -> None:
    bags = {"queries": {"sentences": 0, "bags": 40, "bag_words": [2, 2], "titles": False}}
    material = gather(settings(corpus, **bags), Exclusion())
    assert len({(made.query, made.source) for made in material.queries}) == len(material.queries)
    assert len(material.queries) + material.rejects["repeated_query"] == 40 * len(PASSAGES)


def test_forbidden_queries_are_counted(corpus: Path) -> None:
    plain = {"queries": {"sentences": 2, "taken_out": 0, "bags": 0, "titles": False}}
    first = f"{PASSAGES[0].partition(' . ')[0]} ."
    rejects = gather(settings(corpus, **plain), Exclusion(frozenset({plain_form(first)}))).rejects
    assert rejects["forbidden_query"] == 5  # "the soup is very rich and warm ." begins five passages


def test_what_is_left_of_a_passage_may_be_forbidden_by_itself(corpus: Path) -> None:
    one = {"queries": {"sentences": 2, "taken_out": 1, "bags": 0, "titles": False}}
    left = PASSAGES[0].partition(" . ")[2]
    material = gather(settings(corpus, **one), Exclusion(frozenset({plain_form(left)})))
    assert left not in {made.source for made in material.queries}
    assert material.rejects["forbidden_query"] >= 1


def test_the_same_corpus_gives_the_same_lists(corpus: Path) -> None:
    first, again = (distil(settings(corpus, limit=10), DataContext(Exclusion())) for _ in range(2))
    assert first == again
    assert first.counts["queries"] == 10


def test_a_judge_scores_in_the_teachers_place(corpus: Path) -> None:
    taught = distil(settings(corpus, limit=6), DataContext(Exclusion()))
    judged = distil(
        settings(corpus, limit=6, judge=f"cross:{corpus / 'cross'},backend=torch"), DataContext(Exclusion())
    )
    assert [row.texts for row in judged.lists.rows] == [row.texts for row in taught.lists.rows]
    assert [row.scores for row in judged.lists.rows] != [row.scores for row in taught.lists.rows]


def test_a_forbidden_passage_gives_no_query_and_stands_in_no_list(corpus: Path) -> None:
    forbidden = Exclusion(frozenset({plain_form(PASSAGES[3])}))
    prepared = distil(settings(corpus), DataContext(forbidden))
    assert PASSAGES[3] not in prepared.lists.texts
    assert prepared.rejects["forbidden_passage"] == 1


@pytest.mark.parametrize(
    ("role", "lists"),
    [
        ("query", [("soups without cream", LEEKS), ("without a doubt the best campsites with dogs", DOGS)]),
        ("opposite", [("soups with cream", CREAM), ("campsites without dogs", NO_DOGS)]),
        ("restated", [("campsites with dogs", DOGS)]),
    ],
)
def test_under_each_query_of_a_suite_the_preferred_text_is_the_right_one(
    tmp_path: Path, role: TrainedRole, lists: list[tuple[str, str]]
) -> None:
    examples, controls = ([replace(one, split="train")] for one in (CREAMLESS, IDIOM))
    suite = write_suite(tmp_path, examples, controls)
    prepared = read_suite(SuiteData(kind="suite", suite=suite, roles=(role,), controls=True), DataContext(Exclusion()))
    texts = prepared.lists.texts
    assert [(texts[row.query], texts[row.texts[0]]) for row in prepared.lists.rows] == lists
    assert {row.scores for row in prepared.lists.rows} == {(1.0, 0.0)}
