"""Haystacks as memories, and every mode on every question at the same budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.public import BENCHMARKS
from constraintsuite.memory.public.base import BenchmarkFile, ReadOptions
from constraintsuite.memory.public.run import PublicRun, parts_of, run_public
from constraintsuite.memory.records import EDGE_WEIGHTS
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import Scorer, TextRole, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import load_scorer
from memory.public.tiny_files import HOTPOT, LONGMEMEVAL, MUSIQUE, write

MODES = ("lexical_baseline", "structure_only", "activation_spreading_static", "ppr,seeds=lexical")


class LetterEncoder:
    """Counts letters, and how often it is asked."""

    name = "letters"
    similarity: Similarity = "cosine"
    fingerprint = "0" * 64

    def __init__(self) -> None:
        self.calls: list[tuple[TextRole, int]] = []

    def encode(self, texts: Sequence[str], role: TextRole) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        self.calls.append((role, len(texts)))
        return np.array([[text.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts], np.float32)


@pytest.fixture
def reading(tmp_path: Path) -> BenchmarkFile:
    other = {**HOTPOT, "_id": "q2", "question": "Is Mount Gar steep?", "supporting_facts": [["Mount Gar", 1]]}
    return BENCHMARKS.load("hotpotqa")(write(tmp_path / "q.json", HOTPOT, other), ReadOptions())


def test_passages_of_a_document_follow_each_other_under_their_heading(reading: BenchmarkFile) -> None:
    lorn, gar, film = parts_of(reading.haystacks["q1"])
    assert [(edge.source, edge.target, edge.kind) for edge in lorn.edges] == [("Lorn:0", "Lorn:1", "next")]
    assert [edge.weight for edge in lorn.edges] == [EDGE_WEIGHTS["next"]]  # as in ingestion
    assert [unit.headings for unit in gar.units] == [("Mount Gar",), ("Mount Gar",)]
    assert (film.id, film.edges) == ("Film: Part 2", ())


def test_a_sentence_that_names_another_title_makes_the_bridge(reading: BenchmarkFile) -> None:
    memory = Memory.of(parts_of(reading.haystacks["q1"]))
    entity = memory.graph.number("entity:mount gar")
    edges = memory.graph.edges
    named_by = {memory.graph.node_id(int(n)) for n in edges.source[edges.target == entity]}
    assert named_by == {"Lorn:1", "Mount Gar:0", "Mount Gar:1"}


def named(reading: BenchmarkFile, question: str) -> dict[str, set[str]]:
    return {
        unit.id: {mention.entity for mention in part.mentions if mention.unit == unit.id}
        for part in parts_of(reading.haystacks[question])
        for unit in part.units
    }


def test_a_passage_names_its_own_title_without_the_bracket_and_the_names_in_it(tmp_path: Path) -> None:
    context = [["Lilu (mythology)", ["A demon of Sumer."]], ["Gallu", ["The gallu took Lilu away."]]]
    row = {**HOTPOT, "context": context, "supporting_facts": [["Gallu", 0]]}
    reading = BENCHMARKS.load("hotpotqa")(write(tmp_path / "q.json", row), ReadOptions())
    assert named(reading, "q1") == {"Lilu (mythology):0": {"lilu", "sumer"}, "Gallu:0": {"gallu", "lilu"}}


def test_links_can_be_of_titles_alone(tmp_path: Path) -> None:
    context = [["Lilu (mythology)", ["A demon of Sumer."]], ["Gallu", ["The gallu took Lilu to Sumer."]]]
    row = {**HOTPOT, "context": context, "supporting_facts": [["Gallu", 0]]}
    reading = BENCHMARKS.load("hotpotqa")(write(tmp_path / "q.json", row), ReadOptions())
    parts = parts_of(reading.haystacks["q1"], "titles")
    assert [[mention.entity for mention in part.mentions] for part in parts] == [["lilu"], ["gallu", "lilu"]]


def test_a_name_that_too_many_passages_share_is_left_out(tmp_path: Path) -> None:
    context = [["Sumer", ["It lay in Sumer."] * 201], ["Gallu", ["A demon of Sumer."]]]
    row = {**HOTPOT, "context": context, "supporting_facts": [["Gallu", 0]]}
    reading = BENCHMARKS.load("hotpotqa")(write(tmp_path / "q.json", row), ReadOptions())
    assert named(reading, "q1")["Gallu:0"] == {"gallu"}


def test_no_part_of_a_memory_tells_the_gold_of_longmemeval(tmp_path: Path) -> None:
    reading = BENCHMARKS.load("longmemeval")(write(tmp_path / "q.json", LONGMEMEVAL), ReadOptions())
    parts = parts_of(reading.haystacks["q1"])
    assert "answer" not in repr(parts)
    assert all(not part.edges for part in parts)  # sessions of a file are no chain: the gold may stand together


def test_every_mode_answers_every_question_within_every_budget(reading: BenchmarkFile) -> None:
    run = PublicRun(MODES, (1, 3))
    outcomes = list(run_public(reading, run))
    assert [(o.item, o.mode, o.budget) for o in outcomes] == [
        (item, mode, budget) for item in ("q1", "q2") for mode in MODES for budget in (1, 3)
    ]
    assert all(len(outcome.returned) <= outcome.budget for outcome in outcomes)
    assert [tuple(latency[:3]) for latency in run.latencies] == [(o.mode, o.item, o.budget) for o in outcomes]


def test_the_same_run_gives_the_same_outcomes(reading: BenchmarkFile) -> None:
    first, second = (list(run_public(reading, PublicRun(MODES, (2,)))) for _ in range(2))
    assert first == second


def test_an_outcome_says_what_came_back_and_how_long_it_is(reading: BenchmarkFile) -> None:
    (outcome, *_) = run_public(reading, PublicRun(("lexical_baseline",), (1,)))
    assert outcome.returned == ("Lorn:1",)  # "rise" is in it, and the title
    assert (outcome.values["units"], outcome.values["tokens"]) == (1.0, 6.0)
    assert outcome.values["sp_f1@1"] == pytest.approx(2 / 3)
    assert (outcome.groups, outcome.cluster) == ({"type": "bridge", "level": "hard"}, "q1")


@pytest.mark.parametrize(("most", "units"), [(5, 0), (6, 1), (11, 1), (12, 2)])
def test_a_budget_of_tokens_ends_the_ranking_before_it_is_exceeded(
    reading: BenchmarkFile, most: int, units: int
) -> None:
    (outcome, *_) = run_public(reading, PublicRun(("lexical_baseline",), (3,), most_tokens=most))
    assert outcome.values["units"] == units


def test_answers_are_scored_with_the_rankings_and_a_missing_one_is_wrong(reading: BenchmarkFile) -> None:
    outcomes = run_public(reading, PublicRun(("lexical_baseline",), (1,), answers={"q1": "In Veldt"}))
    first, second = (outcome.values for outcome in outcomes)
    assert first["answer_f1"] == pytest.approx(2 / 3)
    assert first["joint_recall@1"] == 0.5
    assert (second["answer_f1"], second["joint_em@1"]) == (0.0, 0.0)


def test_all_texts_are_embedded_in_one_go_and_all_questions_in_another(reading: BenchmarkFile) -> None:
    encoder = LetterEncoder()
    outcomes = list(
        run_public(
            reading, PublicRun(("embedding_baseline", "hybrid"), (2,)), DenseScorer("letters", encoder, "cosine")
        )
    )
    assert encoder.calls == [("document", 5), ("query", 2)]
    assert all(len(outcome.returned) == 2 for outcome in outcomes)


def test_vectors_of_earlier_runs_are_taken_from_the_cache(reading: BenchmarkFile, tmp_path: Path) -> None:
    for calls in ([("document", 5), ("query", 2)], [("query", 2)]):
        encoder = LetterEncoder()
        run = PublicRun(("embedding_baseline",), (2,), cache=tmp_path / "vectors")
        assert len(list(run_public(reading, run, DenseScorer("letters", encoder, "cosine")))) == 2
        assert encoder.calls == calls


def shortest_first(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [-float(len(text)) for _, text in pairs]


RERANKER = f"python:{__name__}:shortest_first"


class Watching(Silent):
    """Keeps the titles of what it was told of."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        self.titles.append(title)
        with super().track(title, total) as advance:
            yield advance


def test_a_model_that_reranks_is_loaded_once_for_all_haystacks(
    reading: BenchmarkFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def watched(text: str, bench: Workbench) -> Scorer:
        loaded.append(text)
        return load_scorer(text, bench)

    monkeypatch.setattr("constraintsuite.memory.modes.rerank.load_scorer", watched)
    outcomes = list(run_public(reading, PublicRun((f"ppr_rerank:{RERANKER}",), (1,))))
    assert [outcome.returned for outcome in outcomes] == [("Mount Gar:1",)] * 2
    assert loaded == [RERANKER] * 2  # once for the check of its name, which reads no weights, and once to work


def test_a_model_that_reranks_works_at_the_bench_of_the_run(reading: BenchmarkFile) -> None:
    watching = Watching()
    list(run_public(reading, PublicRun((f"ppr_rerank:{RERANKER}",), (1,), bench=Workbench(reporter=watching))))
    assert watching.titles == [RERANKER] * 2


def test_a_model_that_counts_in_a_haystack_knows_no_other_haystack(reading: BenchmarkFile) -> None:
    both = list(run_public(reading, PublicRun(("ppr_rerank:bm25", *MODES), (3,))))
    last = replace(reading, items=reading.items[1:])
    assert list(run_public(last, PublicRun(("ppr_rerank:bm25", *MODES), (3,)))) == both[5:]


def test_further_searches_for_times_are_of_the_memory_that_is_there(reading: BenchmarkFile) -> None:
    run = PublicRun(("lexical_baseline", "ppr"), (2,), repeats=2, timed=1)
    outcomes = list(run_public(reading, run))
    assert outcomes == list(run_public(reading, replace(run, repeats=0, latencies=[])))
    assert [(row.mode, row.item) for row in run.latencies] == [
        *[("lexical_baseline", "q1")] * 3,
        *[("ppr", "q1")] * 3,
        ("lexical_baseline", "q2"),
        ("ppr", "q2"),
    ]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (PublicRun((), (1,)), "nothing to run"),
        (PublicRun(("lexical_baseline",), ()), "nothing to run"),
        (PublicRun(("lexical_baseline",), (0,)), "1 or more"),
        (PublicRun(("lexical_baseline",), (1,), most_tokens=0), "1 or more"),
        (PublicRun(("lexical_baseline",) * 2, (1,)), "named twice"),
        (PublicRun(("lexicle_baseline",), (1,)), "Did you mean 'lexical_baseline'"),
        (PublicRun(("ppr,dumping=1",), (1,)), "dumping"),
        (PublicRun(("embedding_baseline",), (1,)), "no vectors"),
    ],
)
def test_what_cannot_be_run_is_refused(reading: BenchmarkFile, run: PublicRun, said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(run_public(reading, run))


def test_answers_that_cannot_be_scored_are_refused_before_a_text_is_embedded(tmp_path: Path) -> None:
    reading = BENCHMARKS.load("longmemeval")(write(tmp_path / "q.json", LONGMEMEVAL), ReadOptions())
    encoder = LetterEncoder()
    run = PublicRun(("embedding_baseline",), (2,), answers={"q1": "2"})
    with pytest.raises(UserError, match="model as judge"):
        list(run_public(reading, run, DenseScorer("letters", encoder, "cosine")))
    assert encoder.calls == []


def test_answers_to_other_questions_are_refused(reading: BenchmarkFile) -> None:
    run = PublicRun(("lexical_baseline",), (2,), answers={"q8": "Veldt", "q9": "yes"})
    with pytest.raises(UserError, match="its first question is 'q1'"):
        list(run_public(reading, run))


def test_a_pool_is_searched_once_for_all_questions(tmp_path: Path) -> None:
    other = {**MUSIQUE, "id": "2hop__33_44", "question": "Where is the mill?"}
    file = write(tmp_path / "q.json", MUSIQUE, other)
    reading = BENCHMARKS.load("musique")(file, ReadOptions(pooled=True))
    outcomes = list(run_public(reading, PublicRun(("lexical_baseline",), (2,))))
    assert [outcome.returned[0].partition("~")[0] for outcome in outcomes] == ["Ada", "Hale"]
    assert len(parts_of(reading.haystacks["all"])) == 3
