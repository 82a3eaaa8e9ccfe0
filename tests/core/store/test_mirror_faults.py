"""A store that fails now and then loses nothing; one that says no is asked once."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from s3fs import S3FileSystem

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, finish
from constraintsuite.core.store.mirror import open_mirror
from core.store.s3_server import Environ, Failing, Server, Start, lead_to
from core.store.test_mirror import ORIGIN, URL, elsewhere, finished


@pytest.mark.parametrize("seed", range(2))
def test_every_byte_arrives_through_a_flaky_store(
    s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    mirror = open_mirror(URL)
    mirror.root.mkdir(parents=True)
    files = {f"{number}.bin": bytes([number]) * (number * 997 + 1) for number in range(12)}
    for name, data in files.items():
        (mirror.root / name).write_bytes(data)
    monkeypatch.setattr(S3FileSystem, "retries", 12)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "5")
    lead_to(s3.url, monkeypatch)
    s3.layer = flaky = Failing(s3, seed)
    finish(mirror.root, ORIGIN, {}, {}, 0.0)
    other = elsewhere(monkeypatch, tmp_path / "other")
    assert Artifact.open(other.root).verify() == []
    assert {name: (other.root / name).read_bytes() for name in files} == files
    there = s3.objects()
    assert {name: there[f"suites/tiny/{name}"] for name in files} == files
    assert not any(name.endswith(".claim") for name in there)
    assert flaky.failed.keys() == {"busy", "dropped_before", "dropped_after", "cut_short"}


@pytest.mark.parametrize(
    ("status", "code", "tries"),
    [
        pytest.param("403 Forbidden", "AccessDenied", 1, id="who may not is told at once"),
        pytest.param("400 Bad Request", "InvalidArgument", 1, id="what is wrong stays wrong"),
        pytest.param("503 Slow Down", "SlowDown", 3, id="a busy store is asked again, and not for ever"),
        pytest.param("500 Internal Server Error", "InternalError", 3, id="so is a broken one"),
    ],
)
def test_what_the_store_said_is_told_with_the_object(
    s3: Server, monkeypatch: pytest.MonkeyPatch, status: str, code: str, tries: int
) -> None:
    s3fs, botocore = (3, 1) if code == "SlowDown" else (1, 3)  # attempts of each: only botocore retries after a 500
    monkeypatch.setattr(S3FileSystem, "retries", s3fs)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", str(botocore))
    lead_to(s3.url, monkeypatch)
    mirror = open_mirror(URL)

    def failing(environ: Environ, start: Start) -> list[bytes]:
        if environ["REQUEST_METHOD"] != "PUT":
            return list(s3.moto(environ, start))
        body = f"<Error><Code>{code}</Code><Message>The store says {code}.</Message></Error>".encode()
        start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    s3.layer = failing
    with pytest.raises(UserError, match=rf"s3://bucket/suites/tiny/\.claim: .*The store says {code}"):
        finished(mirror)
    assert s3.requests["PUT"] == tries
    assert s3.objects() == {}


def test_a_server_that_is_not_there_is_named(s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(S3FileSystem, "retries", 2)
    lead_to("http://127.0.0.1:9", monkeypatch)
    with pytest.raises(UserError, match=r"s3://bucket/suites/tiny: the object store failed: .*127.0.0.1:9"):
        open_mirror(URL).pull()


def test_a_full_disk_here_is_no_fault_of_the_store(s3: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    finished(open_mirror(URL))
    other = elsewhere(monkeypatch, tmp_path / "other")

    def full(path: str, file: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(other.store._files, "get_file", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        other.pull()
    assert not isinstance(raised.value, UserError)


@pytest.mark.parametrize("error", [NotImplementedError("no listing"), OSError(errno.ENOSYS, "no listing")])
def test_a_request_that_a_store_does_not_support_is_told_with_the_address(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(path: str, **options: object) -> None:
        raise error

    mirror = open_mirror("memory://suites/unsupported")
    monkeypatch.setattr(mirror.store._files, "find", refuse)
    with pytest.raises(
        UserError, match=r"memory://suites/unsupported: the object store does not support .* no listing"
    ):
        mirror.pull()
