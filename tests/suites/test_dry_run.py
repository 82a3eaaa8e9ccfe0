"""A plan reads the corpus as a build would, and says what it would leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.dry_run import plan_build
from constraintsuite.suites.recipe import AnalysisSettings, DocumentSettings, Recipe

LONG = "is a soup of leeks and potatoes with cream, cooked slowly by my aunt every Sunday of the year"
ROWS = (
    {"id": "a", "text": f"Leek Pot {LONG}."},
    {"id": "b", "text": f"Oak Pot {LONG}."},
    {"id": "a", "text": f"Another Pot {LONG}."},
    {"id": "c", "text": f"leek pot {LONG}."},
    {"id": "d", "text": "Too short."},
    {"id": "e", "text": f"Ash( old) Pot {LONG}."},
)


def corpus(folder: Path, *, broken: str = "") -> Path:
    path = folder / "docs.jsonl"
    path.write_text("\n".join([*map(json.dumps, ROWS), *([broken] if broken else [])]) + "\n", encoding="utf-8")
    return path


def recipe(source: Path, *, skip_bad_rows: bool = False) -> Recipe:
    return Recipe(
        corpus=SourceSettings(source=str(source), skip_bad_rows=skip_bad_rows),
        analysis=AnalysisSettings(analyser="rules"),
        documents=DocumentSettings(shards=1),
    )


def test_a_plan_leaves_out_what_a_build_leaves_out(tmp_path: Path) -> None:
    wanted = recipe(corpus(tmp_path, broken="{broken"), skip_bad_rows=True)
    plan = plan_build(wanted)
    assert plan.left_out == {"duplicate_id": 1, "duplicate_text": 1, "invalid_json": 1, "too_short": 1}
    build_suite(wanted, tmp_path / "suite", reporter=Silent(), until="documents")
    manifest = Artifact.open(tmp_path / "suite" / "stages" / "documents").manifest
    assert (plan.documents, plan.left_out) == (manifest.counts["documents"], manifest.rejects)


def test_a_plan_stops_at_a_broken_row_where_a_build_would(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"docs\.jsonl:7: this row cannot be used: .* --skip-bad-rows"):
        plan_build(recipe(corpus(tmp_path, broken="{broken")))


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ("{broken", "left out      4 (duplicate_id 1, duplicate_text 1, invalid_json 1, too_short 1)"),
        ("", "left out      3 (duplicate_id 1, duplicate_text 1, too_short 1)"),
    ],
)
def test_what_was_left_out_is_said(tmp_path: Path, broken: str, line: str) -> None:
    plan = plan_build(recipe(corpus(tmp_path, broken=broken), skip_bad_rows=True))
    assert line in plan.in_words().splitlines()


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    plan_build(recipe(source))
    assert list(tmp_path.iterdir()) == [source]
