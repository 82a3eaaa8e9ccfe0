"""What is found in a folder, and that nothing outside of it ever is."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import sleep

import pytest

from constraintsuite.app.web.artifact_index import BATCH, DAMAGED, HERE, PROPOSALS, ArtifactIndex, NotServedError
from constraintsuite.core.errors import UserError
from experiments.tiny_suite import write_suite
from suites.annotation.small_batch import make_batch


def suite_at(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return write_suite(folder)


def places(folder: Path, *kinds: str) -> list[str]:
    return [one.place for one in ArtifactIndex(folder).of_kind(*kinds or ("suite",))]


def test_all_kinds_are_found(tmp_path: Path) -> None:
    suite_at(tmp_path / "a" / "suite")
    make_batch(tmp_path)
    (tmp_path / "my.proposals.jsonl").write_text("")
    assert [(one.kind, one.place) for one in ArtifactIndex(tmp_path).all()] == [
        (BATCH, "batch"),
        (PROPOSALS, "my.proposals.jsonl"),
        ("suite", "a/suite"),
    ]


def test_the_folder_itself_may_be_one(tmp_path: Path) -> None:
    write_suite(tmp_path)
    found = ArtifactIndex(tmp_path).get(HERE, "suite")
    assert (found.path, found.name) == (tmp_path, "tiny")


@pytest.mark.parametrize(
    "place", [".hidden/suite", "stages/suite", "a/stages/suite", "__pycache__/suite", "1/2/3/4/5/6/7"]
)
def test_what_is_hidden_inner_or_too_deep_is_passed_over(tmp_path: Path, place: str) -> None:
    suite_at(tmp_path / place)
    assert places(tmp_path) == []


def test_an_unfinished_folder_and_a_foreign_manifest_are_passed_over(tmp_path: Path) -> None:
    unfinished = suite_at(tmp_path / "unfinished")
    (unfinished / "manifest.json").unlink()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "manifest.json").write_text('{"name": "an extension of a browser"}')
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{")
    assert places(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["with space", "per%cent", "%2e%2e", "quo'te\"s", "<script>", "a#b?c&d", "ünï", "שלום", "\\", "~"],
)
def test_a_name_may_be_anything(tmp_path: Path, name: str) -> None:
    suite_at(tmp_path / name)
    assert places(tmp_path) == [name]
    assert ArtifactIndex(tmp_path).get(name, "suite").path == tmp_path / name


@pytest.mark.parametrize("strange", [os.fsdecode(b"\xff\xfe"), "new\nline"])
def test_a_name_that_is_no_text_of_one_line_has_no_place(tmp_path: Path, strange: str) -> None:
    suite_at(tmp_path / strange)
    (tmp_path / f"{strange}.proposals.jsonl").write_text("")
    assert places(tmp_path, "suite", PROPOSALS) == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = suite_at(tmp_path / "outside")
    (tmp_path / "outside" / "proposals.jsonl").write_text("")
    served = tmp_path / "served"
    (served / "half").mkdir(parents=True)
    (served / "linked").symlink_to(outside, target_is_directory=True)
    (served / "half" / "manifest.json").symlink_to(outside / "manifest.json")
    (served / "proposals.jsonl").symlink_to(outside / "proposals.jsonl")
    assert ArtifactIndex(served).all() == []


def test_a_link_within_the_folder_is_its_own_business(tmp_path: Path) -> None:
    (tmp_path / "today").write_text("")
    (tmp_path / "proposals.jsonl").symlink_to(tmp_path / "today")
    assert places(tmp_path, PROPOSALS) == ["proposals.jsonl"]


def test_the_folder_may_be_reached_by_a_link(tmp_path: Path) -> None:
    suite_at(tmp_path / "real" / "suite")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert places(tmp_path / "link") == ["suite"]


@pytest.mark.parametrize(
    "place",
    ["", ".", "..", "../served", "served/../suite", "/suite", "suite/", "./suite", "suite/.", "SUITE", "suite\0"],
)
def test_only_a_place_that_was_found_is_one(tmp_path: Path, place: str) -> None:
    suite_at(tmp_path / "served" / "suite")
    with pytest.raises(NotServedError):
        ArtifactIndex(tmp_path / "served").get(place, "suite")


def test_a_place_of_another_kind_is_none(tmp_path: Path) -> None:
    suite_at(tmp_path / "suite")
    with pytest.raises(NotServedError, match="no run at 'suite'"):
        ArtifactIndex(tmp_path).get("suite", "run")


def test_a_thing_is_read_once_until_it_changes(tmp_path: Path) -> None:
    suite = suite_at(tmp_path / "suite")
    shelf = ArtifactIndex(tmp_path)
    calls = []

    def read(path: Path) -> int:
        calls.append(path)
        return len(calls)

    one = shelf.get("suite", "suite")
    assert [shelf.load(one, read), shelf.load(one, read)] == [1, 1]
    os.utime(suite / "manifest.json", ns=(1, 1))
    assert shelf.load(one, read) == 2


def test_what_is_least_used_leaves_the_memory(tmp_path: Path) -> None:
    for number in range(25):
        suite_at(tmp_path / f"s{number:02d}")
    shelf = ArtifactIndex(tmp_path)
    calls = []

    def read(path: Path) -> str:
        calls.append(path.name)
        return path.name

    suites = shelf.of_kind("suite")
    for one in (*suites, suites[-1], suites[0]):
        shelf.load(one, read)
    assert calls == [*(one.place for one in suites), "s00"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        ArtifactIndex(tmp_path / "nothing")


@pytest.mark.parametrize("file", ["README.md", "examples.jsonl", "stages/select/rejected.jsonl"])
def test_a_thing_with_a_file_that_lies_elsewhere_is_not_shown(tmp_path: Path, file: str) -> None:
    suite = suite_at(tmp_path / "served" / "suite")
    (tmp_path / "secret").write_text("secret")
    (suite / file).parent.mkdir(parents=True, exist_ok=True)
    (suite / file).unlink(missing_ok=True)
    shelf = ArtifactIndex(tmp_path / "served")
    (one,) = shelf.of_kind("suite")
    (suite / file).symlink_to(tmp_path / "secret")
    with pytest.raises(UserError, match=f"'suite/{file}' is a link that leads out"):
        shelf.get("suite", "suite")
    with pytest.raises(UserError, match="leads out"):
        shelf.load(one, Path.exists)


def test_a_folder_that_lies_elsewhere_is_no_part_of_a_thing(tmp_path: Path) -> None:
    suite = suite_at(tmp_path / "served" / "suite")
    (suite / "stages").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(UserError, match="'suite/stages' is a link"):
        ArtifactIndex(tmp_path / "served").get("suite", "suite")


def test_links_that_no_page_reads_are_nobodys_business(tmp_path: Path) -> None:
    suite = suite_at(tmp_path / "served" / "suite")
    (suite / ".venv").mkdir()
    (suite / ".venv" / "python").symlink_to(tmp_path)
    assert ArtifactIndex(tmp_path / "served").get("suite", "suite").place == "suite"


def test_many_who_come_at_once_need_one_reading(tmp_path: Path) -> None:
    suite_at(tmp_path / "suite")
    shelf = ArtifactIndex(tmp_path)
    one = shelf.get("suite", "suite")
    calls: list[Path] = []
    together = Barrier(8)

    def read(path: Path) -> int:
        calls.append(path)
        sleep(0.05)  # long enough that the others are there; were they not, the test would only be easier
        return 7

    def visit(_: int) -> int:
        together.wait()
        return shelf.load(one, read)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(visit, range(8))) == [7] * 8
    assert len(calls) == 1


def test_a_reading_that_failed_is_tried_again(tmp_path: Path) -> None:
    suite_at(tmp_path / "suite")
    shelf = ArtifactIndex(tmp_path)
    one = shelf.get("suite", "suite")
    faults = iter([UserError("not now")])

    def read(path: Path) -> str:
        for fault in faults:
            raise fault
        return path.name

    with pytest.raises(UserError, match="not now"):
        shelf.load(one, read)
    assert shelf.load(one, read) == "suite"


def test_small_things_do_not_drive_out_a_suite(tmp_path: Path) -> None:
    for number in range(30):
        suite_at(tmp_path / f"s{number:02d}")
    shelf = ArtifactIndex(tmp_path)
    calls = []

    def read(path: Path) -> str:
        calls.append(path.name)
        return path.name

    def head(path: Path) -> str:
        return path.name

    suites = shelf.of_kind("suite")
    shelf.load(suites[0], read)
    for one in suites:
        shelf.load(one, head, small=True)
    shelf.load(suites[0], read)
    assert calls == ["s00"]


def test_what_is_made_of_several_things_is_made_again_when_one_changes(tmp_path: Path) -> None:
    first, second = suite_at(tmp_path / "first"), suite_at(tmp_path / "second")
    shelf, calls = ArtifactIndex(tmp_path), []
    things = shelf.of_kind("suite")

    def make() -> int:
        calls.append(1)
        return len(calls)

    assert [
        shelf.compute_once("a", things, make),
        shelf.compute_once("a", things, make),
        shelf.compute_once("b", things, make),
    ] == [1, 1, 2]
    for changed in (first, second):
        os.utime(changed / "manifest.json", ns=(1, 1))
    assert shelf.compute_once("a", things, make) == 3


def test_a_manifest_of_ours_that_cannot_be_read_has_a_place(tmp_path: Path) -> None:
    manifest = suite_at(tmp_path / "suite") / "manifest.json"
    manifest.write_text(manifest.read_text()[:-20])
    assert [(one.kind, one.place) for one in ArtifactIndex(tmp_path).all()] == [(DAMAGED, "suite")]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("{root}/suite/examples.jsonl: changed since", "suite/examples.jsonl: changed since"),
        ("{root}: there is no such folder.", "the folder that is served: there is no such folder."),
        ("[Errno 13] Permission denied: '{root}/a b/x'", "[Errno 13] Permission denied: 'a b/x'"),
        ("{root}.old/suite: not here", "…/suite: not here"),
        ("cross:/srv/models/tiny: no such folder", "cross:…/tiny: no such folder"),
        (
            "/home/me/model: no such folder. Use `csuite eval /tmp/x/y`.",
            "…/model: no such folder. Use `csuite eval …/y`.",
        ),
        ("15/35/50 easy, and/or http://127.0.0.1:80/enter", "15/35/50 easy, and/or http://127.0.0.1:80/enter"),
    ],
)
def test_a_visitor_is_not_told_where_the_folder_lies(tmp_path: Path, message: str, told: str) -> None:
    assert ArtifactIndex(tmp_path).describe_error(message.format(root=tmp_path)) == told


def test_people_know_a_thing_by_its_place(tmp_path: Path) -> None:
    suite_at(tmp_path / "a" / "suite")
    suite_at(tmp_path / "tiny")
    shown = [(one.label, one.other_name) for one in ArtifactIndex(tmp_path).of_kind("suite")]
    assert shown == [("a/suite", "tiny"), ("tiny", "")]
    assert ArtifactIndex(tmp_path / "a" / "suite").get(HERE, "suite").label == "suite"
