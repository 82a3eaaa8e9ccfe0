from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import T5ForConditionalGeneration

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.torch.monot5 import MonoT5Scorer
from experiments.tiny_suite import DOGS, LEEKS
from models.reading import characters_read
from models.torch.tiny_folders import make_bert, make_monot5, piece_tokenizer

PAIRS = [(query, text) for query in ("soups without cream", "campsites with dogs", "soups") for text in (LEEKS, DOGS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_monot5(tmp_path_factory.mktemp("monot5"))


def load(name: object) -> MonoT5Scorer:
    scorer = load_scorer(f"monot5:{name},threads=1", Workbench())
    assert isinstance(scorer, MonoT5Scorer)
    return scorer


def library_scores(folder: Path, words: tuple[str, str]) -> list[float]:
    """How probable the first of two words is as the first thing that the whole model would say."""
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    tokenizer = piece_tokenizer()
    places = tokenizer.convert_tokens_to_ids([f"▁{word}" for word in words])
    scores = []
    for query, text in PAIRS:
        read = tokenizer(f"Query: {query} Document: {text} Relevant:", return_tensors="pt")
        with torch.inference_mode():
            said = model.generate(**read, max_new_tokens=1, output_logits=True, return_dict_in_generate=True)
        scores.append(said.logits[0][0, places].log_softmax(0)[0].item())
    return scores


@pytest.mark.parametrize("words", [("true", "false"), ("yes", "no")])
def test_scores_are_the_log_probability_of_the_first_word(folder: Path, words: tuple[str, str]) -> None:
    ours = load(f"{folder},tokens={'/'.join(words)}").score(PAIRS)
    assert ours.tolist() == pytest.approx(library_scores(folder, words), abs=1e-5)
    assert ours.max() < 0


def test_two_texts_of_which_the_model_is_sure_are_no_tie(tmp_path: Path) -> None:
    folder = make_monot5(tmp_path)
    weights = load_file(folder / "model.safetensors")
    true, false = piece_tokenizer().convert_tokens_to_ids(["▁true", "▁false"])
    head = weights["shared.weight"].clone()
    head[[true, false]] = 80 * head[[false, true]]  # what it leant to a little, it now denies for certain
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
    save_file({**weights, "lm_head.weight": head}, folder / "model.safetensors", {"format": "pt"})
    rounded = library_scores(folder, ("true", "false"))
    ours = load(folder).score(PAIRS).tolist()
    assert rounded.count(0.0) > 1
    assert len(set(ours)) == len(PAIRS)
    assert ours == pytest.approx(rounded, abs=1e-5)


@pytest.mark.parametrize("length", [14, 16, 20])
def test_only_the_text_is_cut_and_the_question_stays(folder: Path, length: int) -> None:
    scorer = load(f"{folder},length={length}")
    (ids,) = scorer.prepare([("soups", LEEKS)])
    (seen,) = characters_read(scorer, [("soups", LEEKS)]) or [0]
    assert len(ids) == min(length, 17)
    assert ids.tolist() == piece_tokenizer().encode(f"Query: soups Document: {LEEKS[:seen]} Relevant:")


def test_a_text_that_is_cut_scores_as_its_beginning_does(folder: Path) -> None:
    scorer = load(f"{folder},length=14")
    whole, beginning = scorer.score([("soups", LEEKS), ("soups", "A soup with leeks and")])
    assert whole == beginning
    assert scorer.describe()["texts_cut"] == 1


def test_a_query_that_leaves_no_room_for_the_text_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match=r"with the query 'soups soups .* nothing of a text fits into 20 tokens"):
        load(f"{folder},length=20").score([("soups " * 15, LEEKS)])


@pytest.mark.parametrize(
    ("tokens", "words"),
    [("true/wrong", "'wrong' is not one token"), ("true", "tokens"), ("true/false/maybe", "tokens")],
)
def test_answers_must_be_two_tokens_of_the_model(folder: Path, tokens: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load(f"{folder},tokens={tokens}").score(PAIRS)


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="kinds t5, mt5, umt5, and this is 'bert'"):
        load(make_bert(tmp_path / "bert"))
