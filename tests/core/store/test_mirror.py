"""A folder of an object store has a mirror here: what is there comes, what was done here stays, what is finished goes."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact, ArtifactOrigin, finish, read_manifest
from constraintsuite.core.store.mirror import is_url, mirror_of, open_mirror, shown, with_urls
from constraintsuite.core.store.mirror_push import Mirror
from constraintsuite.core.store.revisions import Revision
from core.store.s3_server import Server

URL = "s3://bucket/suites/tiny"
ORIGIN = ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1))


def finished(mirror: Mirror, text: str = "{}\n", folder: str = "") -> Artifact:
    """A finished folder in the mirror, with one file below."""
    path = mirror.root / folder
    path.mkdir(parents=True, exist_ok=True)
    (path / "examples.jsonl").write_text(text)
    (path / "parts").mkdir(exist_ok=True)
    (path / "parts" / "one.bin").write_bytes(bytes(range(256)))
    return finish(path, ORIGIN, {"examples": 1}, {}, 0.0)


def elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str = URL) -> Mirror:
    """The mirror of the same URL on another machine."""
    monkeypatch.setenv("CSUITE_CACHE", str(folder))
    return open_mirror(url)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://b/x", True),
        ("memory://x", True),
        ("abfs://c@a/x", True),
        ("C:/x", False),
        ("a/b", False),
        ("/x://y", False),
    ],
)
def test_a_url_is_told_from_a_path(text: str, expected: bool) -> None:
    assert is_url(text) == expected


@given(st.text(alphabet="abc./:-", max_size=12))
def test_no_path_without_a_scheme_is_a_url(text: str) -> None:
    assert not is_url(f"./{text}")


def test_what_was_finished_here_is_read_elsewhere(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = finished(open_mirror(URL))
    other = elsewhere(monkeypatch, tmp_path / "other")
    assert not other.root.exists()
    opened = Artifact.open(other.root, "suite")
    assert opened.manifest == made.manifest
    assert opened.verify() == []
    assert (other.root / "environment.json").is_file()


def test_a_folder_made_in_the_console_of_a_store_is_no_file(s3: Server) -> None:
    s3.write("suites/tiny/", b"")
    mirror = open_mirror(URL)
    mirror.pull()
    finished(mirror)
    assert Artifact.open(mirror.root, "suite").verify() == []


def test_nothing_but_the_artifact_is_in_the_store(s3: Server) -> None:
    mirror = open_mirror(URL)
    mirror.root.mkdir(parents=True)
    (mirror.root / ".lock").touch()
    (mirror.root / ".x.tmp-12").write_text("half")
    finished(mirror)
    names = {"environment.json", "examples.jsonl", "manifest.json", "parts/one.bin"}
    assert s3.objects().keys() == {f"suites/tiny/{name}" for name in names}


def test_what_is_here_already_is_not_fetched_again(s3: Server) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    s3.requests.clear()
    mirror.pull()
    assert s3.requests == {"GET": 1}  # the list


def test_a_replaced_folder_replaces_its_mirrors(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = open_mirror(URL)
    finished(first)
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull()
    (first.root / MANIFEST).unlink()
    shutil.rmtree(first.root / "parts")
    (first.root / "examples.jsonl").write_text("[]\n")
    new = finish(first.root, ORIGIN, {"examples": 2}, {}, 0.0)
    assert "suites/tiny/parts/one.bin" not in s3.objects()
    assert Artifact.open(other.root).manifest == new.manifest
    assert Artifact.open(other.root).verify() == []


def test_work_that_was_begun_anew_here_is_not_undone_by_a_pull(s3: Server) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    shutil.rmtree(mirror.root)
    mirror.root.mkdir()
    (mirror.root / "examples.jsonl").write_text("half")
    mirror.pull()
    assert read_manifest(mirror.root) is None
    assert {path.name for path in mirror.root.iterdir()} == {"examples.jsonl"}
    assert (mirror.root / "examples.jsonl").read_text() == "half"


def test_a_lost_file_of_a_finished_folder_comes_again(s3: Server) -> None:
    mirror = open_mirror(URL)
    made = finished(mirror)
    (mirror.root / "parts" / "one.bin").unlink()
    mirror.pull()
    assert made.verify() == []


def test_a_deleted_mirror_loses_nothing_that_was_finished(s3: Server) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    shutil.rmtree(mirror.root.parent)
    assert Artifact.open(mirror_again(mirror).root).verify() == []


def mirror_again(mirror: Mirror) -> Mirror:
    again = open_mirror(mirror.url)
    again.pull()
    return again


def test_what_was_removed_there_goes_here(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = open_mirror(URL)
    finished(first)
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull()
    first.remove(first.root)
    assert s3.objects() == {}
    assert (first.root / MANIFEST).is_file()
    assert read_manifest(other.root) is None
    assert not any(path.is_file() for path in other.root.rglob("*"))


def test_unfinished_work_travels_by_push(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = open_mirror(URL)
    (first.root / "stage").mkdir(parents=True)
    (first.root / "stage" / "0.jsonl").write_text("zero")
    (first.root / "stage" / ".working").write_text("mark")
    first.push(first.root / "stage" / "0.jsonl")
    assert s3.objects() == {"suites/tiny/stage/0.jsonl": b"zero"}
    first.push(first.root)
    other = elsewhere(monkeypatch, tmp_path / "other")
    other.pull(other.root / "stage")
    assert {path.name: path.read_text() for path in (other.root / "stage").iterdir()} == {
        "0.jsonl": "zero",
        ".working": "mark",
    }


def test_a_pushed_folder_has_its_manifest_last(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mirror = open_mirror(URL)
    plain = Mirror("", tmp_path / "plain")
    made = finished(plain)  # in an ordinary folder
    shutil.copytree(plain.root, mirror.root)
    mirror.push(mirror.root)
    other = elsewhere(monkeypatch, tmp_path / "other")
    assert Artifact.open(other.root).manifest == made.manifest


@pytest.mark.parametrize("scope", ["", "examples.jsonl"])
def test_a_damaged_file_is_named_and_not_put_in_place(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scope: str
) -> None:
    finished(open_mirror(URL))
    s3.write("suites/tiny/examples.jsonl", b"[]\n")  # as long as before: only the hash can tell
    other = elsewhere(monkeypatch, tmp_path / "other")
    with pytest.raises(
        UserError, match=r"s3://bucket/suites/tiny/examples.jsonl: this does not have the size and SHA-256"
    ):
        other.pull(other.root / scope)
    assert not (other.root / "examples.jsonl").exists()
    assert not (other.root / MANIFEST).exists()


def test_a_missing_file_is_named(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    finished(open_mirror(URL))
    s3.delete("suites/tiny/parts/one.bin")
    other = elsewhere(monkeypatch, tmp_path / "other")
    with pytest.raises(UserError, match=r"tiny/parts/one.bin: this is not there"):
        other.pull()


def test_a_name_that_leads_out_of_the_folder_is_refused(s3: Server, tmp_path: Path) -> None:
    open_mirror(URL).store._files.pipe_file("bucket/suites/tiny/../../../../out", b"x")
    with pytest.raises(UserError, match="a local file cannot have this name"):
        open_mirror(URL).pull()
    assert not list(tmp_path.rglob("out"))


def test_a_mirror_is_found_from_any_path_inside_and_a_copy_of_it_is_none(s3: Server, tmp_path: Path) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    assert mirror_of(mirror.root) == mirror_of(mirror.root / "parts" / "one.bin") == mirror
    assert mirror_of(mirror.root / ".data.tmp-7" / "x") is None
    assert mirror_of(tmp_path / "ordinary") is None
    shutil.copytree(mirror.root.parent, tmp_path / "mirrors" / "copy")
    assert mirror_of(tmp_path / "mirrors" / "copy" / "tiny") is None


def test_messages_show_the_url(s3: Server, tmp_path: Path) -> None:
    mirror = open_mirror(URL)
    assert shown(mirror.root / "parts") == f"{URL}/parts"
    assert shown(tmp_path) == str(tmp_path)
    with pytest.raises(UserError) as raised:
        Artifact.open(mirror.root)
    assert with_urls(str(raised.value)) == f"{URL}: there is no such folder."


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://nowhere/x", "there is no bucket or container named 'nowhere'"),
        ("ftp://host/x", "ftp:// is not a known kind of store"),
        ("s3://", "names no bucket"),
    ],
)
def test_a_place_that_cannot_be_is_refused(s3: Server, url: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_mirror(url).pull()


@pytest.mark.skipif(find_spec("gcsfs") is not None, reason="the driver is installed")
def test_a_missing_driver_is_named_with_its_command(s3: Server) -> None:
    with pytest.raises(UserError, match=r'pip install "constraintsuite\[gcs\]"'):
        open_mirror("gs://bucket/x")


def test_stores_in_memory_work_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}/x"
    made = finished(elsewhere(monkeypatch, tmp_path / "one", url))
    other = elsewhere(monkeypatch, tmp_path / "two", url)
    assert Artifact.open(other.root).manifest == made.manifest
