from __future__ import annotations

import json.decoder
import subprocess
import sys
from pathlib import Path

import pytest

from constraintsuite.retrieval.hiding import hidden


def test_a_hidden_module_is_not_found_and_then_as_before() -> None:
    before = sys.modules["json.decoder"]
    with hidden("json.decoder", "never_there"), pytest.raises(ImportError):
        __import__("json.decoder")
    assert sys.modules["json.decoder"] is before is json.decoder
    assert "never_there" not in sys.modules


def test_bm25_does_not_start_jax(tmp_path: Path) -> None:
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("")
    (tmp_path / "jax" / "lax.py").write_text("raise SystemExit('JAX was started')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import constraintsuite.retrieval.bm25"
    subprocess.run([sys.executable, "-c", code], check=True)
