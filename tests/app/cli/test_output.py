"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from constraintsuite.app.cli.output import count_lines, emit


@dataclass(frozen=True)
class Figure:
    value: float
    place: Path


def test_json_is_one_indented_document_without_undefined_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"figures": (Figure(float("nan"), Path("runs/ä")),)}, True, "nothing")
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"figures": [{"value": None, "place": "runs/ä"}]}
    assert printed.startswith('{\n  "figures"')
    assert "ä" in printed


def test_text_is_one_string_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    emit({}, False, "one\ntwo")
    emit({}, False, (line for line in ("three", "four")))
    emit({}, False, [])
    assert capsys.readouterr().out == "one\ntwo\nthree\nfour\n"


def test_lines_are_made_only_when_they_are_printed() -> None:
    def lines() -> Iterator[str]:
        raise AssertionError
        yield ""

    emit({}, True, lines())


def test_counts_end_in_one_column_that_is_wide_enough() -> None:
    assert count_lines({"pairs": 12, "forward passes": 3_400.0}) == ["        12 pairs", "     3,400 forward passes"]
    assert count_lines({"few": 1, "many": 1_234_567_890}) == ["            1 few", "1,234,567,890 many"]
    assert count_lines({}) == []
