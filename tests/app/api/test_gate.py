from __future__ import annotations

from pathlib import Path

import pytest

import constraintsuite as cs
from constraintsuite.core.errors import UserError
from experiments.tiny_suite import write_suite


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[cs.Run]:
    """A better run and a worse one."""
    folder = tmp_path_factory.mktemp("gate")
    suite = cs.load_suite(write_suite(folder / "suite"))
    return [
        cs.evaluate(lambda pairs: [len(text) for _, text in pairs], suite, folder / "runs", name="longer", quiet=True),
        cs.evaluate("bm25:nostop", suite, folder / "runs", quiet=True),
    ]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "gate.yaml"
    file.write_text(
        "rules:\n  - {metric: accuracy, min: 0.1}\n  - {metric: accuracy, max_drop: 0.1, significant: false}\n"
    )
    return file


def test_a_gate_says_whether_a_run_passes_and_why_not(runs: list[cs.Run], policy: Path) -> None:
    better, worse = runs
    passed, failed = cs.gate(better, policy, baseline=worse.path), cs.gate(worse.path, policy, baseline=better)
    assert (passed.passed, bool(passed), passed.reasons) == (True, True, ())
    assert (failed.passed, bool(failed), len(failed.reasons)) == (False, False, 1)
    assert failed.reasons[0].startswith("accuracy: max_drop 0.1: a drop of 25.0 points is beyond 10.0 points")
    assert [row[1] for row in failed.table().rows] == ["passed", "FAILED"]
    assert repr(failed) == "bm25:nostop does not pass (failed) on tiny, compared with python:longer"
    assert "<table>" in failed._repr_html_()


def test_a_gate_that_compares_asks_for_a_baseline(runs: list[cs.Run], policy: Path) -> None:
    with pytest.raises(UserError, match="compares with a baseline"):
        cs.gate(runs[0], policy)
