"""A disk that runs full in the middle: the command says so, and goes on when there is room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import csuite
from constraintsuite.core.store.artifact import Artifact


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "csuite-test", str(disk)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


BUILD = ("build", "--corpus", "sample", "--limit", "80", "--analyser", "rules")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    """The same suite on a disk with room."""
    folder = tmp_path_factory.mktemp("elsewhere") / "suite"
    assert csuite(*BUILD, "--out", folder).returncode == 0
    return Artifact.open(folder)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_build_on_a_full_disk_says_so_and_goes_on_later(small_disk: Path, elsewhere: Artifact, workers: str) -> None:
    build = (*BUILD, "--workers", workers, "--out", small_disk / "suite")
    stopped = csuite(*build)
    assert stopped.returncode == 2
    assert "The disk is full. Free some space; the same command resumes from what was finished." in stopped.stderr
    assert not list(small_disk.rglob(".*.tmp-*"))
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert csuite(*build).returncode == 0
    here = Artifact.open(small_disk / "suite", "suite")
    assert here.verify() == []
    assert here.manifest.content == elsewhere.manifest.content
