from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import DenseSettings
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.torch.encoder import make_torch_encoder
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.torch.tiny_folders import make_bert, make_dense, make_masked_lm

QUERIES = ["soups without cream", "campsites with dogs", "soups"]
TEXTS = [LEEKS, DOGS, CREAM]
PROMPTS = {"query": "rye bread with ", "document": "a campsite by the sea "}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dense(tmp_path_factory.mktemp("dense"), prompts=PROMPTS)


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean", "manhattan"])
def test_scores_are_the_librarys_own(tmp_path: Path, similarity: str) -> None:
    folder = make_dense(tmp_path, prompts=PROMPTS, similarity_fn_name=similarity)
    library = SentenceTransformer(str(folder), device="cpu")
    theirs = library.similarity(library.encode_query(QUERIES), library.encode_document(TEXTS))
    pairs = [(query, text) for query in QUERIES for text in TEXTS]
    ours = load_scorer(f"dense:{folder},backend=torch,threads=1", Workbench()).score(pairs)
    assert ours.reshape(3, 3).tolist() == pytest.approx(theirs.numpy(), abs=1e-5)


def test_a_prompt_for_passages_is_one_for_documents(tmp_path: Path) -> None:
    folder = make_dense(tmp_path, prompts={"passage": "rye bread with "})
    theirs = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, prompt_name="passage")
    ours = make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(TEXTS, "document")
    assert ours == pytest.approx(theirs, abs=1e-5)


def test_a_prompt_of_the_users_stands_in_place_of_the_models(folder: Path) -> None:
    theirs = SentenceTransformer(str(folder), device="cpu").encode(QUERIES, prompt="where are ")
    ours = make_torch_encoder(folder, DenseSettings(threads=1, query_prompt="where are "), Workbench()).encode(
        QUERIES, "query"
    )
    assert ours == pytest.approx(theirs, abs=1e-5)


def test_a_prompt_takes_its_share_of_the_length(folder: Path) -> None:
    encoder = make_torch_encoder(folder, DenseSettings(threads=1, length=10), Workbench())
    seen = encoder.visible(TEXTS, "document")  # type: ignore[attr-defined]
    assert [text[:n] for text, n in zip(TEXTS, seen, strict=True)] == ["A soup with", "A campsite in", "A soup with"]


def test_vectors_are_cut_as_the_model_says(tmp_path: Path) -> None:
    folder = make_dense(tmp_path, truncate_dim=4)
    vectors = make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(TEXTS, "document")
    assert vectors == pytest.approx(SentenceTransformer(str(folder), device="cpu").encode_document(TEXTS), abs=1e-5)
    assert vectors.shape == (3, 4)


def test_equal_texts_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    forward = SentenceTransformer.forward

    def counting(self: SentenceTransformer, features: dict[str, torch.Tensor], **options: object) -> object:
        read.append(len(features["input_ids"]))
        return forward(self, features, **options)

    monkeypatch.setattr(SentenceTransformer, "forward", counting)
    vectors = make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(
        [LEEKS, DOGS, LEEKS, LEEKS], "document"
    )
    assert sum(read) == 2
    assert np.array_equal(vectors[0], vectors[2])


def test_a_plain_transformer_needs_to_be_told_how_to_pool(tmp_path: Path) -> None:
    bert = make_bert(tmp_path / "bert")
    with pytest.raises(UserError, match="Say it if you know it: pooling=mean"):
        make_torch_encoder(bert, DenseSettings(threads=1), Workbench())
    told = make_torch_encoder(bert, DenseSettings(threads=1, pooling="cls"), Workbench()).encode(TEXTS, "document")
    library = SentenceTransformer(str(bert), device="cpu")  # the mean, as it takes it by itself
    library[1].pooling_mode = "cls"
    assert told == pytest.approx(library.encode(TEXTS), abs=1e-5)


def test_a_model_that_says_how_to_pool_is_not_told_otherwise(folder: Path) -> None:
    with pytest.raises(UserError, match=r"pooling=cls, but its files say \['mean'\]"):
        make_torch_encoder(folder, DenseSettings(threads=1, pooling="cls"), Workbench()).encode(TEXTS, "document")


def test_weights_that_are_not_there_are_not_made_up(tmp_path: Path) -> None:
    folder = make_dense(tmp_path / "dense")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(UserError, match=r"16 weights of a BertModel are not in its files, such as encoder\.layer\.2"):
        make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(TEXTS, "document")


def test_a_folder_that_cannot_be_loaded_is_told_in_one_line(tmp_path: Path) -> None:
    folder = make_dense(tmp_path)
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(UserError, match=r"model: this model cannot be loaded: .+") as told:
        make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(TEXTS, "document")
    assert "\n" not in str(told.value)


def test_the_models_own_code_is_not_run(tmp_path: Path) -> None:
    folder = make_dense(tmp_path)
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "own_code.Pooling"
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "own_code.py").write_text("raise SystemExit('it was run')\n")
    with pytest.raises(UserError, match="say trust=yes"):
        make_torch_encoder(folder, DenseSettings(threads=1), Workbench()).encode(TEXTS, "document")


def test_a_masked_language_model_is_no_bi_encoder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no modules\.json"):
        make_torch_encoder(make_masked_lm(tmp_path / "mlm"), DenseSettings(threads=1), Workbench())
