"""Tokens that were read once serve for everything: they must be what the library makes of the same texts."""

from __future__ import annotations

from typing import Any, Literal

import pytest
import torch
from sentence_transformers import SentenceTransformer

from constraintsuite.models.torch import reading
from constraintsuite.models.torch.reading import TextTokens, TokenizerSetup
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.torch.tiny_folders import make_dense

TEXTS = [LEEKS, "soup", DOGS, CREAM]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - one of many classes
    return SentenceTransformer(str(make_dense(tmp_path_factory.mktemp("dense"))), device="cpu").tokenizer


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_batch_is_padded_as_the_tokenizer_does_it(tokenizer: Any, side: Literal["left", "right"]) -> None:  # noqa: ANN401
    tokenizer.padding_side = side
    theirs = tokenizer(TEXTS, padding=True, truncation=True, max_length=9, return_tensors="pt")
    ours = TextTokens(TokenizerSetup(tokenizer, "", 9, 0)).padded(TEXTS)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_what_is_no_longer_remembered_is_read_again(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    monkeypatch.setattr(reading, "_REMEMBERED", 1)
    tokens = TextTokens(TokenizerSetup(tokenizer, "", 9, 0))
    first = [extent.mark for extent in tokens.extents(TEXTS)]
    tokens.extents(["bread", "cheese"])
    assert [extent.mark for extent in tokens.extents(TEXTS)] == first


def test_only_texts_that_are_cut_show_less_than_all(tokenizer: Any) -> None:  # noqa: ANN401
    sizes = TextTokens(TokenizerSetup(tokenizer, "", 5, 0)).extents(["soup", LEEKS, "soup with cream     "])
    assert [extent.visible for extent in sizes] == [4, len("A soup with"), len("soup with cream     ")]
