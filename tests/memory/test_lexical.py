"""BM25 over texts that come and go: the scores of the retriever, for exactly the texts that are there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.memory import lexical
from constraintsuite.memory.lexical import LexicalIndex
from constraintsuite.retrieval.bm25 import Bm25Retriever
from constraintsuite.text.terms import TermAnalyser

TEXTS = [
    "The tenant pays for the boiler.",
    "Boiler repairs, boiler parts and boiler oil: the landlord pays.",
    "",
    "A pump is not a boiler, and a boiler pump is neither.",
    "Nothing here is shared.",
]
QUERIES = ["who pays for boiler repairs", "boiler boiler pump", "the of", "zebra", "", "PUMPS paying"]


def index_of(texts: list[str]) -> LexicalIndex:
    index = LexicalIndex()
    index.add(texts)
    return index


def retrieved(texts: list[str], query: str, retriever: Bm25Retriever) -> list[float]:
    scores = {hit.document: hit.score for hit in retriever.search(query, len(texts))}
    return [scores.get(f"{number:03}", 0.0) for number in range(len(texts))]


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (0.0, 0.0), (2.0, 1.0)])
@pytest.mark.parametrize("analyser", [TermAnalyser(), TermAnalyser("none", stem=False)])
def test_scores_are_those_of_the_retriever(k1: float, b: float, analyser: TermAnalyser) -> None:
    ids = [f"{number:03}" for number in range(len(TEXTS))]
    retriever = Bm25Retriever(ids, TEXTS, k1=k1, b=b, analyser=analyser)
    index = LexicalIndex(k1=k1, b=b, analyser=analyser)
    index.add(TEXTS)
    for query in QUERIES:
        assert index.scores(query).tolist() == pytest.approx(retrieved(TEXTS, query, retriever), abs=1e-6)


def test_a_score_by_hand() -> None:
    # Without stop words the texts have 3, 8, 0, 5 and 3 terms; "pump" is two of those of the fourth.
    norm = 0.9 * (0.6 + 0.4 * 5 / (19 / 5))
    expected = math.log(1 + 4.5 / 1.5) * 2 / (2 + norm)
    assert index_of(TEXTS).scores("pump").tolist() == [0, 0, 0, pytest.approx(expected, rel=1e-15), 0]


def test_the_whole_of_a_query_counts_terms_that_no_text_has() -> None:
    # "pump" is in one of five texts, "zebra" in none; k1 is 0.9.
    expected = (math.log(1 + 4.5 / 1.5) + 2 * math.log(1 + 5.5 / 0.5)) / 1.9
    assert index_of(TEXTS).whole("pump zebra zebra") == pytest.approx(expected)
    assert index_of(TEXTS).whole("the of") == 0


def test_a_removed_text_no_longer_counts_in_the_statistics() -> None:
    index = index_of(TEXTS)
    index.remove(np.array([1, 2], dtype=np.int32))
    for query in QUERIES:
        assert index.scores(query)[[0, 3, 4]].tolist() == index_of([TEXTS[0], *TEXTS[3:]]).scores(query).tolist()
        assert index.scores(query)[[1, 2]].tolist() == [0, 0]


@given(
    st.lists(st.tuples(st.text("ab c", max_size=12), st.booleans(), st.booleans()), max_size=8),
    st.sampled_from(["a", "b a ab", "c c a"]),
)
def test_scores_among_some_are_those_of_an_index_of_them_alone(texts: list[tuple[str, bool, bool]], query: str) -> None:
    index, alone = LexicalIndex(analyser=TermAnalyser("none")), LexicalIndex(analyser=TermAnalyser("none"))
    index.add([text for text, _, _ in texts])
    index.remove(np.array([n for n, (_, _, gone) in enumerate(texts) if gone], dtype=np.int32))
    among = np.array([wanted for _, wanted, _ in texts], dtype=np.bool_)
    left = [n for n, (_, wanted, gone) in enumerate(texts) if wanted and not gone]
    alone.add([texts[n][0] for n in left])
    scores = index.scores(query, among)
    assert scores[left].tolist() == alone.scores(query).tolist()
    assert np.count_nonzero(scores) == np.count_nonzero(scores[left])
    assert index.whole(query, among) == alone.whole(query)


def test_statistics_among_some_are_made_anew_when_texts_come_or_go() -> None:
    index, some = index_of(TEXTS), np.array([True, True, False, False, True])
    before = index.scores("boiler", some).tolist()
    index.remove(np.array([1], dtype=np.int32))
    assert index.scores("boiler", some)[0] == index_of([TEXTS[0], TEXTS[4]]).scores("boiler")[0] != before[0]
    index.add(["boiler"])
    more = np.append(some, True)
    assert index.scores("boiler", more)[0] == index_of([TEXTS[0], TEXTS[4], "boiler"]).scores("boiler")[0]


@given(st.text())
def test_any_text_has_the_terms_of_the_analyser(text: str) -> None:
    index = index_of([text, "other"])
    assert (index.scores(text)[0] > 0) == bool(TermAnalyser().terms(text))
    assert [name for name in index._vocabulary if name != "other"] == [
        name for name in dict.fromkeys(TermAnalyser().terms(text)) if name != "other"
    ]


def test_empty_slots_are_given_up() -> None:
    index = index_of(TEXTS)
    index.remove(np.array([0, 2, 3], dtype=np.int32))
    assert index.gone == 3
    assert index.compacted().tolist() == [-1, 0, -1, -1, 1]
    assert index.gone == 0
    assert index.scores("boiler shared").tolist() == index_of([TEXTS[1], TEXTS[4]]).scores("boiler shared").tolist()


@pytest.mark.parametrize("texts", [[], ["", "the"]])
def test_texts_without_terms(texts: list[str]) -> None:
    index = index_of(texts)
    assert index.scores("the boiler").tolist() == [0.0] * len(texts)
    assert index.compacted().tolist() == list(range(len(texts)))
    assert index.add(["boiler"]).tolist() == [len(texts)]
    assert index.scores("boiler")[-1] > 0


def test_a_term_may_stand_there_very_often() -> None:
    index = index_of(["pump " * 70_000, "pump"])
    assert index.scores("pump")[0] == pytest.approx(math.log(1 + 0.5 / 2.5), rel=1e-4)


CHANGES = st.lists(st.one_of(st.lists(st.text("ab c", max_size=12), max_size=4), st.integers(0, 30)), max_size=12)


@given(CHANGES, st.sampled_from([1, 3, 100]))
def test_any_history_gives_the_scores_of_the_texts_that_are_left(changes: list[list[str] | int], block: int) -> None:
    index, held = LexicalIndex(analyser=TermAnalyser("none")), dict[int, str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_BLOCK", block)
        for change in changes:
            if isinstance(change, list):
                held.update(zip(index.add(change).tolist(), change, strict=True))
            elif change in held:
                index.remove(np.array([change], dtype=np.int32))
                del held[change]
            else:
                renumber = index.compacted()
                held = {int(renumber[slot]): text for slot, text in held.items()}
    fresh = LexicalIndex(analyser=TermAnalyser("none"))
    fresh.add(list(held.values()))
    for query in ("a", "b a ab", "c c a"):
        assert index.scores(query)[list(held)].tolist() == fresh.scores(query).tolist()
