"""What comes of a folder of a store, and what goes: no more than is needed, and nothing that does not fit its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact, ArtifactOrigin, finish, read_manifest
from constraintsuite.core.store.mirror import open_mirror
from constraintsuite.core.store.mirror_push import Mirror
from constraintsuite.core.store.revisions import Revision
from constraintsuite.core.store.workspace import claim
from core.store.s3_server import Server
from core.store.test_mirror import URL, elsewhere, finished

STAGE = ArtifactOrigin("stage", "mentions", {}, {}, 0, Revision(1))


def built(mirror: Mirror) -> None:
    """A finished folder, with two stages of which one is finished."""
    finished(mirror)
    finished(mirror, folder="stages/mentions")
    pushed(mirror, "stages/kept/part-0.jsonl", "zero")


def pushed(mirror: Mirror, name: str, text: str) -> Path:
    file = mirror.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    mirror.push(file)
    return file


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


TOP = {"environment.json", "examples.jsonl", "manifest.json", "parts/one.bin"}


def test_stages_that_are_not_wanted_stay_in_the_store(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built(open_mirror(URL))
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull(stages=False)
    assert names_in(other.root) == TOP
    assert Artifact.open(other.root).verify() == []


def test_a_finished_folder_that_is_opened_comes_without_its_stages_and_each_stage_when_it_is_read(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built(open_mirror(URL))
    other = elsewhere(monkeypatch, tmp_path / "other")
    Artifact.open(other.root)
    assert names_in(other.root) == TOP
    assert Artifact.open(other.root / "stages" / "mentions").verify() == []
    assert names_in(other.root / "stages") == {f"mentions/{name}" for name in TOP}


def test_who_goes_on_has_all_stages(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built(open_mirror(URL))
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull(stages=False)
    other.pull()
    assert names_in(other.root / "stages") == {*(f"mentions/{name}" for name in TOP), "kept/part-0.jsonl"}


def test_content_in_a_folder_that_is_only_called_stages_comes(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mirror = open_mirror(URL)
    (mirror.root / "plots" / "stages").mkdir(parents=True)
    (mirror.root / "plots" / "stages" / "one.svg").write_text("<svg/>")
    finished(mirror)
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull(stages=False)
    assert Artifact.open(other.root).verify() == []


def test_marks_of_a_finished_stage_do_not_come_back_when_the_command_ends(s3: Server) -> None:
    mirror = open_mirror(URL)
    stage = mirror.root / "stages" / "mentions"
    pushed(mirror, "stages/mentions/.working", "fingerprint")
    pushed(mirror, "stages/mentions/part-0.jsonl", "{}\n")
    (stage / ".whole.json").write_text("never sent before")
    finish(stage, STAGE, {}, {}, 0.0)
    mirror.push(mirror.root)
    assert {name.rpartition("/")[2] for name in s3.objects()} == {MANIFEST, "environment.json", "part-0.jsonl"}


@pytest.mark.parametrize("beside", ["examples.jsonl", "parts/one.bin"])
def test_a_file_that_was_changed_under_its_manifest_is_not_sent(s3: Server, beside: str) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    there = s3.objects()
    (mirror.root / beside).write_text("changed by hand")
    with pytest.raises(UserError, match=rf"s3://bucket/suites/tiny/{beside}: the copy on this machine was changed"):
        mirror.push(mirror.root)
    assert s3.objects() == there


def test_a_folder_that_was_opened_again_is_unfinished_there_once_its_files_are_sent(s3: Server) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    (mirror.root / MANIFEST).unlink()
    (mirror.root / "examples.jsonl").write_text("[]\n")
    mirror.push(mirror.root)
    assert f"suites/tiny/{MANIFEST}" not in s3.objects()
    assert read_manifest(mirror.root) is None


def test_unfinished_work_is_resumed_on_another_machine_and_nothing_of_it_stays(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    origin = ArtifactOrigin("list", "words", {}, {}, 0, Revision(1))
    mirror = open_mirror(URL)
    with pytest.raises(KeyboardInterrupt), claim(mirror.root, origin, ("words.txt",)) as space:
        space.mark_done("first")
        mirror.push(space.stages)
        raise KeyboardInterrupt
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull()
    with claim(other.root, origin, ("words.txt",)) as space:
        assert space.is_done("first")
        (space.empty_new() / "words.txt").write_text("one")
        space.finish({})
    third = elsewhere(monkeypatch, tmp_path / "third")
    third.pull()
    assert names_in(third.root) == {"environment.json", "manifest.json", "words.txt"}
