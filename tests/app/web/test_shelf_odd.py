"""Links in a circle, pipes, odd manifests: nothing that lies in a folder takes its pages down."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.web.site import ANNA, open_site
from app.web.test_shelf import places, suite_at
from constraintsuite.app.web.artifact_index import DAMAGED, PROPOSALS, ArtifactIndex
from suites.annotation.small_batch import make_batch


@pytest.mark.parametrize("name", ["manifest.json", "batch.json", "proposals.jsonl"])
@pytest.mark.parametrize("make", [lambda file: file.symlink_to(file), os.mkfifo], ids=["loop", "pipe"])
def test_what_is_no_file_is_passed_over(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    suite_at(tmp_path / "suite")
    (tmp_path / "odd").mkdir()
    make(tmp_path / "odd" / name)
    assert [one.place for one in ArtifactIndex(tmp_path).all()] == ["suite"]
    open_site(tmp_path).visit().page("/")


@pytest.mark.parametrize("file", ["items.jsonl", "more", "annotations.sqlite"])
@pytest.mark.parametrize("make", [lambda file: file.symlink_to(file), os.mkfifo], ids=["loop", "pipe"])
def test_what_is_no_file_in_a_batch_takes_no_other_down(
    tmp_path: Path, file: str, make: Callable[[Path], None]
) -> None:
    make_batch(tmp_path)
    suite_at(tmp_path / "suite")
    (tmp_path / "batch" / file).unlink(missing_ok=True)
    make(tmp_path / "batch" / file)
    site = open_site(tmp_path)
    page = site.visit().page("/")
    assert "cannot be read: " in page
    assert 'href="/suite/suite"' in page
    site.visit(ANNA).page("/")
    site.visit(ANNA).get("/batch/batch", 400)


@pytest.mark.parametrize(
    "content",
    [b'{"kind":"suite"', b'{"fingerprint": "' + b"x" * 16_000_001 + b'"}', b'{"kind": "run", "a": ' + b"[" * 100_000],
    ids=["cut short", "huge", "deep"],
)
def test_an_odd_manifest_of_ours_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_bytes(content)
    assert places(tmp_path, DAMAGED) == ["odd"]
    assert "cannot be read: " in open_site(tmp_path).visit().page("/")


def test_a_suite_that_is_being_built_has_no_proposals_to_judge(tmp_path: Path) -> None:
    (tmp_path / "suite" / "stages").mkdir(parents=True)
    (tmp_path / "suite" / "proposals.jsonl").write_text("")
    assert places(tmp_path, PROPOSALS) == []
