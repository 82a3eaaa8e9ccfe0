"""`csuite explain circuit` as a user calls it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.explain import explain
from constraintsuite.core.execution.progress import Terminal
from mechanism.drift.moving import make_checkpoints, make_soup_suite

FEW = ("--chance", 20, "--band", 2, "--parts", 3, "--random-models", 0)


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(explain, list(map(str, arguments)))
    if result.exception is not None:
        raise result.exception
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An attribution."""
    root = tmp_path_factory.mktemp("circuit")
    first, _ = make_checkpoints(root)
    suite = make_soup_suite(root / "suite")
    call("attribute", suite, "--model", f"cross:{first},threads=1", "--out", root / "a")
    return root / "a"


def test_a_dry_run_says_how_long_it_takes(folder: Path) -> None:
    printed = call("circuit", folder, *FEW, "--dry-run").stdout
    totals = re.findall(r"[\d,]+ in all with \d+ sites?, about [\d.]+ \w+.* on this machine", printed)
    assert len(totals) == 2  # of the smallest and the largest circuit
    sized = call("circuit", folder, *FEW, "--dry-run", "--size", 3).stdout
    assert len(re.findall(r"[\d,]+ in all with 3 sites", sized)) == 1
    assert not (folder / "circuit").exists()


def test_a_circuit_is_told_in_lines_of_100(folder: Path) -> None:
    printed = call("circuit", folder, *FEW).stdout
    assert max(map(len, printed.splitlines())) <= 100


def test_a_search_says_where_it_is_without_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terminal, "every_seconds", 0.0)
    told = call("circuit", folder, *FEW, "--name", "told").stderr
    for step in ("curve", "random circuits"):
        assert re.search(rf"^{step}: \d+ of \d+, about \d+ s left$", told, re.MULTILINE), told


def test_a_circuit_of_few_contrasts_is_told_to_be_so(folder: Path) -> None:
    words = "The circuit was found on only 4 contrasts and checked on 4."
    assert words in call("circuit", folder, *FEW, "--limit", 4, "--name", "few").stdout
    assert words not in call("circuit", folder, *FEW).stdout
