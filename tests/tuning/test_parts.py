"""The parts of a training: reading ahead, planning steps, selecting, drawing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.tuning.batches import PAIRS, TEXTS, TaskTokenizer, interleave, plan_steps, share_out
from constraintsuite.tuning.curves import TrainingCurvePoint, check_selectable, draw_curves, select
from constraintsuite.tuning.epochs import TrainedEpoch
from constraintsuite.tuning.models import load_model
from constraintsuite.tuning.recipe import SelectionSettings
from tuning.models import write_cross, write_encoder

POINT = TrainingCurvePoint(0, "rule", 1, 1, 10, "seed0-01-rule-01", "dev", "overall", "accuracy", 0.5, 0.4, 0.6, 20)


@pytest.mark.parametrize(("kind", "probes"), [("cross", PAIRS), ("dense", TEXTS)])
def test_what_was_read_ahead_is_what_the_library_reads(tmp_path: Path, kind: str, probes: tuple[str, ...]) -> None:
    folder = write_cross(tmp_path / "m") if kind == "cross" else write_encoder(tmp_path / "m")
    model = load_model(folder, "cross" if kind == "cross" else "dense", 16, "cpu")
    read = TaskTokenizer(folder, 16).preprocessor(model, probes)
    assert read != model.preprocess
    ours, theirs = read(list(probes[:2])), model.preprocess(list(probes[:2]))
    assert set(ours) == set(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ("input_ids", "attention_mask", "token_type_ids"))


def test_a_model_that_reads_otherwise_is_left_to_the_library(tmp_path: Path) -> None:
    folder = write_cross(tmp_path / "m")
    model = load_model(folder, "cross", 16, "cpu")
    assert TaskTokenizer(folder, 20).preprocessor(model, PAIRS) == model.preprocess


@given(st.lists(st.integers(1, 50), min_size=1, max_size=300), st.integers(1, 9), st.integers(0, 99))
def test_every_list_stands_in_exactly_one_step(lengths: list[int], batch: int, seed: int) -> None:
    steps = plan_steps("t", range(len(lengths)), lengths, batch, np.random.default_rng(seed))
    assert sorted(row for step in steps for row in step.rows) == list(range(len(lengths)))
    assert len(steps) == -(-len(lengths) // batch)


def test_lists_of_about_the_same_length_stand_together() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, size=640)
    steps = plan_steps("t", range(640), lengths.tolist(), 20, np.random.default_rng(1))
    spread = [np.ptp(lengths[step.rows]) for step in steps]
    assert max(spread) < 15
    assert [len(step.rows) for step in steps] != sorted(np.mean(lengths[step.rows]) for step in steps)


def test_steps_of_two_tasks_are_mixed_and_keep_their_own_order() -> None:
    rng = np.random.default_rng(0)
    first, others = plan_steps("a", range(8), [1] * 8, 2, rng), plan_steps("b", range(4), [1] * 4, 2, rng)
    mixed = interleave(first, others, rng)
    assert [step for step in mixed if step.task == "a"] == first
    assert [step for step in mixed if step.task == "b"] == others


def test_the_best_is_selected_and_of_equals_the_earliest() -> None:
    values = (0.5, 0.8, 0.8)
    points = [replace(POINT, epoch=n, checkpoint=f"c{n}", value=value) for n, value in enumerate(values, 1)]
    chosen = select(points, SelectionSettings(evaluation="dev", metric="accuracy"))
    assert (chosen.checkpoint, chosen.value) == ("c2", 0.8)
    assert select(points, None).checkpoint == "c3"


def test_a_figure_may_be_undefined_for_the_start() -> None:
    by = SelectionSettings(evaluation="dev", metric="accuracy")
    check_selectable([replace(POINT, value=None)], by)
    with pytest.raises(UserError, match="dev has no accuracy of overall"):
        check_selectable([replace(POINT, metric="gap")], by)


def test_a_figure_that_was_not_measured_cannot_be_selected_by() -> None:
    with pytest.raises(UserError, match="dev has no gap of overall"):
        select([POINT], SelectionSettings(evaluation="dev", metric="gap"))


def test_of_values_below_zero_the_greatest_is_selected() -> None:
    points = [replace(POINT, epoch=n, checkpoint=f"c{n}", value=value) for n, value in enumerate((-0.5, -0.2), 1)]
    assert select(points, SelectionSettings(evaluation="dev", metric="accuracy")).checkpoint == "c2"


def test_names_of_checkpoints_sort_in_the_order_of_training() -> None:
    names = [TrainedEpoch(0, 1, "rule", epoch, 100).name for epoch in range(1, 101)]
    assert names == sorted(names)
    assert TrainedEpoch(0, 1, "rule", 1, 99).name == "seed0-01-rule-01"


@pytest.mark.parametrize(
    ("wanted", "sizes", "shares"),
    [
        (10, {"a": 100, "b": 100}, {"a": 5, "b": 5}),
        (10, {"a": 2, "b": 100}, {"a": 2, "b": 8}),
        (10, {"a": 100, "b": 3, "c": 2}, {"a": 5, "b": 3, "c": 2}),
        (10, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        (7, {"a": 9, "b": 9, "c": 9}, {"a": 2, "b": 2, "c": 3}),
        (0, {}, {}),
    ],
)
def test_what_a_small_task_lacks_is_replayed_of_the_others(
    wanted: int, sizes: dict[str, int], shares: dict[str, int]
) -> None:
    assert share_out(wanted, sizes) == shares


def test_curves_have_a_line_for_each_evaluation() -> None:
    points = [
        replace(POINT, evaluation=name, position=position, value=position / 10)
        for name in ("dev", "plain")
        for position in range(3)
    ]
    (plot,) = draw_curves(points)
    assert [series.name for series in plot.series] == ["dev", "plain"]
    assert [(spot.x, spot.y) for spot in plot.series[0].spots] == [(0, 0), (1, 0.1), (2, 0.2)]


def headlines(seed: int, value: float) -> list[TrainingCurvePoint]:
    """What figure 5 is drawn of."""
    return [
        replace(POINT, seed=seed, evaluation=name, metric=metric, value=value)
        for name, metric in (("dev", "paired_accuracy"), ("plain", "nDCG@10"))
    ]


def test_of_several_seeds_every_plot_has_the_mean_and_behind_it_each_of_them() -> None:
    parts = [replace(POINT, seed=seed, part="nuts", value=value) for seed, value in ((0, 0.2), (1, 0.5), (2, 0.8))]
    points = [*headlines(0, 0.2), *headlines(1, 0.5), *headlines(2, 0.8), *parts]
    plots = draw_curves(points)
    assert {plot.name for plot in plots} >= {"curve-gained-and-lost", "curve-paired_accuracy", "slices-dev"}
    for plot in plots:
        for series in plot.series:
            (spot,) = series.spots
            assert round(spot.y, 9) == 0.5
            assert [[one.y for one in line] for line in series.behind] == [[0.2], [0.5], [0.8]]
        assert "each of 3 seeds" in plot.note
