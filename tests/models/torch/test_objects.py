"""Models of sentence-transformers as objects of the user's, each compared with what the library itself says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer, SparseEncoder
from transformers import BertForSequenceClassification

import constraintsuite as cs
from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.callable import PythonScorer
from experiments.tiny_suite import CREAM, DOGS, LEEKS, write_suite
from models.torch.tiny_folders import (
    bert_config,
    make_asymmetric_splade,
    make_colbert,
    make_dense,
    make_splade,
    save_transformer,
)

QUERIES = ["soups without cream", "campsites with dogs"]
TEXTS = [LEEKS, DOGS, CREAM]
PAIRS = [(query, text) for query in QUERIES for text in TEXTS]


def make_cross(folder: Path, labels: int) -> CrossEncoder:
    config = bert_config()
    config.num_labels = labels
    torch.manual_seed(0)
    return CrossEncoder(str(save_transformer(BertForSequenceClassification(config), folder)), device="cpu")


def score(model: object) -> list[float]:
    return [float(number) for number in PythonScorer("python:mine", model, "", Workbench()).score(PAIRS)]


def test_a_cross_encoder_is_asked_to_predict(tmp_path: Path) -> None:
    model = make_cross(tmp_path, labels=1)
    assert score(model) == pytest.approx(model.predict(PAIRS).tolist())
    with pytest.raises(UserError, match=r"shape \(6, 3\) for 6 pairs, expected one number each"):
        score(make_cross(tmp_path / "nli", labels=3))


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda folder: make_cross(folder, labels=1), {"method": "predict"}),
        (
            lambda folder: SentenceTransformer(str(make_dense(folder)), device="cpu"),
            {"method": "encode", "similarity": "cosine"},
        ),
    ],
    ids=["cross", "dense"],
)
def test_a_model_is_evaluated_under_the_name_of_its_weights(
    tmp_path: Path, make: Callable[[Path], Any], facts: dict[str, str]
) -> None:
    model = make(tmp_path / "model")
    run = cs.evaluate(model, write_suite(tmp_path / "suite"), tmp_path / "runs", quiet=True)
    assert run.model.startswith(f"python:{tmp_path / 'model'}")
    assert json.loads((run.path / "model.json").read_text()) == {"called": "from Python", **facts}


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")  # torch's, from within the library
@pytest.mark.parametrize(
    ("kind", "make"),
    [
        (SentenceTransformer, lambda folder: make_dense(folder, similarity_fn_name="euclidean")),
        (SentenceTransformer, lambda folder: make_dense(folder, prompts={"query": "soups ", "document": "dogs "})),
        (SparseEncoder, make_splade),
        (SparseEncoder, make_asymmetric_splade),
        (MultiVectorEncoder, make_colbert),
    ],
    ids=["euclidean", "prompts", "splade", "asymmetric splade", "colbert"],
)
def test_an_encoder_is_compared_by_its_own_similarity(
    tmp_path: Path, kind: type[SentenceTransformer], make: Callable[[Path], Path]
) -> None:
    model = kind(str(make(tmp_path)), device="cpu")
    theirs = model.similarity(model.encode_query(QUERIES), model.encode_document(TEXTS))
    assert score(model) == pytest.approx(theirs.flatten().tolist(), abs=1e-5)
    assert len(set(score(model))) == len(PAIRS)


class Tensors:
    """What code around torch gives: tensors with gradients, in half precision, or one by one."""

    def __init__(self, convert: Callable[[torch.Tensor], object]) -> None:
        self.encode = lambda texts: convert(torch.tensor([[len(text), 1.0] for text in texts], requires_grad=True))


@pytest.mark.parametrize(
    "convert", [lambda rows: rows, lambda rows: rows.bfloat16(), list], ids=["grad", "half", "list"]
)
def test_tensors_are_taken_as_they_come(convert: Callable[[torch.Tensor], object]) -> None:
    lengths = [(len(query), len(text)) for query, text in PAIRS]
    cosines = [(q * t + 1) / ((q * q + 1) * (t * t + 1)) ** 0.5 for q, t in lengths]
    assert score(Tensors(convert)) == pytest.approx(cosines)


@pytest.mark.parametrize("convert", [torch.tensor, lambda numbers: list(torch.tensor(numbers))], ids=["tensor", "list"])
def test_scores_may_be_tensors(convert: Callable[[list[float]], object]) -> None:
    expected = [float(len(text)) for _, text in PAIRS]
    assert score(lambda pairs: convert([float(len(text)) for _, text in pairs])) == expected
