from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run, Suite, load_suite
from constraintsuite.experiments.oracle import PAIRS, find_published, find_reproduction, published_results
from constraintsuite.experiments.summary import TruncationAudit
from constraintsuite.models.model_names import parse_model
from experiments.paired_runs import RIGHT, make_examples, make_run


@pytest.mark.parametrize(
    ("model", "published"),
    [
        ("tfidf:nevir", 1.95),
        ("tfidf", None),  # another tf-idf than the paper's
        ("bm25:words", 2.9),
        ("random:3", 25.0),
        ("dense:sentence-transformers/multi-qa-mpnet-base-dot-v1,precision=bf16", 11.1),
        ("dense:models/Multi-QA-MPNet-base-dot-v1/", 11.1),
        ("cross:multi-qa-mpnet-base-dot-v1", None),  # not a cross-encoder
        ("monot5:castorini/monot5-3b-msmarco-10k", 50.6),
        ("http:http://localhost/rerank,model=BAAI/bge-reranker-v2-m3", 43.5),
        ("dpr:a/dpr-question_encoder-single-nq-base|a/dpr-ctx_encoder-multiset-base", 6.8),
        ("dpr,query=a/q,document=a/dpr-ctx_encoder-multiset-base", 6.8),
        ("listwise:gpt-4o,url=http://localhost", 70.1),
        ("listwise:gpt-4o-mini,url=http://localhost", 64.1),
    ],
)
def test_a_model_is_found_by_family_and_checkpoint(model: str, published: float | None) -> None:
    entry = find_published(parse_model(model))
    assert (entry and entry.score) == published


def test_every_published_result_has_a_source_and_a_gate() -> None:
    table = published_results()
    assert {entry.source for entry in table.results} == table.sources.keys()
    assert {entry.kind for entry in table.results} == table.gates.keys()
    assert all(0 < entry.score <= 100 for entry in table.results)
    assert all(bool(entry.families) == bool(entry.names) for entry in table.results)
    called = [(family, name) for entry in table.results for family in entry.families for name in entry.names]
    assert len(called) == len(set(called))


def nevir(folder: Path, *, name: str = "nevir", split: str = "test", pairs: int = PAIRS) -> Suite:
    """A suite that says that it is NevIR, as its importer does."""
    write_jsonl(folder / "examples.jsonl", make_examples(20, 20))
    finish(folder, ArtifactOrigin("suite", name, {}, {"source_split": split}, 0, Revision(1)), {}, {}, 0.0)
    suite = load_suite(folder)
    return replace(suite, examples=(suite.examples * pairs)[:pairs])


def run_with(
    suite: Suite, folder: Path, model: str, percent: float, *, mteb: float = 0.0, cut: int = 0, **facts: str | int
) -> Run:
    """A run of the model with that paired accuracy."""
    run = make_run(replace(suite, examples=suite.examples[:20]), folder, model, [RIGHT] * 20)
    (folder / "model.json").write_text(json.dumps(facts))
    figures = {p: share(mteb if p == "mteb" else percent) for p in ("strict", "half", "random", "mteb")}
    audit = TruncationAudit(PAIRS, cut, share(0), 0, (), {}, {}) if cut else None
    overall: GroupFigures = replace(run.summary.overall, items=len(suite.examples))
    summary = replace(run.summary, overall=overall, ties={"paired_accuracy": figures}, truncation=audit)
    return replace(run, summary=summary)


def share(percent: float) -> Interval:
    return Interval(percent / 100, percent / 100 - 0.01, percent / 100 + 0.01, PAIRS)


@pytest.mark.parametrize(
    ("model", "percent", "within"),
    [
        ("tfidf:nevir", 1.9523, True),
        ("tfidf:nevir", 2.17, False),
        ("bm25:words", 2.96, True),
        ("bm25", 2.24, False),
        ("random", 26.5, True),
        ("cross:qnli-electra-base", 33.2, True),
        ("cross:qnli-electra-base", 32.9, False),
    ],
)
def test_a_run_is_held_against_what_was_published(tmp_path: Path, model: str, percent: float, within: bool) -> None:
    suite = nevir(tmp_path / "suite")
    found = find_reproduction(run_with(suite, tmp_path / "run", model, percent), suite)
    assert found is not None
    assert found.within == within
    assert found.difference == pytest.approx(percent / 100 - found.published, abs=1e-6)
    assert (found.causes == ()) == within
    assert f"reference for {found.model}: {100 * found.published:.1f} %" in str(found)


@pytest.mark.parametrize(
    ("model", "facts", "causes"),
    [
        ("cross:qnli-electra-base", {"precision": "fp32"}, ["no fact about the run explains it"]),
        ("cross:qnli-electra-base", {"precision": "int8"}, ["precision: int8 here"]),
        (
            "cross:qnli-electra-base",
            {"cut": 110, "length": 128},
            ["in 110 of 1,383 pairs the model does not read the deciding words"],
        ),
        ("cross:qnli-electra-base", {"mteb": 34.0}, ["ties: under the rule mteb this run has 34.0 %"]),
        ("colbert:colbertv2.0", {"length": {"query": 32, "document": 180}}, ["protocol: queries of 32"]),
        (
            "colbert:colbertv2.0",
            {"length": {"query": 32, "document": 512}},
            ["length: 512 tokens here, 180", "protocol"],
        ),
        ("colbert:colbertv2.0", {"length": 512}, ["512 tokens here, 180 in the published", "protocol: queries of 32"]),
    ],
)
def test_a_difference_is_explained_by_what_the_run_says(
    tmp_path: Path, model: str, facts: dict[str, Any], causes: list[str]
) -> None:
    suite = nevir(tmp_path / "suite")
    found = find_reproduction(run_with(suite, tmp_path / "run", model, 30.0, **facts), suite)
    assert found is not None
    assert len(found.causes) == len(causes)
    for cause, words in zip(found.causes, causes, strict=True):
        assert words in cause


@pytest.mark.parametrize(
    "settings",
    [{"name": "ours"}, {"split": "validation"}, {"pairs": PAIRS - 1}],
    ids=lambda settings: next(iter(settings)),
)
def test_only_the_whole_test_split_is_held_against_it(tmp_path: Path, settings: dict[str, Any]) -> None:
    suite = nevir(tmp_path / "suite", **settings)
    assert find_reproduction(run_with(suite, tmp_path / "run", "bm25", 2.9), suite) is None


def test_a_model_of_which_nothing_was_published_has_nothing_to_match(tmp_path: Path) -> None:
    suite = nevir(tmp_path / "suite")
    assert find_reproduction(run_with(suite, tmp_path / "run", "dense:my-own", 2.9), suite) is None
