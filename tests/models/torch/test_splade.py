from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sentence_transformers import SparseEncoder

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.torch.splade import SpladeScorer
from experiments.tiny_suite import CREAM, DOGS, LEEKS
from models.reading import characters_read
from models.torch.tiny_folders import make_asymmetric_splade, make_dense, make_masked_lm, make_splade

QUERIES = ["soups without cream", "campsites with dogs", "soups"]
TEXTS = [LEEKS, DOGS, CREAM]
PAIRS = [(query, text) for query in QUERIES for text in TEXTS]


def load(name: object) -> SpladeScorer:
    scorer = load_scorer(f"splade:{name},threads=1", Workbench())
    assert isinstance(scorer, SpladeScorer)
    return scorer


@pytest.mark.parametrize("make", [make_splade, make_asymmetric_splade])
def test_scores_are_the_librarys_own(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    folder = make(tmp_path)
    library = SparseEncoder(str(folder), device="cpu")
    theirs = library.encode_query(QUERIES).to_dense() @ library.encode_document(TEXTS).to_dense().T
    ours = load(folder).score(PAIRS)
    assert ours.reshape(3, 3).tolist() == pytest.approx(theirs.numpy(), abs=1e-4)


def test_a_plain_masked_language_model_is_read_as_splade_does(tmp_path: Path) -> None:
    saved = make_splade(tmp_path)
    scores = [load(folder).score(PAIRS) for folder in (saved, tmp_path / "mlm")]
    assert scores[0].tolist() == scores[1].tolist()


def test_the_number_of_words_may_be_limited_by_the_model(tmp_path: Path) -> None:
    folder = make_splade(tmp_path)
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "max_active_dims": 5}))
    library = SparseEncoder(str(folder), device="cpu")
    theirs = library.similarity_pairwise(
        library.encode_query([query for query, _ in PAIRS]), library.encode_document([text for _, text in PAIRS])
    )
    scorer = load(folder)
    assert scorer.score(PAIRS).tolist() == pytest.approx(theirs.tolist(), abs=1e-4)
    assert scorer.describe()["active_dimensions"] == {"queries": 5.0, "documents": 5.0}


def test_it_says_how_many_words_a_text_has(tmp_path: Path) -> None:
    folder = make_asymmetric_splade(tmp_path)
    scorer = load(folder)
    scorer.score(PAIRS)
    library = SparseEncoder(str(folder), device="cpu")
    documents = int((library.encode_document(TEXTS).to_dense() > 0).sum()) / len(TEXTS)
    # A query has its own words alone: three, three and one.
    assert scorer.describe()["active_dimensions"] == {"queries": pytest.approx(7 / 3), "documents": documents}


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is not a SPLADE model"):
        load(make_dense(tmp_path))


def test_a_head_that_is_not_there_is_not_made_up(tmp_path: Path) -> None:
    make_dense(tmp_path)
    folder = tmp_path / "bert"
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    with pytest.raises(UserError, match=r"weights of a BertForMaskedLM are not in its files, such as cls\.predictions"):
        load(folder).score(PAIRS)


def test_another_similarity_is_refused(tmp_path: Path) -> None:
    folder = make_splade(tmp_path)
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "similarity_fn_name": "cosine"}))
    with pytest.raises(UserError, match="compared by cosine"):
        load(folder)


def test_a_masked_language_model_cut_short_reads_what_fits(tmp_path: Path) -> None:
    scorer = load(f"{make_masked_lm(tmp_path / 'mlm')},length=5")
    assert characters_read(scorer, [("soups", LEEKS)]) == [len("A soup with")]
