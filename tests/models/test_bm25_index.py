"""The index of BM25: right scores, for exactly the documents that are there, whatever came and went before."""

from __future__ import annotations

import math
from collections.abc import Iterable

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.models.bm25 import index as bm25_index
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.bm25.index import Bm25Index, BoolArray, FloatArray
from constraintsuite.models.bm25.postings import Int32Array
from constraintsuite.text.terms import TermAnalyser

TEXTS = [
    "The tenant pays for the boiler.",
    "Boiler repairs, boiler parts and boiler oil: the landlord pays.",
    "",
    "A pump is not a boiler, and a boiler pump is neither.",
    "Nothing here is shared.",
]
QUERIES = ["who pays for boiler repairs", "boiler boiler pump", "the of", "zebra", "", "PUMPS paying"]


class TextIndex(Bm25Index[np.float64]):
    """An index of texts, with double precision."""

    def __init__(self, stop_list: str = "lucene") -> None:
        super().__init__(np.float64)
        self.analyser = TermAnalyser(stop_list)

    def add_texts(self, texts: Iterable[str]) -> Int32Array:
        return self.add(self.analyser.analyse(texts))

    def score(self, query: str, among: BoolArray | None = None) -> FloatArray:
        return self.scores(self.analyser.terms(query), among)

    def full(self, query: str, among: BoolArray | None = None) -> float:
        return self.full_score(self.analyser.terms(query), among)


def index_of(texts: list[str]) -> TextIndex:
    index = TextIndex()
    index.add_texts(texts)
    return index


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (0.0, 0.0), (2.0, 1.0)])
@pytest.mark.parametrize("analyser", [TermAnalyser(), TermAnalyser("none", stem=False)])
def test_scores_are_those_of_bm25s(k1: float, b: float, analyser: TermAnalyser) -> None:
    documents = list(analyser.analyse(TEXTS))
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene")
    theirs.index(documents, show_progress=False)
    double, single = Bm25Index(np.float64, Bm25Formula(k1, b)), Bm25Index(np.float32, Bm25Formula(k1, b))
    double.add(documents)
    single.add(documents)
    for query in QUERIES:
        known = [term for term in analyser.terms(query) if term in theirs.vocab_dict]
        expected = theirs.get_scores(known).tolist() if known else [0.0] * len(TEXTS)
        assert single.scores(analyser.terms(query)).tolist() == expected  # to the bit
        assert double.scores(analyser.terms(query)).tolist() == pytest.approx(expected, abs=1e-6)


def test_a_score_by_hand() -> None:
    # Without stop words the texts have 3, 8, 0, 5 and 3 terms; "pump" is two of those of the fourth.
    norm = 0.9 * (0.6 + 0.4 * 5 / (19 / 5))
    expected = math.log(1 + 4.5 / 1.5) * 2 / (2 + norm)
    assert index_of(TEXTS).score("pump").tolist() == [0, 0, 0, pytest.approx(expected, rel=1e-15), 0]


def test_the_full_score_of_a_query_counts_terms_that_no_text_has() -> None:
    # "pump" is in one of five texts, "zebra" in none; k1 is 0.9.
    expected = (math.log(1 + 4.5 / 1.5) + 2 * math.log(1 + 5.5 / 0.5)) / 1.9
    assert index_of(TEXTS).full("pump zebra zebra") == pytest.approx(expected)
    assert index_of(TEXTS).full("the of") == 0


def test_a_removed_text_no_longer_counts_in_the_statistics() -> None:
    index = index_of(TEXTS)
    index.remove(np.array([1, 2], dtype=np.int32))
    for query in QUERIES:
        assert index.score(query)[[0, 3, 4]].tolist() == index_of([TEXTS[0], *TEXTS[3:]]).score(query).tolist()
        assert index.score(query)[[1, 2]].tolist() == [0, 0]


@given(
    st.lists(st.tuples(st.text("ab c", max_size=12), st.booleans(), st.booleans()), max_size=8),
    st.sampled_from(["a", "b a ab", "c c a"]),
)
def test_scores_among_some_are_those_of_an_index_of_them_alone(texts: list[tuple[str, bool, bool]], query: str) -> None:
    index, alone = TextIndex("none"), TextIndex("none")
    index.add_texts([text for text, _, _ in texts])
    index.remove(np.array([n for n, (_, _, gone) in enumerate(texts) if gone], dtype=np.int32))
    among = np.array([wanted for _, wanted, _ in texts], dtype=np.bool_)
    left = [n for n, (_, wanted, gone) in enumerate(texts) if wanted and not gone]
    alone.add_texts([texts[n][0] for n in left])
    scores = index.score(query, among)
    assert scores[left].tolist() == alone.score(query).tolist()
    assert np.count_nonzero(scores) == np.count_nonzero(scores[left])
    assert index.full(query, among) == alone.full(query)


def test_statistics_among_some_are_made_anew_when_texts_come_or_go() -> None:
    index, some = index_of(TEXTS), np.array([True, True, False, False, True])
    before = index.score("boiler", some).tolist()
    index.remove(np.array([1], dtype=np.int32))
    assert index.score("boiler", some)[0] == index_of([TEXTS[0], TEXTS[4]]).score("boiler")[0] != before[0]
    index.add_texts(["boiler"])
    more = np.append(some, True)
    assert index.score("boiler", more)[0] == index_of([TEXTS[0], TEXTS[4], "boiler"]).score("boiler")[0]


@given(st.text())
def test_any_text_has_the_terms_of_the_analyser(text: str) -> None:
    index = index_of([text, "other"])
    assert (index.score(text)[0] > 0) == bool(TermAnalyser().terms(text))
    assert [name for name in index._term_numbers if name != "other"] == [
        name for name in dict.fromkeys(TermAnalyser().terms(text)) if name != "other"
    ]


def test_empty_slots_are_given_up() -> None:
    index = index_of(TEXTS)
    index.remove(np.array([0, 2, 3], dtype=np.int32))
    assert index.empty_slots == 3
    assert index.compacted().tolist() == [-1, 0, -1, -1, 1]
    assert index.empty_slots == 0
    assert index.score("boiler shared").tolist() == index_of([TEXTS[1], TEXTS[4]]).score("boiler shared").tolist()


@pytest.mark.parametrize("texts", [[], ["", "the"]])
def test_texts_without_terms(texts: list[str]) -> None:
    index = index_of(texts)
    assert index.score("the boiler").tolist() == [0.0] * len(texts)
    assert index.compacted().tolist() == list(range(len(texts)))
    assert index.add_texts(["boiler"]).tolist() == [len(texts)]
    assert index.score("boiler")[-1] > 0


def test_a_term_may_stand_there_very_often() -> None:
    index = index_of(["pump " * 70_000, "pump"])
    assert index.score("pump")[0] == pytest.approx(math.log(1 + 0.5 / 2.5), rel=1e-4)


CHANGES = st.lists(st.one_of(st.lists(st.text("ab c", max_size=12), max_size=4), st.integers(0, 30)), max_size=12)


@given(CHANGES, st.sampled_from([1, 3, 100]))
def test_any_history_gives_the_scores_of_the_texts_that_are_left(changes: list[list[str] | int], block: int) -> None:
    index, held = TextIndex("none"), dict[int, str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25_index, "_BLOCK", block)
        for change in changes:
            if isinstance(change, list):
                held.update(zip(index.add_texts(change).tolist(), change, strict=True))
            elif change in held:
                index.remove(np.array([change], dtype=np.int32))
                del held[change]
            else:
                renumber = index.compacted()
                held = {int(renumber[slot]): text for slot, text in held.items()}
    fresh = TextIndex("none")
    fresh.add_texts(list(held.values()))
    for query in ("a", "b a ab", "c c a"):
        assert index.score(query)[list(held)].tolist() == fresh.score(query).tolist()


DOCUMENTS = [["a", "b", "a"], ["b"], ["c", "d", "e", "c"], ["a"], ["b", "c"]]
"""Lengths 3, 1, 4, 1, 2, so the mean is 2.2; of these, a is in two, b in three, c in two, d and e in one."""
GOLDEN = {
    (0.9, 0.4): {
        "a": [0.577694, 0, 0, 0.513882, 0],
        "d": [0, 0, 0.6317, 0, 0],
        "a b": [0.84309, 0.31638, 0, 0.513882, 0.288654],
        "b b": [0.530793, 0.63276, 0, 0, 0.577309],
    },
    (1.2, 0.75): {
        "a": [0.4964, 0, 0, 0.512242, 0],
        "a b": [0.709672, 0.31537, 0, 0.512242, 0.254462],
        "c e": [0, 0, 0.916924, 0, 0.413311],
    },
}
"""Worked out apart from the package, from the formula as the paper has it: idf(a) = ln 2.4, idf(b) = ln(12 / 7), idf(d) = ln 4."""


@pytest.mark.parametrize(("k1", "b"), list(GOLDEN))
def test_golden_scores(k1: float, b: float) -> None:
    index = Bm25Index(np.float64, Bm25Formula(k1, b))
    index.add(DOCUMENTS)
    for query, scores in GOLDEN[k1, b].items():
        assert index.scores(query.split()).tolist() == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_parts_with_the_statistics_of_the_whole_score_as_the_whole(parts: int) -> None:
    index = Bm25Index(np.float64)
    index.add(DOCUMENTS)
    counted = []
    for part in range(parts):
        shard = Bm25Index(np.float64, vocabulary=["a", "c", "z"])
        counted.append(shard.postings(shard.add(DOCUMENTS[part::parts])))
    whole = CorpusStatistics.merged(postings.statistics() for postings in counted)
    assert whole == CorpusStatistics(5, 11, {"a": 2, "c": 2})
    for part, postings in enumerate(counted):
        shard = Bm25Index(np.float64, corpus_statistics=whole)
        shard.add_postings(postings)
        assert shard.scores(["a", "z", "c", "a"]).tolist() == index.scores(["a", "z", "c", "a"])[part::parts].tolist()
        assert not shard.scores(["b", "d"]).any()  # nobody asked for them


def test_terms_that_are_asked_for_are_found_also_after_slots_were_given_up() -> None:
    index = Bm25Index(np.float64, vocabulary=["a", "b"])
    index.add([["a"], ["c"]])
    index.remove(np.array([1], dtype=np.int32))
    index.compacted()
    index.add([["b", "c"]])
    assert (index.scores(["b"]) > 0).tolist() == [False, True]
    assert not index.scores(["c"]).any()
