"""The last lines of `csuite quickstart`: what to open, and what to try next."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from constraintsuite.app.cli.quickstart import MODELS, next_steps
from constraintsuite.experiments.pairs import is_chance

SUITE, PAGE = Path("quickstart/suite"), Path("quickstart/report/index.html")


@pytest.mark.parametrize(("platform", "opener"), [("linux", "xdg-open"), ("darwin", "open"), ("win32", "start")])
def test_the_last_lines_say_how_to_open_the_page(monkeypatch: pytest.MonkeyPatch, platform: str, opener: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    told = "\n".join(next_steps(SUITE, PAGE))
    assert f"Open the report:  {opener} {PAGE}" in told
    assert PAGE.resolve().as_uri() in told
    assert f"csuite eval {SUITE} --model" in told


def test_an_environment_that_is_not_active_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "activate").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert f"source {tmp_path / 'activate'}" in "\n".join(next_steps(SUITE, PAGE))
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    assert "source" not in "\n".join(next_steps(SUITE, PAGE))


def test_no_model_of_the_quickstart_guesses() -> None:
    assert not any(map(is_chance, MODELS))
    assert is_chance("random:7")
