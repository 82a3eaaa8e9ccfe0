"""Which backend runs a model: what is asked for, else the first that can."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.models import backends
from constraintsuite.models.backends import OnnxUnsupportedError, TransformerSettings, choose_backend


def can() -> str:
    return "onnx"


def cannot() -> str:
    raise OnnxUnsupportedError("m: a gpt2 model cannot be run.")


@pytest.mark.parametrize(
    ("options", "onnx", "chosen"),
    [
        ({}, can, "onnx"),
        ({}, cannot, "torch"),
        ({"backend": "torch"}, can, "torch"),
        ({"backend": "onnx"}, can, "onnx"),
        ({"precision": "int8"}, can, "onnx"),
    ],
)
def test_the_backend(options: dict[str, str], onnx: Callable[[], str], chosen: str) -> None:
    assert choose_backend(TransformerSettings.model_validate(options), onnx, lambda: "torch") == chosen


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"backend": "onnx"}, "gpt2 model cannot be run"),
        ({"precision": "int8"}, "gpt2 model cannot be run"),  # never silently in another precision
        ({"file": "model.onnx"}, "gpt2 model cannot be run"),
        ({"precision": "int8", "backend": "torch"}, "are of ONNX Runtime"),
    ],
)
def test_what_cannot_be_had_is_not_replaced(options: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        choose_backend(TransformerSettings.model_validate(options), cannot, lambda: "torch")


def test_where_torch_is_missing_the_reason_and_the_command_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError, match=r"gpt2 model cannot be run\. Running it with torch needs .* pip install"
    ):
        choose_backend(TransformerSettings(), cannot, lambda: "torch")
