"""The order in which test files run, the longest first, and disks that are not waited for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

LONGEST = (
    "test_two_nodes.py",
    "app/web/browser/test_pages.py",
    "core/execution/test_ray_engine.py",
    "suites/test_faults.py",
    "test_api.py",
    "vectors/ann/test_run.py",
    "mechanism/explain/test_resume.py",
    "app/web/browser/test_hostile.py",
    "mechanism/test_attribution.py",
    "tuning/test_tune.py",
    "vectors/ann/test_report.py",
    "app/web/browser/test_judging.py",
    "app/cli/test_explain.py",
    "experiments/test_nevir.py",
)
"""Files that take more than a quarter of a minute on two cores (`pytest --durations=50` says which)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files of LONGEST in front; the tests of a file and the other files stay in their order."""
    here = Path(__file__).parent
    place = {here / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(LONGEST)))


@pytest.fixture(scope="session", autouse=True)
def disks_not_waited_for() -> Iterator[None]:
    """fsync guards against a loss of power, which no test brings about; here it takes milliseconds per file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield
