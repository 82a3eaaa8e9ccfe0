from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.serve import serve
from constraintsuite.core.errors import MissingExtraError


def test_without_its_extra_the_command_that_brings_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"constraintsuite\[serve\]"):
        CliRunner().invoke(serve, [str(tmp_path)], catch_exceptions=False)
