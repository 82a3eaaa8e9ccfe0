from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.text.base import Analyser
from constraintsuite.text.condaqa import check_condaqa, kind_of_cue

ROWS = [
    (1, 0, "not", "The mill was not restored.", "The mill was not restored. It stands by the river."),
    (1, 3, "not", "The mill was not restored.", "The mill was restored. It stands by the river."),
    (2, 0, "unfinished", "The bridge is unfinished.", "The bridge is unfinished."),
    (3, 0, "without", "They crossed without a boat.", "They crossed without a boat."),
    (3, 3, "without", "They crossed without a boat.", "They still crossed without a boat."),  # the cue is still there
    (4, 0, "cannot", "The gate cannot be opened.", "The gate cannot be opened."),
]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "condaqa.jsonl"
    keys = ("PassageID", "PassageEditID", "original cue", "original sentence", "sentence1")
    path.write_text("".join(json.dumps({**dict(zip(keys, row, strict=True)), "label": "YES"}) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize(
    ("cue", "kind"),
    [
        ("not", "particle"),
        ("could not", "particle"),
        ("with the exception of", "preposition"),
        ("lack", "noun"),
        ("refused", "verb"),
        ("rarely", "adverb"),
        ("unlike", "comparison"),
        ("unfinished", "affix"),
        ("useless", "affix"),
        ("banned", "other"),
    ],
)
def test_kind_of_cue(cue: str, kind: str) -> None:
    assert kind_of_cue(cue) == kind


def test_check(rules: Analyser, tiny: Path) -> None:
    report = check_condaqa(rules, tiny)
    assert {one.kind: (one.found.value, one.found.n) for one in report.kinds} == {
        "particle": (1.0, 2),
        "preposition": (1.0, 1),
        "affix": (0.0, 1),
    }
    assert (report.everything.value, report.in_scope.value) == (0.75, 1.0)
    assert (report.edits_cleared.value, report.edits_cleared.n) == (0.5, 2)


def test_file_without_passages(rules: Analyser, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UserError, match="no passage of CondaQA"):
        check_condaqa(rules, tmp_path / "empty.jsonl")


@pytest.mark.data
def test_real_cues_are_found(rules: Analyser) -> None:
    folder = os.environ.get("CSUITE_TEST_DATA")
    if folder is None:
        pytest.skip("CSUITE_TEST_DATA does not name the data folder")
    report = check_condaqa(rules, Path(folder) / "condaqa" / "dev.jsonl")
    assert (report.in_scope.value or 0) > 0.75
