"""Golden figures of the NevIR test set: 1,383 pairs of queries and documents."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import Example
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run, load_run
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.models.lexical import Bm25Scorer
from constraintsuite.text.terms import TermAnalyser
from experiments.tiny_suite import make_example, write_suite

FILE = Path(os.environ.get("CSUITE_TEST_DATA", "")) / "nevir" / "test.jsonl"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not say where NevIR lies"),
]


def read_pairs() -> list[dict[str, str]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def as_example(row: dict[str, str]) -> Example:
    """q1 wants doc1 and q2 wants doc2: the negated and the affirmative query of one example."""
    passage = row["id"].split("-")[0]
    queries, docs = (row["q1"], row["q2"], ""), (row["doc1"], row["doc2"])
    return make_example(row["id"], "explicit", queries, docs, y="\0", clusters=(passage,))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("nevir"), [as_example(row) for row in read_pairs()], ())


def run(suite: Path, model: str, folder: Path) -> Run:
    return load_run(evaluate_suite(suite, model, folder / "run", Silent()).path)


def percent(group: GroupFigures, metric: str) -> float:
    value = group.metrics[metric].value
    assert value is not None
    return 100 * value


@pytest.mark.parametrize(
    ("model", "paired", "within", "ties", "ties_within"),
    [
        ("tfidf:nevir", 1.95, 0.05, 32.2, 0.05),
        ("bm25", 2.24, 0.05, 24.01, 0.05),  # its stop list deletes no and not, hence more ties
        ("bm25:words", 2.9, 0.3, 16.3, 0.3),  # the reference measurement
        ("random", 25.0, 2.3, 0.0, 0.0),
    ],
)
def test_paired_accuracy_and_ties_are_the_golden_ones(
    suite: Path, tmp_path: Path, model: str, paired: float, within: float, ties: float, ties_within: float
) -> None:
    overall = run(suite, model, tmp_path).summary.overall
    assert percent(overall, "paired_accuracy") == pytest.approx(paired, abs=within)
    assert percent(overall, "tie_rate") == pytest.approx(ties, abs=ties_within)
    assert (overall.items, overall.clusters) == (1_383, 700)  # 683 passages have two pairs


@pytest.mark.parametrize(("model", "strict", "mteb"), [("tfidf:nevir", 1.95, 2.17), ("bm25:words", 2.96, 3.40)])
def test_a_tie_counts_by_rule_as_measured(suite: Path, tmp_path: Path, model: str, strict: float, mteb: float) -> None:
    ties = run(suite, model, tmp_path).summary.ties
    assert ties is not None
    paired = {policy: 100 * (interval.value or 0) for policy, interval in ties["paired_accuracy"].items()}
    assert (paired["strict"], paired["mteb"]) == pytest.approx((strict, mteb), abs=0.005)
    assert paired["random"] == pytest.approx(paired["half"], abs=1.5)  # half is what the coin gives on average


class PlainWords(TermAnalyser):
    """The words of the measurement that the golden figures of BM25 come from: no stop list, no stems."""

    def terms(self, text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())


def test_bm25_on_plain_words_errs_as_measured() -> None:
    rows = read_pairs()
    scorer = Bm25Scorer(sorted({row[name] for row in rows for name in ("doc1", "doc2")}), PlainWords())
    pairs = [(row[query], row[text]) for row in rows for query in ("q1", "q2") for text in ("doc1", "doc2")]
    first, second = np.sign(np.diff(scorer.score(pairs).reshape(-1, 2, 2), axis=2)[:, :, 0]).T  # +1: prefers doc2
    shares = {
        "correct": (first < 0) & (second > 0),
        "doc1": (first < 0) & (second < 0),
        "doc2": (first > 0) & (second > 0),
        "reversed": (first > 0) & (second < 0),
        "tie": (first == 0) | (second == 0),
    }
    measured = {"correct": 2.9, "doc1": 46.4, "doc2": 27.3, "reversed": 7.1, "tie": 16.3}
    assert {name: round(100 * float(of.mean()), 1) for name, of in shares.items()} == measured
