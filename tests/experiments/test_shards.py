"""A run is the same whoever scores its pairs, and one pair that breaks the model does not stop the others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.experiments import scoring
from constraintsuite.experiments.load import load_run, load_suite
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.experiments.scoring import pairs_of, plan_shards
from constraintsuite.models import SCORERS, worker_model
from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.chance import RandomScorer
from constraintsuite.models.lexical import Bm25Scorer
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.onnx.session import OnnxSession
from constraintsuite.text.terms import TermAnalyser
from experiments.tiny_suite import BREAD, write_suite


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scoring, "SHARD_PAIRS", 6)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


PAIRS = st.lists(st.tuples(st.sampled_from("abcdef"), st.text("xyz", max_size=2)), unique=True).map(sorted)


@given(PAIRS)
def test_shards_are_small_hold_every_pair_in_order_and_part_no_query(pairs: list[Pair]) -> None:
    planned = plan_shards(pairs, RandomScorer())
    assert list(chain.from_iterable(planned)) == pairs
    queries = [{query for query, _ in shard} for shard in planned]
    assert sum(map(len, queries)) == len({query for query, _ in pairs})
    largest = max(Counter(query for query, _ in pairs).values(), default=0)
    assert all(0 < len(shard) < scoring.SHARD_PAIRS + largest for shard in planned)


def test_shards_are_of_equal_size() -> None:
    pairs = [(f"{number:02}", "text") for number in range(2 * scoring.SHARD_PAIRS + 2)]
    assert [len(shard) for shard in plan_shards(pairs, RandomScorer())] == [5, 5, 4]


def test_a_model_that_counts_in_the_collection_gets_all_pairs_at_once() -> None:
    pairs = [(f"query {number}", "text") for number in range(20)]
    assert plan_shards(pairs, Bm25Scorer(["text"], TermAnalyser())) == [pairs]


@pytest.mark.parametrize("model", ["cross:tiny", "random", "bm25"])
def test_the_number_of_workers_does_not_matter(suite: Path, tmp_path: Path, model: str) -> None:
    alone = evaluate_suite(suite, model, tmp_path / "alone", Silent())
    together = evaluate_suite(suite, model, tmp_path / "together", Silent(), engine=LocalEngine(2))
    assert together.manifest == alone.manifest
    assert not (together.path / "stages").exists()
    assert together.verify() == []


def test_the_model_is_loaded_once_however_many_shards_there_are(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    class Counting(OnnxSession):
        def __init__(self, graph: Path, threads: int | None) -> None:
            opened.append(graph)
            super().__init__(graph, threads)

    monkeypatch.setattr("constraintsuite.models.onnx.session.OnnxSession", Counting)
    evaluate_suite(suite, "cross:tiny", tmp_path / "run", Silent())
    assert len(opened) == 1
    assert worker_model._cached == {}


class Fragile:
    """The length of a text; breaks at one of them, and counts the texts that it has seen."""

    name, fingerprint, spreadable = "fragile", "1", True

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._seen = 0

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        if any(text == BREAD for _, text in pairs):
            raise RuntimeError("rye")
        self._seen = len(pairs)
        self._bench.events.append(f"scored {len(pairs)}")
        return np.array([len(text) + len(pairs) / 1_000 for _, text in pairs])

    def describe(self) -> Mapping[str, ModelFact]:
        return {"kind": "fragile", **self.describe_counts(self.text_counts())}

    def text_counts(self) -> Mapping[str, int]:
        return {"seen": self._seen}

    def describe_counts(self, counts: Mapping[str, int]) -> Mapping[str, ModelFact]:
        return {"texts_seen": counts["seen"]}


def make_fragile(name: ModelName, bench: Workbench) -> Scorer:
    return Fragile(bench)


@dataclass
class Heard(Silent):
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def fragile(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setitem(SCORERS.places, "fragile", f"{__name__}:make_fragile")
    yield "fragile"


def test_examples_of_a_pair_that_breaks_the_model_are_left_out_and_named(
    suite: Path, tmp_path: Path, fragile: str
) -> None:
    heard = Heard()
    artifact = evaluate_suite(suite, fragile, tmp_path / "run", heard)
    assert artifact.manifest.rejects == {"unworkable": 1}
    assert artifact.manifest.counts == {"examples": 4, "controls": 3, "pairs": 26}
    run = load_run(artifact.path)
    assert "nutless" not in {result.id for result in run.results}
    assert any("1 example is left out" in note and note.endswith(": nutless") for note in heard.notes)
    assert sum("RuntimeError (" in note for note in heard.notes) == 3  # under each of its queries
    events = json.loads((artifact.path / "environment.json").read_text())["events"]
    assert sum("RuntimeError (" in event for event in events) == 3
    assert rejudge(run, load_suite(suite), TieRule("half")).summary.overall.items == 4


def test_what_a_model_noticed_is_added_up_over_the_shards(suite: Path, tmp_path: Path, fragile: str) -> None:
    artifact = evaluate_suite(suite, fragile, tmp_path / "run", Silent())
    facts = json.loads((artifact.path / "model.json").read_text())
    assert facts == {"kind": "fragile", "texts_seen": 29}  # of 32 pairs, three break it


def test_where_every_example_breaks_the_model_there_is_no_run(tmp_path: Path, fragile: str) -> None:
    examples = load_suite(write_suite(tmp_path / "whole")).examples
    suite = write_suite(tmp_path / "suite", [each for each in examples if each.id == "nutless"], ())
    with pytest.raises(UserError, match="fails on a pair of every example"):
        evaluate_suite(suite, fragile, tmp_path / "run", Silent())


KILLING = """
import os, signal, sys
from pathlib import Path
from constraintsuite.experiments import scoring
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models.onnx.crossencoder import OnnxCross

scoring.SHARD_PAIRS = 6
calls, own = [], OnnxCross.score

def counting(self, pairs):
    calls.append(len(pairs))
    if len(calls) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return own(self, pairs)

OnnxCross.score = counting
evaluate_suite(Path(sys.argv[1]), "cross:tiny", Path(sys.argv[2]), Silent())
print(len(calls))
"""


def test_a_run_that_was_killed_goes_on_behind_the_last_finished_shard(suite: Path, tmp_path: Path) -> None:
    def evaluate(last: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", KILLING, str(suite), str(tmp_path / "killed"), str(last)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    whole = evaluate_suite(suite, "cross:tiny", tmp_path / "whole", Silent())
    loaded = load_suite(suite)
    planned = plan_shards(pairs_of([*loaded.examples, *loaded.controls]), RandomScorer())
    assert evaluate(4).returncode == -9
    assert len(list((tmp_path / "killed" / "stages").glob("*.outcome.json"))) == 3
    after = evaluate(0)
    assert int(after.stdout) == len(planned) - 3, after.stderr
    again = evaluate_suite(suite, "cross:tiny", tmp_path / "killed", Silent())
    assert again.manifest == whole.manifest
