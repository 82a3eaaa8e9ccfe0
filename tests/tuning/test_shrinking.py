"""Smaller models made of larger ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.tuning.batches import TaskTokenizer
from constraintsuite.tuning.models import load_model, open_start, write_start
from constraintsuite.tuning.recipe import StartSettings
from tuning.models import SPECIAL, WORDS, write_cross


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
    reader = TaskTokenizer(folder, 30)
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


def test_a_vocabulary_of_fewer_pieces_than_directions_is_refused(tmp_path: Path) -> None:
    large = write_cross(tmp_path / "large", hidden_size=128)
    with pytest.raises(UserError, match=f"{len(WORDS)} word pieces have no 120 main directions"):
        write_small(start(large, hidden=120, heads=4), tmp_path / "small")


def test_capital_letters_stay_where_the_model_knows_them(tmp_path: Path, corpus: Path) -> None:
    words = (*WORDS, "S", "##S")
    large = write_cross(tmp_path / "large", words=words, vocab_size=len(words))
    settings = start(large, vocabulary=len(words) - 1, vocabulary_from=[str(corpus)])
    _, folder = write_small(settings, tmp_path / "small")
    assert {"S", "##S"} <= set(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"])


def test_padding_is_numbered_anew(tmp_path: Path, corpus: Path) -> None:
    words = (*(word for word in WORDS if word not in SPECIAL), *SPECIAL)
    pad = words.index("[PAD]")
    large = write_cross(tmp_path / "large", words=words, pad_token_id=pad)
    small, _ = write_small(start(large, vocabulary=pad, vocabulary_from=[str(corpus)]), tmp_path / "small")
    tokenizer = small.tokenizer
    assert small.get_submodule("0").model.config.pad_token_id == tokenizer.pad_token_id < pad
