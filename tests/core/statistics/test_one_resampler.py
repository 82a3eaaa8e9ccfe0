"""Clusters and signs are drawn in `core/statistics/resampling.py` alone, so that one rule holds for every interval and test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import constraintsuite

ROOT = Path(constraintsuite.__file__).parent
RESAMPLER = "core/statistics/resampling.py"
DRAWING = {
    "binomial",
    "choice",
    "choices",
    "integers",
    "multinomial",
    "permutation",
    "permuted",
    "randint",
    "randrange",
    "shuffle",
}
BOUNDS = {97.5, 0.975}
OTHERS = {
    "mechanism/circuits/runner.py": "how many members a random part of a circuit has",
    "memory/runs/benchmarks.py": "numbers for work that shows how fast a machine is",
    "memory/runs/replay.py": "edges that are removed in place of those of a path",
    "models/torch/firsttoken.py": "tokens on which a shortened model must agree with the whole one",
    "suites/controls/own.py": "which of several other words a query gets",
    "suites/controls/typography.py": "the order in which places in a text are tried",
    "suites/controls/synonym.py": "which synonym is put into a text",
    "suites/controls/word_order.py": "which words of a text change places",
    "tuning/batches.py": "the order of training examples",
    "tuning/distil.py": "texts of a training list, and words of a synthetic query",
    "tuning/epochs.py": "training examples of an epoch",
    "vectors/ann/engines/faiss.py": "rows that an index is trained on",
    "vectors/ann/sources/synthetic.py": "vectors that are made up",
}
"""Modules that draw something else, and what."""


def drawing_lines(source: str) -> Iterator[int]:
    """Lines that draw whole numbers, members of a list or an order, or that take the percentiles of a 95 % interval."""
    for node in ast.walk(ast.parse(source)):
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        number = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.expr) and (method in DRAWING or number in BOUNDS):
            yield node.lineno


def test_no_other_module_draws_clusters_or_signs() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    others = sources.keys() - OTHERS.keys() - {RESAMPLER}
    found = [f"{name}:{line}" for name in sorted(others) for line in drawing_lines(sources[name])]
    assert not found, f"These draw: {', '.join(found)}. Call {RESAMPLER}, or name in OTHERS what else is drawn."


@pytest.mark.parametrize(
    "line",
    [
        "rng.integers(groups, size=(draws, groups))",
        "self.rng.multinomial(groups, shares, draws)",
        "np.random.default_rng(0).choice([-1, 1], size=groups)",
        "np.percentile(means, [2.5, 97.5])",
    ],
)
def test_a_resampler_of_ones_own_would_be_found(line: str) -> None:
    assert list(drawing_lines(f"x = 1\ny = {line}")) != []


def test_the_resampler_itself_draws() -> None:
    assert list(drawing_lines((ROOT / RESAMPLER).read_text(encoding="utf-8"))) != []
