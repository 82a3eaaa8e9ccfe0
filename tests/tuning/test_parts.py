"""The parts of a training: reading ahead, planning steps, selecting, drawing, making a model smaller."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.errors import UserError
from constraintsuite.tuning.batches import interleave, plan_steps
from constraintsuite.tuning.curves import Point, draw_curves
from constraintsuite.tuning.models import load_model, open_start, write_start
from constraintsuite.tuning.reading import PAIRS, TEXTS, Reader
from constraintsuite.tuning.recipe import SelectionSettings, StartSettings
from constraintsuite.tuning.selection import select
from tuning.models import WORDS, write_cross, write_encoder

POINT = Point(0, "rule", 1, 1, 10, "seed0-01-rule-01", "dev", "overall", "accuracy", 0.5, 0.4, 0.6, 20)


@pytest.mark.parametrize(("kind", "probes"), [("cross", PAIRS), ("dense", TEXTS)])
def test_what_was_read_ahead_is_what_the_library_reads(tmp_path: Path, kind: str, probes: tuple[str, ...]) -> None:
    folder = write_cross(tmp_path / "m") if kind == "cross" else write_encoder(tmp_path / "m")
    model = load_model(folder, "cross" if kind == "cross" else "dense", 16, "cpu")
    read = Reader(folder, 16).preprocessor(model, probes)
    assert read != model.preprocess
    ours, theirs = read(list(probes[:2])), model.preprocess(list(probes[:2]))
    assert set(ours) == set(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ("input_ids", "attention_mask", "token_type_ids"))


def test_a_model_that_reads_otherwise_is_left_to_the_library(tmp_path: Path) -> None:
    folder = write_cross(tmp_path / "m")
    model = load_model(folder, "cross", 16, "cpu")
    assert Reader(folder, 20).preprocessor(model, PAIRS) == model.preprocess


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


def test_a_figure_that_was_not_measured_cannot_be_selected_by() -> None:
    with pytest.raises(UserError, match="dev has no gap of overall"):
        select([POINT], SelectionSettings(evaluation="dev", metric="gap"))


def test_curves_have_a_line_for_each_evaluation_and_seed() -> None:
    points = [
        replace(POINT, seed=seed, evaluation=name, position=position, value=position / 10)
        for seed in (0, 1)
        for name in ("dev", "plain")
        for position in range(3)
    ]
    (plot,) = draw_curves(points)
    assert {series.name for series in plot.series} == {f"{n}, seed {s}" for n in ("dev", "plain") for s in (0, 1)}
    assert [spot.x for spot in plot.series[0].spots] == [0, 1, 2]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [{"id": "1", "text": "the soup is rich"}, {"id": "2", "text": "soup and nuts"}]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "c.jsonl"


def start(folder: Path, **shrink: object) -> StartSettings:
    return StartSettings.model_validate({"model": str(folder), "shrink": shrink})


def write_small(settings: StartSettings, out: Path) -> tuple[torch.nn.Module, Path]:
    write_start(settings, open_start(settings), out, 0)
    return load_model(out, "cross", None, "cpu"), out


def test_fewer_layers_keep_their_weights(tmp_path: Path) -> None:
    large = write_cross(tmp_path / "large", num_hidden_layers=4)
    small, _ = write_small(start(large, layers=2), tmp_path / "small")
    theirs, ours = load_model(large, "cross", None, "cpu").state_dict(), small.state_dict()
    for new, old in ((0, 0), (1, 3)):
        name = "layer.{}.output.dense.weight"
        (mine,) = [value for key, value in ours.items() if key.endswith(name.format(new)) and "attention" not in key]
        (its,) = [value for key, value in theirs.items() if key.endswith(name.format(old)) and "attention" not in key]
        assert torch.equal(mine, its)


def test_a_cut_vocabulary_keeps_frequent_words_and_reads_others_in_pieces(tmp_path: Path, corpus: Path) -> None:
    large = write_cross(tmp_path / "large")
    pieces = (
        36 * 2 + 5 + 1 + 5
    )  # letters and digits ("a" is one), special ones, the dot, all words of the corpus but one
    settings = start(large, vocabulary=pieces, vocabulary_from=[str(corpus)])
    small, folder = write_small(settings, tmp_path / "small")
    reader = Reader(folder, 30)
    assert reader.lengths([("soup is",)]) == [2 + 2]
    assert reader.lengths([("stew",)]) == [2 + len("stew")]
    words = small.get_submodule("0").model.bert.embeddings.word_embeddings.weight
    assert len(words) == pieces < len(WORDS)
    large_words = (
        load_model(large, "cross", None, "cpu").get_submodule("0").model.bert.embeddings.word_embeddings.weight
    )
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    assert torch.equal(words[vocabulary["soup"]], large_words[WORDS.index("soup")])


def test_a_narrower_model_scores(tmp_path: Path) -> None:
    large = write_cross(tmp_path / "large")
    small, folder = write_small(start(large, hidden=16, layers=1, positions=24), tmp_path / "small")
    assert small.predict([("soup", "a soup of leeks")]).shape == (1,)
    assert json.loads((folder / "config.json").read_text())["intermediate_size"] == 32


def test_a_head_of_a_narrower_model_looks_at_words_like_its_own(tmp_path: Path) -> None:
    large = write_cross(tmp_path / "large")
    small, _ = write_small(start(large, hidden=16, layers=1), tmp_path / "small")
    attention = small.get_submodule("0").model.bert.encoder.layer[0].attention.self
    assert torch.equal(attention.query.weight, attention.key.weight)
    assert torch.allclose(attention.query.weight @ attention.query.weight.T, torch.eye(16), atol=1e-5)


def test_a_smaller_inner_width_keeps_the_strongest_neurons(tmp_path: Path) -> None:
    large = write_cross(tmp_path / "large", num_hidden_layers=1)
    model = load_model(large, "cross", None, "cpu").get_submodule("0").model
    layer = model.bert.encoder.layer[0]
    with torch.no_grad():
        layer.intermediate.dense.weight[3] *= 50
        layer.intermediate.dense.weight[5] *= 90
    model.save_pretrained(large)
    small, _ = write_small(start(large, inner=8), tmp_path / "small")
    kept = small.get_submodule("0").model.bert.encoder.layer[0]
    mine = [row.tolist() for row in kept.intermediate.dense.weight]
    for neuron in (3, 5):
        assert layer.intermediate.dense.weight[neuron].tolist() in mine
        assert layer.output.dense.weight[:, neuron].tolist() in kept.output.dense.weight.T.tolist()


@pytest.mark.parametrize(
    ("shrink", "words"),
    [
        ({"hidden": 64}, "a width of 64"),
        ({"hidden": 20, "heads": 3}, "3 heads"),
        ({"inner": 999}, "999 is not smaller"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(tmp_path: Path, shrink: dict[str, int], words: str) -> None:
    large = write_cross(tmp_path / "large")
    with pytest.raises(UserError, match=words):
        write_small(start(large, **shrink), tmp_path / "small")
    assert not (tmp_path / "small").exists()
