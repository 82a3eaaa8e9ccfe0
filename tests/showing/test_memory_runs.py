"""Runs of memory benchmarks on one page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from constraintsuite.memory.runs.record import load_memory_run
from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.showing.memory.sections import display_runs
from memory.runs.made_outcomes import made_run, outcomes


@pytest.fixture
def page(tmp_path: Path) -> list[Section]:
    """Two runs of one benchmark."""
    made_run(tmp_path / "a", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)])
    made_run(tmp_path / "b", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "01" * 10)])
    display = display_runs([load_memory_run(tmp_path / run) for run in ("a", "b")])
    return list(display.sections)


def test_two_runs_of_one_benchmark_share_no_id(page: list[Section]) -> None:
    blocks = [block for section in page for block in section.blocks]
    charts = [drawing.name for block in blocks if isinstance(block, Charts) for drawing in block.drawings]
    tables = [block.table.name for block in blocks if isinstance(block, TableBlock)]
    assert len(charts) == 2
    assert [name for name, count in Counter([*charts, *tables, *(one.id for one in page)]).items() if count > 1] == []


def test_sections_of_several_runs_say_which_they_are_of(page: list[Section]) -> None:
    assert [section.title for section in page if section.title.startswith("Scores")] == ["Scores of tiny"] * 2
