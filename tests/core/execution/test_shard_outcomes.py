"""A stage that breaks off keeps its finished shards, and goes on with the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import BaseModel

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job, Pipeline, Stage

SHARDS = ("1", "2", "3", "4")


class Settings(BaseModel, frozen=True):
    """`crash` is a file: while it exists, shard 3 fails."""

    crash: Path
    calls: Path
    text: str = "a"


@dataclass(frozen=True)
class Task:
    name: str
    crash: Path
    calls: Path
    target: Path


def work_shard(task: Task, isolation: RecordIsolation) -> WorkCounts:
    with task.calls.open("a") as file:
        file.write(task.name + "\n")
    if task.name == "3" and task.crash.exists():
        raise RuntimeError("power cut")
    task.target.write_text(task.name)
    return WorkCounts({"shards": 1})


def work(job: Job[Settings]) -> WorkCounts:
    tasks = {
        f"part-{name}": Task(name, job.recipe.crash, job.recipe.calls, job.out / f"part-{name}.txt") for name in SHARDS
    }
    return job.map_shards("parts", work_shard, tasks)


PIPELINE = Pipeline((Stage("parts", work, revision=1, sections=("text",)),))


@dataclass
class Broken:
    """A pipeline that broke off in shard 3."""

    folder: Path

    def run(self, text: str = "a", redo_from: str | None = None, workers: int = 1) -> WorkCounts:
        settings = Settings(crash=self.folder / "crash", calls=self.folder / "calls", text=text)
        engine = LocalEngine(workers)
        done = PIPELINE.run(settings, self.folder, {"source": "v1"}, engine, Silent(), redo_from=redo_from)
        return WorkCounts(done["parts"].manifest.counts, done["parts"].manifest.rejects)

    def calls(self) -> list[str]:
        found = (self.folder / "calls").read_text().split()
        (self.folder / "calls").write_text("")
        return found


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    (tmp_path / "crash").touch()
    broken = Broken(tmp_path)
    with pytest.raises(RuntimeError, match="power cut"):
        broken.run()
    assert broken.calls() == ["1", "2", "3"]
    (tmp_path / "crash").unlink()
    return broken


def test_finished_shards_are_not_run_again(broken: Broken) -> None:
    assert broken.run() == WorkCounts({"shards": 4})
    assert broken.calls() == ["3", "4"]


def test_a_broken_off_stage_is_not_finished(broken: Broken) -> None:
    assert not (broken.folder / "parts" / "manifest.json").exists()


def test_the_result_is_the_same_as_without_the_crash(broken: Broken, tmp_path: Path) -> None:
    broken.run()
    (tmp_path / "again").mkdir()
    Broken(tmp_path / "again").run()
    manifests = [folder / "parts" / "manifest.json" for folder in (tmp_path, tmp_path / "again")]
    assert manifests[0].read_bytes() == manifests[1].read_bytes()


def test_shards_made_with_other_settings_are_not_kept(broken: Broken) -> None:
    broken.run(text="b")
    assert broken.calls() == ["1", "2", "3", "4"]


def test_shards_are_not_kept_when_the_stage_is_asked_for_anew(broken: Broken) -> None:
    broken.run(redo_from="parts")
    assert broken.calls() == ["1", "2", "3", "4"]


def test_several_workers_give_the_same_folder(tmp_path: Path) -> None:
    contents = []
    for workers in (1, 3):
        folder = tmp_path / str(workers)
        folder.mkdir()
        Broken(folder).run(workers=workers)
        contents.append((folder / "parts" / "manifest.json").read_bytes())
    assert contents[0] == contents[1]
