"""Output folders: what is refused, resumed and replaced, and what is left when a command is stopped at any point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store import workspace
from constraintsuite.core.store.artifact import STAGES, Artifact, ArtifactOrigin, finish, read_manifest
from constraintsuite.core.store.files import folder_lock, temporary_for
from constraintsuite.core.store.revisions import Revision
from constraintsuite.core.store.workspace import (
    Replace,
    Workspace,
    claim,
    discard,
    is_resumable,
    is_unfinished,
    new_folder,
)

ORIGIN = ArtifactOrigin("list", "words", {}, {}, 0, Revision(1))
OTHER = replace(ORIGIN, seed=1)
FILES = ("words.txt", "parts/*.txt", "more/**")
LEVELS = list(Replace)


class Stopped(Exception):  # noqa: N818 - stands for a kill, not for a fault
    """The command ends here."""


def write(folder: Path, text: str = "one two") -> None:
    (folder / "parts").mkdir()
    (folder / "words.txt").write_text(text)
    (folder / "parts" / "one.txt").write_text(text)


def make(out: Path, origin: ArtifactOrigin = ORIGIN, level: Replace = Replace.SAME_NAME, text: str = "") -> Artifact:
    with claim(out, origin, FILES, replace=level) as space:
        if space.finished is not None:
            return space.finished
        write(space.empty_new(), text or origin.fingerprint)
        return space.finish({"words": 2})


def stop(out: Path, origin: ArtifactOrigin = ORIGIN, level: Replace = Replace.SAME_NAME) -> None:
    """A command that is stopped when it has done one part of its work."""
    with pytest.raises(Stopped), claim(out, origin, FILES, replace=level) as space:
        space.mark_done("first")
        raise Stopped


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_the_artifact_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    made = make(tmp_path / "out")
    assert made.verify() == []
    assert list(made.manifest.files) == ["parts/one.txt", "words.txt"]
    assert names(tmp_path / "out") == ["environment.json", "manifest.json", "parts", "words.txt"]


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_what_is_there_is_not_made_again(tmp_path: Path, level: Replace) -> None:
    first, told = make(tmp_path / "out"), list[str]()
    with claim(tmp_path / "out", ORIGIN, FILES, replace=level, note=told.append) as space:
        assert space.finished == first
    assert told == [f"words: {tmp_path / 'out'} is up to date"]


def test_what_is_there_is_made_again_on_demand(tmp_path: Path) -> None:
    make(tmp_path / "out")
    with claim(tmp_path / "out", ORIGIN, FILES, replace=Replace.UP_TO_DATE) as space:
        assert space.finished is None


def test_a_finished_folder_is_found_while_others_read_it(tmp_path: Path) -> None:
    first = make(tmp_path / "out")
    with folder_lock(tmp_path / "out", shared=True):
        assert make(tmp_path / "out") == first
        with pytest.raises(UserError, match="another csuite command is writing here"):
            make(tmp_path / "out", OTHER)


@pytest.mark.parametrize("name", ["words.txt", "parts/one.txt"])
@pytest.mark.parametrize("level", LEVELS[:-1])
def test_a_file_that_was_taken_away(tmp_path: Path, name: str, level: Replace) -> None:
    (make(tmp_path / "out").path / name).unlink()
    if level < Replace.DAMAGED:
        with pytest.raises(UserError, match=f"{name}: deleted since the list was made"):
            make(tmp_path / "out", level=level)
        return
    told: list[str] = []
    with claim(tmp_path / "out", ORIGIN, FILES, replace=level, note=told.append) as space:
        assert space.finished is None
    assert told == [f"{tmp_path / 'out' / name} is not what was written, so it is all made again"]
    assert make(tmp_path / "out", level=level).verify() == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("origin", "needed"),
    [
        (OTHER, Replace.SAME_NAME),
        (replace(ORIGIN, name="letters"), Replace.SAME_KIND),
        (replace(ORIGIN, kind="run"), None),
    ],
)
def test_an_artifact_of_another_origin(
    tmp_path: Path, origin: ArtifactOrigin, needed: Replace | None, level: Replace
) -> None:
    before = make(tmp_path / "out")
    if needed is not None and level >= needed:
        assert make(tmp_path / "out", origin, level).manifest.fingerprint == origin.fingerprint
        return
    advice = (
        "made from other inputs, settings or versions. Choose another --out, or move it away" if needed else "Choose"
    )
    with pytest.raises(UserError, match=f"this folder already holds the list 'words'[.,] {advice}"):
        make(tmp_path / "out", origin, level)
    assert Artifact.open(tmp_path / "out") == before


def test_what_else_can_be_done_is_told(tmp_path: Path) -> None:
    make(tmp_path / "out")
    with (
        pytest.raises(UserError, match=r"Choose another --out, or pass --force for words\."),
        claim(tmp_path / "out", OTHER, FILES, otherwise=lambda found: f"or pass --force for {found.name}"),
    ):
        pass


def test_another_artifact_may_be_as_good(tmp_path: Path) -> None:
    first = make(tmp_path / "out")
    with claim(tmp_path / "out", OTHER, FILES, accept=lambda found: found == first) as space:
        assert space.finished == first


@pytest.mark.parametrize("name", ["mine.txt", "parts/mine.csv", "parts/deeper/one.txt", "stages/mine.txt"])
@pytest.mark.parametrize("level", [Replace.UNFINISHED, Replace.SAME_KIND])
def test_files_of_others_are_left_alone(tmp_path: Path, name: str, level: Replace) -> None:
    mine = tmp_path / "out" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(UserError, match=f"{name}: this is not part of the list. Choose another --out"):
        make(tmp_path / "out", level=level)
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [mine]  # not even a lock


@pytest.mark.parametrize("name", ["words.txt", "mine.txt"])
def test_a_folder_that_was_not_claimed_holds_nothing_to_resume(tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(UserError, match=f"{name}: this is not part of the list"):
        make(tmp_path / "out", level=Replace.NOTHING)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UserError, match=r"this is a file, not a folder. Choose another --out"):
        make(tmp_path / "out")


def test_folders_beside_are_no_content_and_stay(tmp_path: Path) -> None:
    for folder in ("runs", STAGES):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.txt").write_text("mine")
    with claim(tmp_path, ORIGIN, FILES, replace=Replace.UNFINISHED, separate=("runs", STAGES)) as space:
        write(space.empty_new())
        made = space.finish({})
    assert list(made.manifest.files) == ["parts/one.txt", "words.txt"]
    assert names(tmp_path / STAGES) == names(tmp_path / "runs") == ["mine.txt"]


@pytest.mark.parametrize("level", LEVELS)
def test_work_of_the_same_origin_is_resumed(tmp_path: Path, level: Replace) -> None:
    stop(tmp_path / "out", level=level)
    assert is_unfinished(tmp_path / "out")
    assert (is_resumable(tmp_path / "out", ORIGIN), is_resumable(tmp_path / "out", OTHER)) == (True, False)
    temporary_for(tmp_path / "out" / STAGES / "second").touch()
    with claim(tmp_path / "out", ORIGIN, FILES, replace=level) as space:
        assert (space.is_done("first"), space.is_done("second")) == (True, False)
        assert names(space.stages) == ["first.done"]  # and not what the stopped one was writing
        write(space.empty_new())
        space.finish({})
    assert not is_unfinished(tmp_path / "out")
    assert not (tmp_path / "out" / STAGES).exists()


@pytest.mark.parametrize("level", LEVELS)
def test_work_of_another_origin_is_refused_or_discarded(tmp_path: Path, level: Replace) -> None:
    stop(tmp_path / "out", OTHER, level)
    if level == Replace.NOTHING:
        with pytest.raises(
            UserError,
            match="this folder already holds an unfinished list, made from other inputs, settings or versions",
        ):
            make(tmp_path / "out", level=level)
        assert is_resumable(tmp_path / "out", OTHER)
    else:
        with claim(tmp_path / "out", ORIGIN, FILES, replace=level) as space:
            assert not space.is_done("first")


def test_work_with_other_shards_is_other_work(tmp_path: Path) -> None:
    for size in ("10", "20"):
        with pytest.raises(Stopped), claim(tmp_path, ORIGIN, FILES, replace=Replace.SAME_KIND, work=size) as space:
            assert not space.is_done("first")
            space.mark_done("first")
            raise Stopped


def test_a_folder_that_another_command_took_in_the_meantime_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def taken(folder: Path) -> Iterator[None]:
        with folder_lock(folder):
            (folder / ".working").write_text("of the other")
            yield

    monkeypatch.setattr(workspace, "folder_lock", taken)
    with pytest.raises(UserError, match="an unfinished list"):
        make(tmp_path / "out", level=Replace.NOTHING)
    assert (tmp_path / "out" / ".working").read_text() == "of the other"


def test_work_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    before = make(tmp_path / "out")
    stop(tmp_path / "out", OTHER)
    assert Artifact.open(tmp_path / "out") == before
    assert make(tmp_path / "out") == before  # and what the other has done stays for it
    with claim(tmp_path / "out", OTHER, FILES, replace=Replace.SAME_NAME) as space:
        assert space.is_done("first")


def counted(call: int, function: Callable[..., object]) -> Callable[..., object]:
    """The function, until that call of it."""
    calls = 0

    def limited(*arguments: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Stopped
        return function(*arguments, **named)

    return limited


@pytest.mark.parametrize(
    ("place", "function", "call"),
    [
        (Path, "replace", 2),  # the first file is in its place, the second is not
        (Workspace, "mark_done", 1),
        (workspace, "finish", 1),
        (workspace, "discard", 1),
        (workspace, "discard", 2),
    ],
)
@pytest.mark.parametrize("resumes", [False, True])
def test_stopped_at_the_end_it_is_whole_after_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: object, function: str, call: int, resumes: bool
) -> None:
    make(tmp_path / "out", text="old")

    def replaced() -> Artifact:
        with claim(tmp_path / "out", OTHER, FILES, replace=Replace.SAME_NAME) as space:
            if space.finished is not None:
                return space.finished
            if not (resumes and space.is_done("written")):
                write(space.empty_new(), "new")
                (space.stages / "written.done").touch()
            with monkeypatch.context() as patch:
                patch.setattr(place, function, counted(call if stopping else 0, getattr(place, function)))
                return space.finish({"words": 2})

    def closed() -> Artifact:
        with monkeypatch.context() as patch:
            if function == "discard":
                patch.setattr(place, function, counted(call if stopping else 0, getattr(place, function)))
            return replaced()

    stopping = True
    with pytest.raises(Stopped):
        closed()
    found = read_manifest(tmp_path / "out")
    assert (found is None) == (function != "discard")  # never a manifest with files of both
    stopping = False
    assert closed().verify() == []
    assert (tmp_path / "out" / "parts" / "one.txt").read_text() == "new"
    assert names(tmp_path / "out") == ["environment.json", "manifest.json", "parts", "words.txt"]


def test_files_that_are_not_written_any_more_are_removed(tmp_path: Path) -> None:
    make(tmp_path / "out")
    with claim(tmp_path / "out", OTHER, FILES, replace=Replace.SAME_NAME) as space:
        (space.empty_new() / "words.txt").write_text("alone")
        made = space.finish({})
    assert list(made.manifest.files) == ["words.txt"]
    assert made.verify() == []


def test_output_can_be_written_where_it_stays(tmp_path: Path) -> None:
    with claim(tmp_path / "out", ORIGIN, FILES) as space:
        (tmp_path / "out" / "words.txt").write_text("one")
        assert list(space.finish({}).manifest.files) == ["words.txt"]


def test_files_and_folders_are_discarded(tmp_path: Path) -> None:
    write(tmp_path)
    for name in ("words.txt", "parts", "nothing"):
        discard(tmp_path / name)
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["new", "empty", "link"])
def test_a_new_folder_takes_a_free_place_when_it_is_whole(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    with new_folder(tmp_path / name) as new:
        (new / "words.txt").write_text("one")
        assert not (tmp_path / name / "words.txt").exists()
    assert (tmp_path / name / "words.txt").read_text() == "one"


@pytest.mark.parametrize("name", ["file", "folder"])
def test_a_new_folder_takes_no_other_place(tmp_path: Path, name: str) -> None:
    finish(tmp_path / "folder", ORIGIN, {}, {}, 0)
    (tmp_path / "file").touch()
    with (
        pytest.raises(UserError, match=r"this already exists. Choose another --out"),
        new_folder(tmp_path / name),
    ):
        pass


def test_a_new_folder_that_is_not_finished_leaves_its_place_free(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "out") as new:
        (new / "words.txt").write_text("one")
        raise KeyboardInterrupt
    with new_folder(tmp_path / "out"):
        pass
    assert names(tmp_path) == ["out"]
