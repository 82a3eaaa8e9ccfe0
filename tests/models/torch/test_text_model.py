"""Tokens that were read once serve for everything: they must be what the library makes of the same texts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import torch

from constraintsuite.models.backends import DenseSettings
from constraintsuite.models.torch.encoder import DenseModel
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.text_model import TextModel
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.torch.tiny_folders import make_dense

TEXTS = [LEEKS, "soup", DOGS, CREAM]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dense(tmp_path_factory.mktemp("dense"))


def load(folder: Path, length: int) -> DenseModel:
    return DenseModel(ModelFolder(folder), DenseSettings(threads=1, length=length))


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_batch_is_padded_as_the_tokenizer_does_it(folder: Path, side: Literal["left", "right"]) -> None:
    model = load(folder, 9)
    tokenizer = model.tokenizer("document")
    tokenizer.padding_side = side
    theirs = tokenizer(TEXTS, padding=True, truncation=True, max_length=9, return_tensors="pt")
    ours = TextModel.features(model, TEXTS, "document")
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_only_texts_that_are_cut_show_less_than_all(folder: Path) -> None:
    seen = load(folder, 5).visible(["soup", LEEKS, "soup with cream     "], "document")
    assert seen.tolist() == [4, len("A soup with"), len("soup with cream     ")]


def test_texts_that_differ_behind_the_cut_have_one_mark(folder: Path) -> None:
    short, long, other = load(folder, 5).marks(["A soup with leeks", "A soup with dogs", "A soup"], "document")
    assert short == long != other
