"""What is shown of a bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.app.views.bundles import SUBSET, show_bundle
from constraintsuite.app.views.display import Display, ShowOptions
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.sections import Remarks
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.relevance import make_relevance
from tiny_bundle import make_bundle

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def remarks(shown: Display) -> list[str]:
    return [
        said for one in shown.sections for block in one.blocks if isinstance(block, Remarks) for said in block.sentences
    ]


def test_texts_are_counted(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    shown = show_bundle([path], ShowOptions())
    (counts,) = shown.sections[0].tables()
    assert {("documents", 30), ("population", 60), ("positives in subset", 12)} <= set(counts.rows)
    assert [one.id for one in shown.sections] == ["texts"]
    assert shown.head.about == f"From docs (jsonl), licence not known. Id {Bundle.open(path).id[:12]}."


@pytest.mark.parametrize(("size", "said"), [(30, [SUBSET]), (60, [])])
def test_only_a_subset_is_warned_of(tmp_path: Path, size: int, said: list[str]) -> None:
    assert remarks(show_bundle([make_bundle(tmp_path, size=size)], ShowOptions())) == said


def test_truths_have_a_section(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    make_relevance(path)
    (truths,) = [one for one in show_bundle([path], ShowOptions()).sections if one.id == "truth"]
    (table,) = truths.tables()
    assert table.caption == "relevance, in truth/relevance."
    assert ("queries", 6) in table.rows


def test_a_bundle_of_another_version_is_told(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    for file in path.rglob("manifest.json"):
        manifest = json.loads(file.read_text())
        manifest["settings"].pop("source", None)
        file.write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=r"KeyError: 'source'.*written by another version"):
        show_bundle([path], ShowOptions())
