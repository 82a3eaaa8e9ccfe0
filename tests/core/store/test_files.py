"""Files appear whole or not at all; a locked folder has one writer."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store import files
from constraintsuite.core.store.files import (
    atomic_writer,
    folder_lock,
    known_sha256,
    sha256_of,
    sha256_text,
    temporary_for,
    write_text,
)


def test_the_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    with atomic_writer(path) as file:
        file.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"


def test_an_error_leaves_neither_the_file_nor_a_leftover(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), atomic_writer(tmp_path / "a.txt") as file:
        file.write(b"half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_an_error_keeps_what_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")
    with pytest.raises(RuntimeError), atomic_writer(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    """As two machines of one shared disk do, whose processes have the same number."""
    path = tmp_path / "a.txt"
    with atomic_writer(path) as first, atomic_writer(path) as second:
        first.write(b"first")
        second.write(b"second, and longer")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_being_written_names_its_machine_and_is_found_as_a_leftover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "node", lambda: f"node-7{'x' * 100}.cluster.example")
    name = temporary_for(tmp_path / "a.txt").name
    assert name.startswith(".a.txt.node-7x")
    assert fnmatchcase(name, ".*.tmp-*")
    assert len(name) < 80


def test_text_is_written_as_utf8(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "crème – 東京\n")
    assert (tmp_path / "a.txt").read_bytes() == "crème – 東京\n".encode()


def test_sha256_of_a_file_is_the_published_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")  # FIPS 180-2, appendix B.1
    assert sha256_of(tmp_path / "a.txt") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_borders_between_hashed_strings_count() -> None:
    assert len({sha256_text("ab", "c"), sha256_text("a", "bc"), sha256_text("abc"), sha256_text("abc", "")}) == 4


def test_a_second_process_is_refused_while_the_first_holds_the_folder(tmp_path: Path) -> None:
    with folder_lock(tmp_path):
        result = _try_to_lock(tmp_path)
    assert result.returncode == 1
    assert f"UserError: {tmp_path}: another csuite command is writing here." in _last_line(result)


def test_the_folder_is_free_when_the_block_ends(tmp_path: Path) -> None:
    with folder_lock(tmp_path):
        pass
    assert _try_to_lock(tmp_path).returncode == 0


def test_the_folder_is_free_when_its_holder_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), folder_lock(tmp_path):
        raise RuntimeError
    assert _try_to_lock(tmp_path).returncode == 0


def test_one_process_cannot_hold_a_folder_twice(tmp_path: Path) -> None:
    with folder_lock(tmp_path), pytest.raises(UserError, match="another csuite command"), folder_lock(tmp_path):
        pass


def test_many_may_read_and_nobody_writes_meanwhile(tmp_path: Path) -> None:
    with folder_lock(tmp_path, shared=True):
        with folder_lock(tmp_path, shared=True):
            result = _try_to_lock(tmp_path)
        assert "Wait for it (or for one that reads)" in _last_line(result)
    assert _try_to_lock(tmp_path).returncode == 0


def test_nobody_reads_while_one_writes(tmp_path: Path) -> None:
    with (
        folder_lock(tmp_path),
        pytest.raises(UserError, match=r"is writing here\. Wait for it\.$"),
        folder_lock(tmp_path, shared=True),
    ):
        pass


def test_a_folder_that_may_only_be_read_is_read_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *rest: int) -> int:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(os, "open", refuse)  # the administrator, as whom tests may run, can write everywhere
    with folder_lock(tmp_path, shared=True):
        assert not (tmp_path / ".lock").exists()
    with pytest.raises(OSError, match="Read-only"), folder_lock(tmp_path):
        pass


def _try_to_lock(folder: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import pathlib, sys\n"
        "from constraintsuite.core.store.files import folder_lock\n"
        "with folder_lock(pathlib.Path(sys.argv[1])): pass"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False, timeout=60
    )


def _last_line(result: subprocess.CompletedProcess[str]) -> str:
    return result.stderr.splitlines()[-1]


def test_a_file_is_hashed_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []

    def counted(path: Path) -> str:
        hashed.append(path.name)
        return sha256_of(path)

    monkeypatch.setattr(files, "sha256_of", counted)
    file = tmp_path / "a.bin"
    file.write_bytes(b"one")
    assert known_sha256(file) == known_sha256(file)
    assert len(hashed) == 2  # just written: a second write may leave the same time
    monkeypatch.setattr(files, "_SETTLED_NS", -1)
    assert known_sha256(file) == known_sha256(file)
    assert len(hashed) == 3
    before = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert known_sha256(file) == sha256_of(file)
