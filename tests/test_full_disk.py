"""A disk that runs full in the middle: the command says so, and goes on when there is room."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_build_on_a_full_disk_says_so_and_goes_on_later(small_disk: Path, tmp_path: Path, workers: str) -> None:
    build = ["build", "--corpus", "sample", "--limit", "80", "--analyser", "rules", "--workers", workers, "--out"]
    stopped = csuite(*build, small_disk / "suite")
    assert stopped.returncode == 2
    assert "The disk is full. Free some space; the same command resumes from what was finished." in stopped.stderr
    assert not list(small_disk.rglob(".*.tmp-*"))
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert csuite(*build, small_disk / "suite").returncode == 0
    assert Artifact.open(small_disk / "suite", "suite").verify() == []
    assert csuite(*build, tmp_path / "elsewhere").returncode == 0
    here, there = Artifact.open(small_disk / "suite"), Artifact.open(tmp_path / "elsewhere")
    assert here.manifest.content == there.manifest.content


def csuite(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "constraintsuite", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True)
