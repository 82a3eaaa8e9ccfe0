"""A folder in a store is finished whole or not finished, after every single request, whoever else writes there."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact, ArtifactOrigin, finish, read_manifest
from constraintsuite.core.store.mirror import open_mirror
from constraintsuite.core.store.mirror_push import Mirror
from constraintsuite.core.store.revisions import Revision
from core.store.s3_server import Application, Environ, Server, Start, Watching
from core.store.test_mirror import URL, elsewhere, finished

OTHER = ArtifactOrigin("suite", "tiny", {}, {"seed": 1}, 1, Revision(1))


def is_whole_or_unfinished(objects: Mapping[str, bytes]) -> None:
    """If there is a manifest, every file that it names has the bytes it names."""
    for name, data in objects.items():
        if name.endswith(MANIFEST):
            for file, entry in json.loads(data)["files"].items():
                there = objects.get(f"{name.removesuffix(MANIFEST)}{file}", b"missing")
                assert hashlib.sha256(there).hexdigest() == entry["sha256"], f"{file} does not fit its manifest"


def replaced(mirror: Mirror) -> Artifact:
    """Another content in the same place, with one file more, one less and one changed."""
    shutil.rmtree(mirror.root)
    mirror.root.mkdir()
    (mirror.root / "examples.jsonl").write_text("[1]\n")
    (mirror.root / "new.txt").write_text("new")
    return finish(mirror.root, OTHER, {"examples": 1}, {}, 0.0)


def test_a_reader_between_any_two_requests_sees_no_mixture(s3: Server) -> None:
    s3.layer = watch = Watching(s3, is_whole_or_unfinished)
    mirror = open_mirror(URL)
    finished(mirror)
    before = watch.seen
    replaced(mirror)
    finished(mirror, folder="stages/mentions")
    mirror.remove(mirror.root)
    assert before > 5 and watch.seen > 2 * before
    assert watch.faults == []


def test_the_watch_can_fail(s3: Server) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    s3.layer = watch = Watching(s3, is_whole_or_unfinished)
    (mirror.root / "examples.jsonl").write_text("[1]\n")
    mirror.store.put("examples.jsonl", mirror.root / "examples.jsonl")
    assert "examples.jsonl does not fit its manifest" in str(watch.faults[0])


def test_a_reader_who_pulls_between_any_two_requests_gets_a_whole_folder_or_none(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = open_mirror(URL)
    old = finished(first).manifest.content
    reader = elsewhere(monkeypatch, tmp_path / "reader")
    contents: list[str | None] = []

    def read(objects: Mapping[str, bytes]) -> None:
        s3.layer, watch = None, s3.layer
        manifest = read_manifest(reader.root)
        contents.append(manifest.content if manifest else None)
        assert manifest is None or Artifact(reader.root, manifest).verify() == []
        s3.layer = watch

    s3.layer = watch = Watching(s3, read)
    new = replaced(first).manifest.content
    assert watch.faults == []
    assert list(dict.fromkeys(contents)) == [old, None, new]


def test_the_same_content_finished_by_others_is_fine(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = open_mirror(URL), elsewhere(monkeypatch, tmp_path / "second")
    second.pull()
    made = finished(first)
    there = s3.objects()
    assert finished(second).manifest == made.manifest
    assert s3.objects() == there


def test_other_content_finished_by_others_is_left_as_it_is(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = open_mirror(URL), elsewhere(monkeypatch, tmp_path / "second")
    second.pull()
    finished(first)
    there = s3.objects()
    with pytest.raises(
        UserError, match=r"s3://bucket/suites/tiny: another machine finished different content there in the meantime"
    ):
        finished(second, "[]\n")
    assert s3.objects() == there
    assert not (second.root / MANIFEST).exists()


def test_others_who_are_writing_other_content_are_not_disturbed(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claim = {"owner": "someone", "content": "else", "host": "far", "since": "today"}
    s3.write("suites/tiny/.claim", json.dumps(claim).encode())
    with pytest.raises(
        UserError, match=r"far has been writing other content there since today.*remove s3://.*/\.claim"
    ):
        finished(open_mirror(URL))
    assert s3.objects().keys() == {"suites/tiny/.claim"}


@pytest.mark.parametrize("requests", range(1, 15, 2))
def test_a_finish_that_was_stopped_after_any_request_goes_on(s3: Server, requests: int) -> None:
    mirror = open_mirror(URL)
    finished(mirror)
    s3.layer = denied_after(s3, requests)
    with pytest.raises(UserError, match="the object store failed"):
        replaced(mirror)
    is_whole_or_unfinished(s3.objects())
    assert not (mirror.root / MANIFEST).exists()
    s3.layer = None
    made = finish(mirror.root, OTHER, {"examples": 1}, {}, 0.0)
    is_whole_or_unfinished(s3.objects())
    assert Artifact.open(mirror.root).manifest == made.manifest
    assert s3.objects().keys() == {
        f"suites/tiny/{name}" for name in ("environment.json", "examples.jsonl", "manifest.json", "new.txt")
    }


def denied_after(s3: Server, allowed: int) -> Application:
    """Lets some requests through, and none after them."""
    left = iter(range(allowed))

    def layer(environ: Environ, start: Start) -> Iterable[bytes]:
        if next(left, None) is not None:
            return s3.moto(environ, start)
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))  # else it is taken for the next request
        body = b"<Error><Code>AccessDenied</Code><Message>No.</Message></Error>"
        start("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]  # else it is taken for the next answer

    return layer


@pytest.mark.parametrize("knows", [True, False], ids=["a store that decides", "a store that knows no condition"])
def test_what_others_created_is_never_written_over(s3: Server, monkeypatch: pytest.MonkeyPatch, knows: bool) -> None:
    store = open_mirror(URL).store
    if knows:
        monkeypatch.setattr(store, "find", lambda name: None)  # they came just after the search
    else:
        s3.layer = without_conditions(s3)
    assert store.create("manifest.json", b"first")
    assert not store.create("manifest.json", b"second")
    assert s3.objects() == {"suites/tiny/manifest.json": b"first"}


def without_conditions(s3: Server) -> Application:
    """A store that says of every conditional put that it has none."""

    def layer(environ: Environ, start: Start) -> Iterable[bytes]:
        if "HTTP_IF_NONE_MATCH" not in environ:
            return s3.moto(environ, start)
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = b"<Error><Code>NotImplemented</Code><Message>A header is not implemented.</Message></Error>"
        start("501 Not Implemented", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    return layer
