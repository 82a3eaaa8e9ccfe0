from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.gate import baseline, gate
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import folder_lock
from experiments.paired_runs import RIGHT, WRONG, make_run, make_suite


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "good", "good", [RIGHT] * 40)
    make_run(suite, tmp_path / "bad", "bad", [WRONG] * 40)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CSUITE_BASELINES", raising=False)
    return tmp_path


def call(command: object, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)  # type: ignore[arg-type]


def test_a_run_that_is_kept_under_a_name_is_what_a_gate_compares_with(folder: Path) -> None:
    saved = call(baseline, "save", "main", "good")
    assert saved.stdout.startswith(".csuite/baselines/main/run-tiny-")
    (folder / "good").rename(folder / "gone")  # the baseline is a copy
    failed = call(gate, "bad", "--baseline", "main")
    assert (failed.exit_code, "against good" in failed.stdout) == (1, True)
    assert call(baseline, "list").stdout.startswith("main  good  run-tiny-")


def test_a_later_run_replaces_the_baseline_of_its_suite_alone(folder: Path) -> None:
    make_run(make_suite(folder / "other", count=20), folder / "second", "second", [RIGHT] * 20)  # of the same name
    for run in ("good", "second", "bad"):
        call(baseline, "save", "main", run)
    assert sorted(line.split()[1] for line in call(baseline, "list").stdout.splitlines()) == ["bad", "second"]
    assert call(gate, "bad", "--baseline", "main").exit_code == 0


def test_two_runs_on_the_same_data_cannot_be_one_baseline(folder: Path) -> None:
    with pytest.raises(UserError, match="A baseline stores one run per kind"):
        call(baseline, "save", "main", "good", "bad")


def test_a_baseline_of_other_data_is_told_by_what_it_has(folder: Path) -> None:
    make_run(make_suite(folder / "other", count=20), folder / "second", "second", [RIGHT] * 20)
    call(baseline, "save", "main", "second")
    with pytest.raises(UserError, match="The baseline 'main' has no run on tiny as it is now; it has: run-tiny-"):
        call(gate, "bad", "--baseline", "main")


def test_what_a_baseline_can_detect_is_asked_by_its_name(folder: Path) -> None:
    call(baseline, "save", "main", "good")
    told = call(gate, "--dry-run", "--baseline", "main", "--suite", "suite").stdout
    assert told.startswith("paired_accuracy: max_drop 0.02: 40 items in 20 clusters")


def test_the_place_of_baselines_can_be_chosen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_BASELINES", str(folder / "kept"))
    call(baseline, "save", "main", "good")
    (kept,) = (folder / "kept" / "main").glob("run-tiny-*/manifest.json")
    assert kept.is_file()
    call(baseline, "save", "main", "bad", "--store", folder / "elsewhere")
    assert call(baseline, "list", "--store", folder / "elsewhere").stdout.startswith("main  bad  run-tiny-")


def test_a_name_that_is_not_there_is_answered_with_how_to_keep_one(folder: Path) -> None:
    with pytest.raises(
        UserError, match=r"'main' is neither a folder nor a baseline in .*csuite baseline save main RUN"
    ):
        call(gate, "bad", "--baseline", "main")
    call(baseline, "save", "main", "good")
    with pytest.raises(UserError, match=r"'mian' is neither a folder nor a baseline in .*There are: main"):
        call(gate, "bad", "--baseline", "mian")


@pytest.mark.parametrize("name", ["../escape", "", "a/b", ".hidden"])
def test_a_name_is_a_plain_word(folder: Path, name: str) -> None:
    with pytest.raises(UserError, match="is not a valid name for a baseline"):
        call(baseline, "save", name, "good")


def test_a_damaged_run_is_not_kept(folder: Path) -> None:
    (folder / "good" / "scores.jsonl").write_text("")
    with pytest.raises(UserError, match=r"scores\.jsonl: changed since the run was made"):
        call(baseline, "save", "main", "good")
    assert not (folder / ".csuite").exists()


class Killed(BaseException):
    """Stands for the end of the process."""


def kill_before(patched: pytest.MonkeyPatch, step: int) -> None:
    """Let the step with this number and all after it fail; a folder that is being removed is half gone by then."""
    steps, remove = count(), shutil.rmtree

    def kill_at_step(function: Callable[..., object]) -> Callable[..., object]:
        def wrapped(path: Path, *arguments: object, **options: object) -> object:
            if next(steps) < step:
                return function(path, *arguments, **options)
            if function is remove:
                (path / "manifest.json").unlink(missing_ok=True)
            raise Killed

        return wrapped

    patched.setattr(Path, "replace", kill_at_step(Path.replace))
    patched.setattr(shutil, "copytree", kill_at_step(shutil.copytree))
    patched.setattr(shutil, "rmtree", kill_at_step(remove))


@pytest.mark.parametrize(("step", "kept"), [(0, "good"), (1, "good"), (2, "good"), (3, "good"), (4, "bad"), (5, "bad")])
def test_a_save_that_is_killed_leaves_the_old_or_the_new_baseline_whole(folder: Path, step: int, kept: str) -> None:
    call(baseline, "save", "main", "good")
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Killed):
        kill_before(patched, step)
        call(baseline, "save", "main", "bad")
    assert call(baseline, "list").stdout.startswith(f"main  {kept}  run-tiny-")
    assert call(gate, "bad", "--baseline", "main").exit_code == (1 if kept == "good" else 0)
    call(baseline, "save", "main", "bad")
    assert call(baseline, "list").stdout.startswith("main  bad  run-tiny-")
    assert len(list((folder / ".csuite/baselines/main").rglob("run-tiny-*"))) == 1


def test_a_baseline_is_not_replaced_while_another_command_does_so(folder: Path) -> None:
    call(baseline, "save", "main", "good")
    with (
        folder_lock(folder / ".csuite/baselines/main"),
        pytest.raises(UserError, match="another csuite command is writing here"),
    ):
        call(baseline, "save", "main", "bad")
    assert call(baseline, "list").stdout.startswith("main  good  run-tiny-")


def test_a_baseline_can_be_removed(folder: Path) -> None:
    call(baseline, "save", "main", "good")
    assert call(baseline, "remove", "main").stdout == "1 run removed.\n"
    assert call(baseline, "list").stdout == ""
    with pytest.raises(UserError, match="There is no baseline named 'main'"):
        call(baseline, "remove", "main")
