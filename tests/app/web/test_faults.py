"""What cannot be read is told before it is opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.web.site import OpenSite, open_site
from constraintsuite.app.web.artifact_index import ArtifactIndex
from constraintsuite.app.web.origins import fault_of
from constraintsuite.core.store.jsonl import write_jsonl
from experiments.paired_runs import RIGHT, make_run, make_suite
from suites.annotation.small_batch import make_batch
from suites.annotation.test_kinds import SOUPS


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    make_run(make_suite(tmp_path / "suite", count=4), tmp_path / "run", "m", [RIGHT] * 4)
    make_batch(tmp_path)
    return open_site(tmp_path)


def faults(shelf: ArtifactIndex) -> dict[str, str]:
    return {one.place: fault for one in shelf.all() if (fault := fault_of(shelf, one))}


def test_nothing_is_known_against_what_is_whole(site: OpenSite) -> None:
    assert faults(site.shelf) == {}


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("suite/examples.jsonl", "examples.jsonl was changed since it was made."),
        ("run/summary.json", "summary.json was changed since it was made."),
        ("batch/batch.json", "batch/batch.json: "),
        ("batch/items.jsonl", "items.jsonl was changed since it was made."),
        ("batch/annotations.sqlite", "annotations.sqlite is not a database."),
    ],
)
def test_a_file_that_was_changed_is_told(site: OpenSite, file: str, said: str) -> None:
    (site.shelf.root / file).write_text("{")
    found = faults(site.shelf)
    assert list(found) == [file.partition("/")[0]]
    assert found[file.partition("/")[0]].startswith(said)


@pytest.mark.parametrize(
    "file", ["suite/examples.jsonl", "run/summary.json", "batch/items.jsonl", "batch/annotations.sqlite"]
)
def test_a_file_that_is_gone_is_told(site: OpenSite, file: str) -> None:
    (site.shelf.root / file).unlink()
    place, _, name = file.partition("/")
    assert faults(site.shelf)[place].startswith(f"{name} is missing")


def test_a_change_of_the_same_size_is_seen_and_its_repair_as_well(site: OpenSite) -> None:
    file = site.shelf.root / "suite" / "examples.jsonl"
    written = file.read_bytes()
    file.write_bytes(written[::-1])
    assert list(faults(site.shelf)) == ["suite"]
    file.write_bytes(written)
    assert faults(site.shelf) == {}


def test_the_first_page_says_so_without_saying_where_it_lies(site: OpenSite) -> None:
    (site.shelf.root / "suite" / "examples.jsonl").unlink()
    manifest = site.shelf.root / "run" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 2', '"format": 99'))
    page = site.visit().page("/")
    assert "cannot be read: examples.jsonl is missing" in page
    assert "cannot be read: run/manifest.json: written in format 99 by a newer version" in page
    assert str(site.shelf.root) not in page


def test_what_cannot_be_read_is_not_offered_to_write_for(site: OpenSite) -> None:
    owner = site.visit()
    assert 'value="suite"' in owner.page("/writing")
    (site.shelf.root / "suite" / "examples.jsonl").write_text("{")
    assert 'value="suite"' not in owner.page("/writing")


@pytest.mark.parametrize("content", ["{bad json", "", '{"id": 1}'])
def test_proposals_that_cannot_be_read_are_told_and_so_is_their_repair(site: OpenSite, content: str) -> None:
    file = site.shelf.root / "proposals.jsonl"
    file.write_text(content)
    assert faults(site.shelf)["proposals.jsonl"].startswith("proposals.jsonl:")
    assert "cannot be read: proposals.jsonl:" in site.visit().page("/")
    write_jsonl(file, [SOUPS])
    assert faults(site.shelf) == {}


@pytest.mark.parametrize("name", ["/etc/hostname", "../outside"])
def test_a_manifest_says_nothing_of_files_elsewhere(site: OpenSite, name: str) -> None:
    manifest = site.shelf.root / "run" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"summary.json"', json.dumps(name)))
    assert "is not in this folder" in faults(site.shelf)["run"]


def test_nothing_is_drawn_from_a_suite_that_was_changed(site: OpenSite) -> None:
    (site.shelf.root / "suite" / "examples.jsonl").write_text("{")
    page = site.visit().page("/sample/suite")
    assert "suite cannot be read, so nothing can be made from it: examples.jsonl was changed" in page
    assert "Draw a batch" not in page
