"""What holds for every neural family that torch runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from constraintsuite.app.cli.evaluate import eval_command
from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from experiments.tiny_suite import EXAMPLES, LEEKS, write_suite
from models.reading import characters_read
from models.torch.tiny_folders import MAKERS

PAIRS = [
    (query, document.text)
    for example in EXAMPLES
    for query in (example.query, example.opposite or "")
    for document in (example.satisfying, example.violating)
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The model string of each family."""
    return {family: make(tmp_path_factory.mktemp(family), 0) for family, make in MAKERS.items()}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("family", MAKERS)
def test_a_suite_is_evaluated(family: str, models: dict[str, str], tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    arguments = [str(suite), "--model", models[family], "--out", str(tmp_path / "runs"), "--json"]
    result = CliRunner().invoke(eval_command, arguments, catch_exceptions=False)
    (entry,) = json.loads(result.stdout)
    run = Path(entry["run"])
    scores = [json.loads(line)["score"] for line in (run / "scores.jsonl").read_text().splitlines()]
    assert len(set(scores)) > len(scores) / 2
    assert '"backend": "torch"' in (run / "model.json").read_text()


@pytest.mark.parametrize("family", MAKERS)
def test_a_rerun_computes_nothing_and_says_the_same(
    family: str, models: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Workbench(cache=tmp_path / "scores")
    first = load_scorer(models[family], bench)
    scores = first.score(PAIRS)
    again = load_scorer(models[family], bench)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a model was run")

    monkeypatch.setattr(torch.nn.Module, "__call__", refuse)
    assert again.score(PAIRS).tolist() == scores.tolist()
    assert again.describe() == first.describe()  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", MAKERS)
def test_scores_do_not_depend_on_order_or_repetition(family: str, models: dict[str, str]) -> None:
    scorer = load_scorer(models[family], Workbench())
    scores = dict(zip(PAIRS, scorer.score(PAIRS).tolist(), strict=True))
    mixed = [*PAIRS[::-1], PAIRS[0]]
    assert scorer.score(mixed).tolist() == pytest.approx([scores[pair] for pair in mixed], abs=1e-5)


@pytest.mark.parametrize("family", MAKERS)
def test_the_fingerprint_tells_weights_and_options_apart(family: str, models: dict[str, str], tmp_path: Path) -> None:
    name = models[family]
    names = [
        name,
        MAKERS[family](tmp_path, 5),
        f"{name},length=8",
        f"{name},precision=bf16",
        name.replace("threads=1", "threads=2"),
    ]
    marks = [load_scorer(each, Workbench()).fingerprint for each in (name, *names)]
    assert marks[0] == marks[1]
    assert len(set(marks)) == len(names)


@pytest.mark.parametrize("family", MAKERS)
def test_what_is_cut_is_not_read(family: str, models: dict[str, str]) -> None:
    length = 15 if family == "monot5" else 8
    scorer = load_scorer(f"{models[family]},length={length}", Workbench())
    (seen,) = characters_read(scorer, [("soups", LEEKS)]) or [0]
    assert 0 < seen < len(LEEKS)
    beginning = LEEKS[:seen]
    twins = [("soups", LEEKS), ("soups", f"{beginning} and much more than that of showers and of dogs.")]
    assert len(set(scorer.score(twins).tolist())) == 1
    assert characters_read(scorer, [("soups", beginning)]) == [len(beginning)]


@pytest.mark.parametrize("family", [family for family in MAKERS if family != "monot5"])  # which cuts by itself
def test_a_model_that_reads_the_end_claims_no_beginning(family: str, tmp_path: Path) -> None:
    name = MAKERS[family](tmp_path, 3)
    for config in tmp_path.rglob("tokenizer_config.json"):
        config.write_text(json.dumps({**json.loads(config.read_text()), "truncation_side": "left"}))
    scorer = load_scorer(f"{name},length=8", Workbench())
    assert characters_read(scorer, [("a", "b")]) is None
    twins = [("soups", f"much more than that of showers and of dogs. {LEEKS}"), ("soups", LEEKS)]
    assert len(set(scorer.score(twins).tolist())) == 1
    assert '"cut": "left"' in json.dumps(scorer.describe())  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", MAKERS)
def test_half_precision_is_near_but_not_the_same(family: str, models: dict[str, str]) -> None:
    full = load_scorer(models[family], Workbench()).score(PAIRS)
    half = load_scorer(f"{models[family]},precision=bf16", Workbench()).score(PAIRS)
    assert not np.array_equal(full, half)
    assert np.corrcoef(full, half)[0, 1] > 0.95


@pytest.mark.parametrize("family", MAKERS)
def test_a_batch_that_does_not_fit_is_halved(
    family: str, models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = load_scorer(models[family], Workbench()).score(PAIRS)
    forward = torch.nn.Embedding.forward

    def forward_of_one(self: torch.nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
        if self.num_embeddings > 40 and len(tokens) > 1:  # the table of words, not that of positions
            raise torch.OutOfMemoryError("the device is full")
        return forward(self, tokens)

    monkeypatch.setattr(torch.nn.Embedding, "forward", forward_of_one)
    bench = Workbench()
    assert load_scorer(models[family], bench).score(PAIRS) == pytest.approx(scores, abs=1e-5)
    assert any("did not fit into memory and was halved" in event for event in bench.events)


@pytest.mark.parametrize("family", MAKERS)
def test_no_pairs_no_scores(family: str, models: dict[str, str]) -> None:
    assert load_scorer(models[family], Workbench()).score([]).tolist() == []


@pytest.mark.parametrize("family", MAKERS)
def test_a_model_that_is_not_there_is_told_with_the_way_to_get_it(family: str) -> None:
    argument = "some/model|some/other" if family == "dpr" else "some/model"
    backend = ",backend=torch" if family == "dense" else ""
    with pytest.raises(UserError, match="csuite fetch some/model"):
        load_scorer(f"{family}:{argument}{backend}", Workbench())


@pytest.mark.parametrize("family", MAKERS)
def test_a_missing_extra_is_named(family: str, models: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"constraintsuite\[torch\]"):
        load_scorer(models[family], Workbench())


@pytest.mark.parametrize("family", MAKERS)
def test_pickled_weights_are_not_read(family: str, tmp_path: Path) -> None:
    name = MAKERS[family](tmp_path, 0)
    for file in tmp_path.rglob("model.safetensors"):
        file.rename(file.with_name("pytorch_model.bin"))
    with pytest.raises(UserError, match="pickle"):
        load_scorer(name, Workbench())


@pytest.mark.parametrize("family", sorted(MAKERS.keys() - {"monot5"}))  # which has no table of positions
def test_a_length_beyond_the_positions_is_refused(family: str, models: dict[str, str]) -> None:
    with pytest.raises(UserError, match="length=65, but the model"):
        load_scorer(f"{models[family]},length=65", Workbench())


def test_an_unknown_option_is_answered_with_those_there_are(models: dict[str, str]) -> None:
    with pytest.raises(UserError, match="Options: precision: fp32, bf16 or fp16; length: most tokens"):
        load_scorer(f"{models['colbert']},speed=high", Workbench())
