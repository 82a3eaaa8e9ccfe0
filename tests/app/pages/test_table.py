from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.app.pages.group_tables import slice_table
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.figures import PrintedFigure, show
from constraintsuite.core.records.formats.text import WIDTH, text_parts
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.load import load_run
from constraintsuite.experiments.run import evaluate_suites
from constraintsuite.experiments.summary import RunSummary
from experiments.tiny_suite import write_suite


@pytest.fixture
def summaries(tmp_path: Path) -> list[RunSummary]:
    runs = evaluate_suites(write_suite(tmp_path / "suite"), ["bm25", "random"], tmp_path / "runs", Silent())
    return [load_run(run.path).summary for run in runs]


def render(summaries: list[RunSummary], metric: str = "accuracy") -> str:
    return "\n\n".join(text_parts(slice_table(summaries, METRICS[metric]), stacked=True))


def test_a_cell_holds_value_interval_and_n(summaries: list[RunSummary]) -> None:
    lines = render(summaries).splitlines()
    row = next(i for i, line in enumerate(lines) if line.strip().startswith("bm25"))
    assert lines[row].split() == ["bm25", "25.0", "0.0", "50.0", "0.0", "0.0", "0.0"]
    assert lines[row + 1].split()[0] == "0.0–100.0"  # of two clusters
    assert lines[row + 2].split() == ["n=4", "n=2", "n=2", "n=1", "n=2", "n=1"]
    header = next(line for line in lines if "minpairs" in line)
    assert header.replace(",", "").split() == [
        "system",
        "headline",
        "minpairs",
        "explicit",
        "omission",
        "nonflip",
        "adversarial",
    ]


def test_a_models_name_is_broken_only_after_a_comma_or_a_colon(summaries: list[RunSummary]) -> None:
    names = ["dense:all-MiniLM-L6-v2,precision=int8", "cross:tiny1,length=32,backend=torch"]
    lines = render([replace(summaries[0], system=name) for name in names]).splitlines()
    first = [line.split()[0] for line in lines[5:] if line[:1].strip()]
    assert first == ["dense:all-MiniLM-L6-v2,", "precision=int8", "cross:tiny1,length=32,", "backend=torch", "chance"]


@pytest.mark.parametrize("metric", METRICS)
def test_the_table_fits_100_columns_and_cuts_nothing(summaries: list[RunSummary], metric: str) -> None:
    name = "dense:some-organisation/some-very-long-model-name-that-goes-on-and-on"
    text = render([*summaries, replace(summaries[0], system=name)], metric)
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    assert "…" not in text
    parts = text.split("The same, further columns:")
    assert len(parts) > 1
    for part in parts:  # the name in two lines; random is no row
        names = "".join(re.findall(r"^(\S+)", part.partition("─\n")[2], re.MULTILINE))
        assert names == f"bm25{name}{'chance' if METRICS[metric].share else ''}"


def test_chance_is_a_row_and_a_model_that_guesses_is_none_unless_it_stands_alone(summaries: list[RunSummary]) -> None:
    lines = render(summaries, "paired_accuracy").splitlines()
    assert not [line for line in lines if line.split()[:1] == ["random"]]
    (chance,) = [line.split() for line in lines if line.split()[:1] == ["chance"]]
    assert chance[1:] == ["25.0"] * 6
    assert [line for line in render(summaries[1:]).splitlines() if line.split()[:1] == ["random"]]


@pytest.mark.parametrize(
    ("interval", "share", "figure"),
    [
        (Interval(0.5123, 0.4, 1.0, 1_234), True, PrintedFigure("51.2", "40.0–100.0", "n=1,234")),
        (Interval(-0.01234, -2.0, 3.456, 7), False, PrintedFigure("−0.0123", "−2 to 3.46", "n=7")),
        (Interval(2.0, None, None, 1), False, PrintedFigure("2", "", "n=1")),
        (Interval(None, None, None, 0), True, PrintedFigure("–", "", "n=0")),
    ],
)
def test_numbers_are_printed_with_their_uncertainty(interval: Interval, share: bool, figure: PrintedFigure) -> None:
    assert show(interval, "share" if share else "number") == figure
