"""A head that moved: behaviour and what is said inside stay, the site and its weights do not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.scores import Interval
from constraintsuite.mechanism.contrasts.files import read_contrasts
from constraintsuite.mechanism.drift import drift as measuring
from constraintsuite.mechanism.drift import observation, steps
from constraintsuite.mechanism.drift.checkpoints import Checkpoint, name_checkpoints
from constraintsuite.mechanism.drift.drift import DriftSettings, measure_drift, plan_drift
from constraintsuite.mechanism.drift.observation import observe_checkpoint
from constraintsuite.mechanism.drift.records import CheckpointDrift, load_drift
from mechanism.contrasts.suite_factory import make_suite
from mechanism.drift.moving import AFTER, BEFORE, make_checkpoints, make_soup_suite, soups
from mechanism.models import make_tiny

SETTINGS = DriftSettings(top=3)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Checkpoint], Path]:
    folder = tmp_path_factory.mktemp("drift")
    models = make_checkpoints(folder)
    return name_checkpoints([str(model) for model in models], "threads=1,backend=torch"), make_soup_suite(
        folder / "suite"
    )


@pytest.fixture(scope="module")
def folder(ground: tuple[list[Checkpoint], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkpoints, suite = ground
    out = tmp_path_factory.mktemp("drift") / "out"
    return measure_drift(checkpoints, [suite], out, SETTINGS, Silent()).path


@pytest.fixture(scope="module")
def drift(folder: Path) -> CheckpointDrift:
    return load_drift(folder)


def number(figure: Interval) -> float:
    assert figure.value is not None
    return figure.value


def test_behaviour_does_not_change(drift: CheckpointDrift) -> None:
    (change,) = [one for one in drift.changes["suite"] if one.group == "overall"]
    assert (change.only_first, change.only_second, change.mcnemar, number(change.difference)) == (0, 0, 1.0, 0.0)
    accuracies = [number(one.value) for one in drift.figures if (one.group, one.metric) == ("overall", "accuracy")]
    assert accuracies == [1.0, 1.0]


@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_another_head_matters(drift: CheckpointDrift, direction: str) -> None:
    strongest = {
        label: max(
            (one for one in drift.inside.importances if (one.checkpoint, one.direction) == (label, direction)),
            key=lambda one: abs(number(one.effect)),
        ).site
        for label in drift.checkpoints
    }
    assert strongest == {"first": BEFORE, "second": AFTER}


def test_other_sites_keep_their_ranks(drift: CheckpointDrift) -> None:
    (one, _) = drift.inside.likenesses
    assert 0 < number(one.spearman) < 1
    assert 0 < number(one.across) < 1
    assert number(one.weighted) < 0.2  # of what matters, nearly all is elsewhere
    assert number(one.moved) < 0.05  # in the same layer
    (same, _) = [each for each in drift.inside.reliabilities if each.checkpoint == "first"]
    assert number(same.spearman) > 0.8


def test_rows_lie_where_they_lay(drift: CheckpointDrift) -> None:
    found = [number(one.cka) for one in drift.inside.alignments]
    assert len(found) > 8
    assert found == pytest.approx([1.0] * len(found), abs=1e-4)


def test_what_is_read_off_holds(drift: CheckpointDrift) -> None:
    at_the_end = [one for one in drift.inside.probes if (one.layer, one.role) == ("L2.residual", "cls")]
    assert [(number(one.frozen), number(one.own)) for one in at_the_end] == [(1.0, 1.0), (1.0, 1.0)]
    before = [one for one in drift.inside.probes if (one.layer, one.role) == ("embeddings", "q_y")]
    assert [number(one.frozen) for one in before] == [0.5, 0.5]  # nothing is known there yet


def test_only_weights_of_the_exchanged_heads_moved(drift: CheckpointDrift) -> None:
    moved = {one.site for one in drift.inside.head_changes if one.change > 1e-6}
    assert moved == {BEFORE, AFTER}
    parts = {one.part: one.change > 1e-6 for one in drift.inside.part_changes}
    assert parts == {"embeddings": False, "L0": False, "L1": True, "L2": False}


@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_old_layers_speak_to_new_ones_and_the_old_circuit_does_not(drift: CheckpointDrift, direction: str) -> None:
    mine = {one.patch: one for one in drift.inside.crossings if one.direction == direction}
    for patch in ("embeddings", "L0.residual", "L1.residual", "L2.residual"):
        assert number(mine[patch].share) == pytest.approx(1.0, abs=1e-3)
        assert number(mine[patch].harm) == pytest.approx(0.0, abs=1e-3)
        assert number(mine[patch].crossed) == pytest.approx(number(mine[patch].own), abs=1e-3)
    assert abs(number(mine["circuit"].share)) < 0.1


def test_the_same_again_is_the_same_bytes(folder: Path, ground: tuple[list[Checkpoint], Path], tmp_path: Path) -> None:
    checkpoints, suite = ground
    again = measure_drift(checkpoints, [suite], tmp_path / "again", SETTINGS, Silent()).path
    assert (again / "drift.json").read_bytes() == (folder / "drift.json").read_bytes()


def test_what_was_stopped_goes_on(
    folder: Path, ground: tuple[list[Checkpoint], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints, suite = ground
    looked: list[str] = []
    real: Callable[..., object] = observe_checkpoint

    def looking(*given: object) -> object:
        looked.append("")
        if len(looked) == 2:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(observation, "observe_checkpoint", looking)
    with pytest.raises(KeyboardInterrupt):
        measure_drift(checkpoints, [suite], tmp_path / "out", SETTINGS, Silent())
    out = measure_drift(checkpoints, [suite], tmp_path / "out", SETTINGS, Silent()).path
    assert len(looked) == 3  # the first was not looked into again
    assert (out / "drift.json").read_bytes() == (folder / "drift.json").read_bytes()


def test_what_a_killed_drift_was_writing_is_taken_away(
    ground: tuple[list[Checkpoint], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints, suite = ground
    monkeypatch.setattr(measuring, "_measure", None)
    out = tmp_path / "out"
    left = [out / ".drift.json.tmp-123", out / "stages" / ".000.npz.tmp-123"]
    (out / "stages").mkdir(parents=True)
    with pytest.raises(UserError, match="stages: this is not part of the drift"):  # not of a drift: left alone
        measure_drift(checkpoints, [suite], out, SETTINGS, Silent())
    shutil.rmtree(out)
    with pytest.raises(TypeError):
        measure_drift(checkpoints, [suite], out, SETTINGS, Silent())
    (out / "stages").mkdir()
    for file in left:
        file.write_text("half")
    with pytest.raises(TypeError):
        measure_drift(checkpoints, [suite], out, SETTINGS, Silent())
    assert [file for file in left if file.exists()] == []


def test_a_finished_drift_is_kept_and_another_refused(folder: Path, ground: tuple[list[Checkpoint], Path]) -> None:
    checkpoints, suite = ground
    assert measure_drift(checkpoints, [suite], folder, SETTINGS, Silent()).path == folder
    with pytest.raises(UserError, match="Choose another --out"):
        measure_drift(checkpoints[::-1], [suite], folder, SETTINGS, Silent())


def test_other_contrasts_of_the_same_suite_are_another_drift(
    ground: tuple[list[Checkpoint], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints, _ = ground
    pairs = [replace(example, clusters=(f"c{n // 2}",)) for n, example in enumerate(soups(40))]
    make_suite(tmp_path / "suite", pairs, ())
    with monkeypatch.context() as stop:
        stop.setattr(steps.CheckpointWalk, "_later", None)
        with pytest.raises(TypeError):
            measure_drift(checkpoints, [tmp_path / "suite"], tmp_path / "out", SETTINGS, Silent())
    with pytest.raises(UserError, match="this folder already holds an unfinished drift"):  # of 40 contrasts, not 20
        alone = replace(SETTINGS, independent=True)
        measure_drift(checkpoints, [tmp_path / "suite"], tmp_path / "out", alone, Silent())


def test_one_stopped_just_before_its_end_looks_at_nothing_again(
    ground: tuple[list[Checkpoint], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints, suite = ground
    with monkeypatch.context() as stop:
        stop.setattr(measuring, "write_json", None)  # of the results, the last file
        with pytest.raises(TypeError):
            measure_drift(checkpoints, [suite], tmp_path / "out", SETTINGS, Silent())
    monkeypatch.setattr(observation, "observe_checkpoint", None)
    monkeypatch.setattr(observation, "cross_patch", None)
    out = measure_drift(checkpoints, [suite], tmp_path / "out", SETTINGS, Silent()).path
    assert not (out / "stages").exists()


def test_the_circuit_is_chosen_on_one_half_and_crossed_on_the_other(drift: CheckpointDrift, folder: Path) -> None:
    contrasts = read_contrasts(folder / "contrasts.jsonl")
    check = sum(one.half == "check" for one in contrasts)
    assert 0 < check < len(contrasts)
    assert {one.crossed.n for one in drift.inside.crossings} == {check}


def test_too_few_contrasts_in_a_half_are_refused(ground: tuple[list[Checkpoint], Path], tmp_path: Path) -> None:
    checkpoints, _ = ground
    make_soup_suite(tmp_path / "suite", 7)
    with pytest.raises(UserError, match="Too few contrasts are left: "):
        measure_drift(checkpoints, [tmp_path / "suite"], tmp_path / "out", SETTINGS, Silent())


def test_a_changed_file_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "drift.json").write_text("{}")
    with pytest.raises(UserError, match="changed since the drift was made"):
        load_drift(copy)


def test_a_plan_counts_forward_passes(ground: tuple[list[Checkpoint], Path]) -> None:
    checkpoints, suite = ground
    plan = plan_drift(checkpoints, [suite], SETTINGS)
    assert plan.contrasts == 20
    assert plan.attribution == 20 * 4 * 3 * 2  # two rows in two runs, forward and backward, two checkpoints
    assert plan.crossing == 10 * 2 * (8 + 3 * 5 * 2)  # a circuit and four residuals, three donors, two rows
    assert plan.forwards == plan.behaviour + plan.attribution + plan.representation + plan.crossing


def test_checkpoints_of_other_shapes_are_refused(ground: tuple[list[Checkpoint], Path], tmp_path: Path) -> None:
    checkpoints, suite = ground
    tiny = make_tiny("bert", tmp_path / "tiny")
    named = name_checkpoints([checkpoints[0].model, str(tiny)])
    with pytest.raises(UserError, match=r"differs from .* in its width"):
        measure_drift(named, [suite], tmp_path / "out", SETTINGS, Silent())
