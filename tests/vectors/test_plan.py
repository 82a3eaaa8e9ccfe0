"""The plan of a subset: exact if the documents are read, else a forecast that holds on average."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.vectors.draft import draft_subset
from constraintsuite.vectors.plan import SubsetPlan, plan_subset
from constraintsuite.vectors.settings import SubsetSettings
from tiny_bundle import source_in, write_source


def planned(source: SourceSettings, **settings: object) -> SubsetPlan:
    chosen = SubsetSettings.model_validate({"size": 30, "namespace": "tiny", **settings})
    return plan_subset(open_source(source), chosen, False, None, Silent())


@pytest.fixture
def source(tmp_path: Path) -> SourceSettings:
    """Six queries with two positives each: of q0 both are gone from the source, of q1 one."""
    made = write_source(tmp_path)
    lines = Path(made.source).read_text().splitlines(keepends=True)
    Path(made.source).write_text("".join(line for i, line in enumerate(lines) if i not in (0, 10, 1)))
    return made


@pytest.mark.parametrize(
    "settings",
    [
        {"mode": "keep_positives"},
        {"mode": "uniform", "size": 20},
        {"mode": "prefix", "size": 12},
        {"mode": "stratified", "allocation": {"1-16 words": 1.0}, "size": 57},
    ],
    ids=lambda settings: settings["mode"],
)
def test_a_plan_that_reads_the_documents_is_exact(source: SourceSettings, settings: dict[str, object]) -> None:
    made = planned(source, **settings)
    chosen = SubsetSettings.model_validate({"namespace": "tiny", "size": 30, **settings})
    coverage = draft_subset(open_source(source), chosen, False, Silent()).coverage
    assert (made.expected.kept, made.expected.whole) == (coverage.full + coverage.partial, coverage.full)
    assert made.expected.deviation == 0


def test_eighty_draws_agree_with_the_forecast(source: SourceSettings) -> None:
    found = [planned(source, mode="uniform", size=20, seed=str(seed)) for seed in range(80)]
    expected = next(row for row in found[0].by_size if row.size == 20)
    kept = [plan.expected.kept for plan in found]
    assert abs(np.mean(kept) - expected.kept) < 3 * expected.deviation / np.sqrt(80)
    assert np.std(kept) == pytest.approx(expected.deviation, rel=0.3)
    assert np.mean([plan.expected.whole for plan in found]) == pytest.approx(expected.whole, abs=0.6)


def test_positives_that_the_source_lacks_are_counted(source: SourceSettings) -> None:
    made = planned(source)
    assert (made.absent, made.positives, made.expected.judged, made.expected.kept) == (3, 12, 6, 5)
    unread = plan_subset(open_source(source), SubsetSettings(size=30), False, 57, Silent())
    assert (unread.absent, unread.expected.kept) == (None, 6)


def test_a_corpus_that_the_judgments_are_not_of_is_reported(tmp_path: Path) -> None:
    write_source(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 gone{i} 1\n" for i in range(6)))
    assert planned(source_in(tmp_path)).expected.kept == 0


def test_the_run_of_a_pooled_subset_is_read_and_must_have_room(source: SourceSettings, tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text("".join(f"q{q} Q0 d{rank} {rank} {60 - rank} x\n" for q in range(6) for rank in range(60)))
    assert planned(source, mode="pooled", run=run, depth=30).expected.kept == 5
    with pytest.raises(UserError, match="no room for the documents to keep: 9 positive, 48 hard_negative"):
        planned(source, mode="pooled", run=run)
    run.write_text("q99 Q0 d1 1 1 x\n")
    with pytest.raises(UserError, match="it has none of the 6 selected queries"):
        planned(source, mode="pooled", run=run)


def test_a_stratum_that_is_too_small_is_reported(source: SourceSettings) -> None:
    made = planned(source, mode="stratified", allocation={"1-16 words": 1.0}, size=57)
    assert made.notes[-1] == f"stratum '1-16 words': 57 documents wanted, {made.size} there"
    assert made.size < 57
