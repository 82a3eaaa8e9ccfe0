"""A memory on disk after any history and after any crash: what was confirmed is there, and nothing else."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.store.artifact import MANIFEST
from constraintsuite.memory.folder import open_memory, verify_memory, write_memory
from memory.folder_changes import update_memory
from memory.tiny_parts import part

LEASE = part("lease", ["The tenant pays.", "Unless."], [("lease:2", "lease:1", "exception_to")], [(1, "tenant")])


def documents(path: Path) -> list[str]:
    return [held.id for held in open_memory(path).graph.documents]


@settings(max_examples=15)
@given(
    st.lists(
        st.one_of(st.tuples(st.sampled_from("abc"), st.text("xy ", max_size=4)), st.sampled_from("abc")), max_size=6
    )
)
def test_any_history_on_disk_gives_the_memory_of_what_is_left(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, str] | str]
) -> None:
    path = tmp_path_factory.mktemp("memory")
    write_memory(path, [], name="tiny")
    held: dict[str, str] = {}
    for change in history:
        if isinstance(change, tuple):
            update_memory(path, add=[part(change[0], [change[1]])])
            held[change[0]] = change[1]
        elif change in held:
            update_memory(path, remove=[change])
            del held[change]
    assert {unit.document: unit.text for unit in open_memory(path).graph.units} == held
    assert verify_memory(path) == []


WRITER = """
import os, sys
from pathlib import Path
from constraintsuite.memory import folder
from memory.folder_changes import update_memory
from memory.killing import kill_between_all_steps
from memory.tiny_parts import part

folder._FEW = 1  # so that old segments are taken away, too
folder.environment = lambda seconds: {}  # it takes the longest, and is not looked at

def write(path, last):
    confirmed = os.open(path.with_suffix(".said"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    folder.write_memory(path, [], name="tiny")
    os.write(confirmed, b"0 ")
    for number in range(1, last + 1):
        before = [f"d{number - 1}"] if number > 1 else []
        update_memory(path, add=[part(f"d{number}", [str(number) * 2000])], remove=before)
        os.write(confirmed, b"%d " % number)
"""


def run_python(code: str, path: Path) -> subprocess.Popen[bytes]:
    tests = Path(__file__).parents[1]
    return subprocess.Popen([sys.executable, "-c", WRITER + code, str(path)], stdout=subprocess.PIPE, cwd=tests)


def assert_nothing_is_lost(path: Path) -> None:
    """Each numbered document takes the place of the one before: the last that was confirmed is there, or the next."""
    said = path.with_suffix(".said").read_text().split()
    if not said and not (path / MANIFEST).exists():
        write_memory(path, [], name="tiny")
        return
    assert verify_memory(path) == []
    confirmed = int(said[-1]) if said else 0
    graph = open_memory(path).graph
    held = [document.id for document in graph.documents]
    assert held in ([f"d{confirmed}"] if confirmed else [], [f"d{confirmed + 1}"])
    assert [unit.text for unit in graph.units] == [name[1:] * 2000 for name in held]
    update_memory(path, add=[LEASE])
    assert documents(path) == [*held, "lease"]
    assert not [file for file in path.rglob("*") if ".tmp-" in file.name]


def test_a_writer_killed_between_any_two_steps_loses_nothing(tmp_path: Path) -> None:
    with run_python(
        "kill_between_all_steps(lambda steps: write(Path(sys.argv[1]) / f'm{steps}', 2))", tmp_path
    ) as writer:
        writer.communicate()
    assert writer.returncode == 0
    tried = [path.with_suffix("") for path in tmp_path.glob("*.said")]
    assert len(tried) > 30
    for path in tried:
        assert_nothing_is_lost(path)


@pytest.mark.parametrize("seed", range(3))
def test_a_writer_killed_at_any_moment_loses_nothing(tmp_path: Path, seed: int) -> None:
    code = "print('ready', flush=True); write(Path(sys.argv[1]), 10_000)"
    with run_python(code, tmp_path / "m") as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(random.Random(seed).uniform(0.01, 0.4))
        writer.kill()
        writer.communicate()
    assert writer.returncode == -signal.SIGKILL
    if (tmp_path / "m.said").exists():  # else it had not yet begun
        assert_nothing_is_lost(tmp_path / "m")
