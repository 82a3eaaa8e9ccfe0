from __future__ import annotations

from pathlib import Path

import pytest
import torch
from sentence_transformers import SentenceTransformer
from transformers import DPRContextEncoder, DPRQuestionEncoder

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.torch.tiny_folders import make_dense, make_dpr, word_tokenizer

QUERIES = ["soups without cream", "campsites with dogs", "soups"]
TEXTS = [LEEKS, DOGS, CREAM]
PAIRS = [(query, text) for query in QUERIES for text in TEXTS]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_dpr(tmp_path_factory.mktemp("dpr"))


def library_vectors(kind: type[DPRQuestionEncoder | DPRContextEncoder], folder: Path, texts: list[str]) -> torch.Tensor:
    model = kind.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(**word_tokenizer()(texts, return_tensors="pt", padding=True)).pooler_output


@pytest.mark.parametrize("name", ["dpr:{}|{}", "dpr,query={},document={}"])
def test_scores_are_the_librarys_own(folders: tuple[Path, Path], name: str) -> None:
    queries = library_vectors(DPRQuestionEncoder, folders[0], QUERIES)
    documents = library_vectors(DPRContextEncoder, folders[1], TEXTS)
    ours = load_scorer(f"{name.format(*folders)},threads=1", Workbench()).score(PAIRS)
    assert ours.reshape(3, 3).tolist() == pytest.approx((queries @ documents.T).numpy(), abs=1e-4)


def test_two_folders_of_sentence_transformers_will_do(tmp_path: Path) -> None:
    folders = [make_dense(tmp_path / str(seed), seed) for seed in (1, 2)]
    left, right = (SentenceTransformer(str(folder), device="cpu") for folder in folders)
    ours = load_scorer("dpr:{}|{},threads=1".format(*folders), Workbench()).score(PAIRS)
    theirs = left.encode_query(QUERIES) @ right.encode_document(TEXTS).T
    assert ours.reshape(3, 3).tolist() == pytest.approx(theirs, abs=1e-4)


def test_encoders_that_were_swapped_are_refused(folders: tuple[Path, Path]) -> None:
    with pytest.raises(
        UserError, match="encoder of a query must be a DPRQuestionEncoder, and this is DPRContextEncoder"
    ):
        load_scorer(f"dpr:{folders[1]}|{folders[0]}", Workbench())


@pytest.mark.parametrize(
    "name",
    ["dpr", "dpr:one", "dpr:one|", "dpr,query=one", "dpr:one|two,query=three"],
)
def test_both_encoders_must_be_named_once(name: str) -> None:
    with pytest.raises(UserError, match=r"DPR has two encoders\. Name both"):
        load_scorer(name, Workbench())


def test_encoders_of_different_size_do_not_belong_together(folders: tuple[Path, Path], tmp_path: Path) -> None:
    shorter = make_dense(tmp_path, truncate_dim=4)
    with pytest.raises(
        UserError, match="do not belong together: they give 4 numbers to a document, 16 numbers to a query"
    ):
        load_scorer(f"dpr:{folders[0]}|{shorter},threads=1", Workbench()).score(PAIRS)
