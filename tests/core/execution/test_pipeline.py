"""Stages leave finished folders: a rerun does what is missing or out of date, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job, Pipeline, Stage
from constraintsuite.core.store.artifact import Artifact


class Settings(BaseModel, frozen=True):
    """`words` decides the first stage, `ending` the last; `log` is where the stages leave a line when they work."""

    log: Path
    words: str = "soup stew"
    ending: str = "s"
    seed: int = 0


def write_words(job: Job[Settings]) -> WorkCounts:
    _note(job.recipe.log, "words")
    (job.out / "words.txt").write_text(job.recipe.words)
    return WorkCounts({"words": len(job.recipe.words.split())})


def write_upper(job: Job[Settings]) -> WorkCounts:
    _note(job.recipe.log, "upper")
    (job.out / "upper.txt").write_text((job.inputs["words"] / "words.txt").read_text().upper())
    return WorkCounts()


def write_plural(job: Job[Settings]) -> WorkCounts:
    _note(job.recipe.log, "plural")
    (job.out / "plural.txt").write_text((job.inputs["upper"] / "upper.txt").read_text() + job.recipe.ending)
    return WorkCounts(rejects={"too_long": 1})


def _note(log: Path, line: str) -> None:
    with log.open("a") as file:
        file.write(line + "\n")


PIPELINE = Pipeline(
    (
        Stage("words", write_words, revision=1, sections=("words",), reads=("source",)),
        Stage("upper", write_upper, revision=1, needs=("words",)),
        Stage("plural", write_plural, revision=1, needs=("upper",), sections=("ending",)),
    )
)


class Runs:
    """Runs a pipeline in one folder and says which stages worked since the last question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log.txt"
        self.log.touch()

    def run(
        self,
        source: Mapping[str, str] | None = None,
        *,
        redo_from: str | None = None,
        until: str | None = None,
        words: str = "soup stew",
        ending: str = "s",
        seed: int = 0,
        pipeline: Pipeline[Settings] | None = None,
    ) -> dict[str, Artifact]:
        settings = Settings(log=self.log, words=words, ending=ending, seed=seed)
        return (pipeline or PIPELINE).run(
            settings,
            self.folder / "stages",
            source or {"source": "v1"},
            LocalEngine(),
            Silent(),
            redo_from=redo_from,
            until=until,
        )

    def worked(self) -> list[str]:
        lines = self.log.read_text().split()
        self.log.write_text("")
        return lines


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """A pipeline that has run once."""
    runs = Runs(tmp_path)
    runs.run()
    assert runs.worked() == ["words", "upper", "plural"]
    return runs


def test_every_stage_leaves_a_finished_folder(runs: Runs) -> None:
    done = runs.run()
    assert [done[name].verify() for name in PIPELINE.names()] == [[], [], []]
    assert (done["plural"].path / "plural.txt").read_text() == "SOUP STEWs"
    assert done["words"].manifest.counts == {"words": 2}
    assert done["plural"].manifest.rejects == {"too_long": 1}


def test_a_finished_stage_is_skipped(runs: Runs) -> None:
    runs.run()
    assert runs.worked() == []


def test_other_settings_redo_the_stage_that_has_them_and_what_reads_it(runs: Runs) -> None:
    runs.run(words="cake")
    assert runs.worked() == ["words", "upper", "plural"]


def test_settings_of_a_late_stage_leave_the_early_ones_alone(runs: Runs) -> None:
    runs.run(ending="es")
    assert runs.worked() == ["plural"]


def write_longer(job: Job[Settings]) -> WorkCounts:
    outcome = write_words(job)
    (job.out / "words.txt").write_text(job.recipe.words + " pie")
    return outcome


def test_a_new_revision_of_a_stage_redoes_it_and_what_reads_its_other_bytes(runs: Runs) -> None:
    same = Pipeline((replace(PIPELINE.stages[0], revision=2), *PIPELINE.stages[1:]))
    runs.run(pipeline=same)
    assert runs.worked() == ["words"]  # the same bytes: those that read them are up to date
    other = Pipeline((replace(PIPELINE.stages[0], revision=3, work=write_longer), *PIPELINE.stages[1:]))
    done = runs.run(pipeline=other)
    assert runs.worked() == ["words", "upper", "plural"]
    assert done["words"].manifest.revision == 3


@pytest.mark.parametrize("damage", [lambda file: file.write_text("pie"), lambda file: (file.parent / "x").touch()])
def test_a_stage_is_not_made_of_one_that_was_changed(runs: Runs, damage: Callable[[Path], object]) -> None:
    file = runs.folder / "stages" / "upper" / "upper.txt"
    damage(file)
    before = (runs.folder / "stages" / "plural" / "plural.txt").read_bytes()
    with pytest.raises(
        UserError, match=r"stages/upper/(upper\.txt: changed since|x: this file is not part of) the stage"
    ):
        runs.run(ending="es")
    assert runs.worked() == []
    assert (runs.folder / "stages" / "plural" / "plural.txt").read_bytes() == before


def test_another_source_redoes_everything(runs: Runs) -> None:
    runs.run({"source": "v2"})
    assert runs.worked()[0] == "words"


def test_another_seed_redoes_everything(runs: Runs) -> None:
    runs.run(seed=1)
    assert runs.worked() == ["words", "upper", "plural"]


def test_a_stage_whose_input_came_out_the_same_is_not_redone(runs: Runs) -> None:
    """The source changed, the words did not: what reads the words has nothing to do."""
    runs.run({"source": "v2"})
    assert runs.worked() == ["words"]


def test_redo_from_redoes_that_stage_and_all_later_ones(runs: Runs) -> None:
    runs.run(redo_from="upper")
    assert runs.worked() == ["upper", "plural"]


def test_redo_from_makes_a_stage_anew_whose_manifest_cannot_be_read(runs: Runs) -> None:
    (runs.folder / "stages" / "upper" / "manifest.json").write_text("{")
    with pytest.raises(UserError, match="Was it edited"):
        runs.run()
    runs.run(redo_from="upper")
    assert runs.worked() == ["upper", "plural"]


def test_the_first_stage_that_a_run_would_make_is_known_before(runs: Runs) -> None:
    def first(source: str = "v1", ending: str = "s", seed: int = 0) -> str | None:
        settings = Settings(log=runs.log, ending=ending, seed=seed)
        return PIPELINE.first_stale(settings, runs.folder / "stages", {"source": source})

    assert [first(), first("v2"), first(ending="es"), first(seed=1)] == [None, "words", "plural", "words"]
    (runs.folder / "stages" / "upper" / "manifest.json").unlink()
    assert first() == "upper"
    assert runs.worked() == []


def test_until_stops_after_that_stage(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    assert list(runs.run(until="upper")) == ["words", "upper"]
    assert runs.worked() == ["words", "upper"]


def test_the_next_run_goes_on_after_until(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.run(until="upper")
    runs.worked()
    runs.run()
    assert runs.worked() == ["plural"]


def test_a_stage_without_manifest_is_redone(runs: Runs) -> None:
    (runs.folder / "stages" / "upper" / "manifest.json").unlink()
    runs.run()
    assert runs.worked() == ["upper"]


def test_an_unknown_redo_from_is_a_user_error_that_lists_the_stages(runs: Runs) -> None:
    with pytest.raises(UserError, match=r"No stage named 'uper'\. The stages are: words, upper, plural\."):
        runs.run(redo_from="uper")


def test_an_unknown_until_is_a_user_error_and_nothing_runs(runs: Runs) -> None:
    with pytest.raises(UserError, match="No stage named 'end'"):
        runs.run(until="end")
    assert runs.worked() == []


def test_outcomes_add_up() -> None:
    parts = [WorkCounts({"b": 1, "a": 2}, {"too_long": 1}), WorkCounts({"a": 3}, {"too_long": 2, "empty": 1})]
    assert WorkCounts.merged(parts) == WorkCounts({"a": 5, "b": 1}, {"empty": 1, "too_long": 3})
