from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import MultiVectorEncoder

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.torch.colbert import ColbertScorer
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.reading import characters_read
from models.torch.tiny_folders import HIDDEN, make_bert, make_colbert, make_dense

QUERIES = ["soups without cream", "campsites with dogs", "soups"]
TEXTS = [LEEKS, DOGS, CREAM]
PAIRS = [(query, text) for query in QUERIES for text in TEXTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_colbert(tmp_path_factory.mktemp("colbert"))


def load(name: object) -> ColbertScorer:
    scorer = load_scorer(f"colbert:{name},threads=1", Workbench())
    assert isinstance(scorer, ColbertScorer)
    return scorer


@pytest.mark.parametrize("similarity", ["maxsim", "meanmaxsim"])
def test_scores_are_the_librarys_own(tmp_path: Path, similarity: str) -> None:
    folder = make_colbert(tmp_path, similarity=similarity)
    library = MultiVectorEncoder(str(folder), device="cpu")
    theirs = library.similarity(library.encode_query(QUERIES), library.encode_document(TEXTS))
    assert load(folder).score(PAIRS).reshape(3, 3).tolist() == pytest.approx(theirs.numpy(), abs=1e-5)


def test_a_checkpoint_of_colbert_itself_is_read(tmp_path: Path) -> None:
    folder = make_bert(tmp_path / "bert")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    weights = {f"bert.{name}": weight for name, weight in load_file(folder / "model.safetensors").items()}
    torch.manual_seed(1)
    save_file({**weights, "linear.weight": torch.randn(8, HIDDEN)}, folder / "model.safetensors", {"format": "pt"})
    (folder / "artifact.metadata").write_text(json.dumps({"query_maxlen": 12, "doc_maxlen": 30}))
    library = MultiVectorEncoder(str(folder), device="cpu")
    theirs = library.similarity(library.encode_query(QUERIES), library.encode_document(TEXTS))
    scorer = load(folder)
    assert scorer.score(PAIRS).reshape(3, 3).tolist() == pytest.approx(theirs.numpy(), abs=1e-5)
    assert scorer.describe()["length"] == {"query": 12, "document": 30}


def test_the_similarities_behind_a_score_can_be_shown(folder: Path) -> None:
    scorer = load(folder)
    shown = scorer.maxsim("soups without cream", CREAM)
    assert shown.query_tokens == (
        ("[CLS]", "[unused0]", "soups", "without", "cream", "[SEP]", "[MASK]", "[MASK]", "[MASK]", "[MASK]")
    )
    assert shown.document_tokens == (
        ("[CLS]", "[unused1]", "a", "soup", "with", "cream", "and", "no", "leeks", "[SEP]")  # no full stop
    )
    (score,) = scorer.score([("soups without cream", CREAM)])
    assert shown.matrix.max(axis=1).sum() == pytest.approx(score, abs=1e-5)
    assert np.abs(shown.matrix).max() <= 1 + 1e-5


@pytest.mark.parametrize(("option", "length"), [("", 48), (",length=60", 60), (",length=8", 8)])
def test_texts_are_read_to_the_models_own_length_unless_told(folder: Path, option: str, length: int) -> None:
    scorer = load(f"{folder}{option}")
    long = "soup " * 100
    assert scorer.describe()["length"] == {"query": 10, "document": length}
    assert len(scorer.maxsim("soups", long).document_tokens) == length
    assert characters_read(scorer, [("soups", long)]) == [len("soup " * (length - 3)) - 1]


def test_what_is_cut_is_counted(folder: Path) -> None:
    scorer = load(folder)
    scorer.score([("soups", CREAM), ("soups with leeks and no cream and no leeks", CREAM), ("soups", "soup " * 50)])
    described = scorer.describe()
    assert (described["queries_cut"], described["documents_cut"]) == (1, 1)


def test_a_dense_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is not a ColBERT model"):
        load(make_dense(tmp_path))


def test_one_document_may_have_many_queries_and_another_few(folder: Path) -> None:
    pairs = [(query, LEEKS) for query in QUERIES] + [("soups", DOGS), ("campsites", DOGS)]
    scorer = load(folder)
    assert scorer.score(pairs).tolist() == pytest.approx([scorer.score([pair])[0] for pair in pairs], abs=1e-5)
