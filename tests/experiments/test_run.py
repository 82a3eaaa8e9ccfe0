from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.load import find_suite, load_run, load_suite
from constraintsuite.experiments.run import evaluate_suite, evaluate_suites, run_folder
from constraintsuite.experiments.scoring import PairScore, pairs_of
from constraintsuite.experiments.summary import audit_truncation
from constraintsuite.models.lexical import Bm25Scorer
from experiments.paired_runs import make_run, make_suite
from experiments.tiny_suite import CONTROLS, CREAMLESS, EXAMPLES, LOUD, write_suite

SILENT = Silent()


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def test_a_run_holds_every_score_every_result_and_every_figure(suite: Path, tmp_path: Path) -> None:
    artifact = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    assert artifact.verify() == []
    assert set(artifact.manifest.files) == {"scores.jsonl", "examples.jsonl", "summary.json"}
    assert artifact.manifest.counts == {"examples": 5, "controls": 3, "pairs": 32}
    scores = list(read_jsonl(tmp_path / "run" / "scores.jsonl", PairScore))
    assert scores == sorted(scores, key=lambda row: (row.query, row.document))
    assert max(Counter((row.query, row.document) for row in scores).values()) == 1
    assert [result.id for result in load_run(tmp_path / "run").results] == [e.id for e in (*EXAMPLES, *CONTROLS)]


def test_the_figures_are_those_worked_out_by_hand(suite: Path, tmp_path: Path) -> None:
    evaluate_suite(suite, "bm25:nostop", tmp_path / "run", SILENT)
    run = load_run(tmp_path / "run")
    # BM25 wants the words of the query: only "campsites without showers" finds its "without" in the right text.
    assert {r.id: r.outcomes["query"] for r in run.results} == {
        "creamless": "tie",  # both soups have the same words
        "leekless": "tie",
        "dogless": "wrong",
        "showerless": "right",
        "nutless": "wrong",
        "loud": "tie",
        "orphan": "tie",
        "idiom": "right",
    }
    overall = run.summary.overall
    assert overall.metrics["accuracy"].value == 1 / 5
    assert overall.metrics["tie_rate"].value == 2 / 5
    assert (overall.items, overall.clusters, overall.wide) == (5, 3, True)  # soups, campsites, bread
    couple = overall.metrics["couple_accuracy"]
    assert (couple.value, couple.n) == (0.0, 1)


def test_controls_stand_apart_from_the_main_examples(suite: Path, tmp_path: Path) -> None:
    evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    by = load_run(tmp_path / "run").summary.by
    sizes = {grouping: {key: group.items for key, group in groups.items()} for grouping, groups in by.items()}
    assert sizes == {
        "slice": {
            "adversarial": 1,
            "nonflip": 2,
            "explicit": 2,
            "minpairs": 2,
            "omission": 1,
        },
        "split": {"test": 5},
        "domain": {"food": 3, "travel": 2},
        "relation": {"contains": 5},
        "edited": {"edited": 2, "natural": 3},
        "edit": {"natural": 3, "swap": 2},
        "constraint": {"exclude": 5},
        "cue": {"without": 5},
        "template": {"without": 5},
        "difficulty": {"easy": 5},
        "overlap": {"high": 5},
        "length": {"short": 5},
        "explicitness": {"explicit": 5},
        "control": {"case": 1, "idiom": 1, "punctuation": 1},
    }
    for metric, value in (("invariance", 1.0), ("flip_rate", 0.0)):
        figure = by["slice"]["nonflip"].metrics[metric]
        assert (figure.value, figure.n) == (value, 1)  # the orphan's original is not in the suite
    exclusion = by["slice"]["adversarial"].metrics["opposite_accuracy"]
    assert (exclusion.value, exclusion.n) == (0.0, 1)


def test_a_second_run_computes_nothing(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    written = {file: file.stat().st_mtime_ns for file in (tmp_path / "run").glob("*.json*")}

    def refuse(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(Bm25Scorer, "score", refuse)
    assert evaluate_suite(suite, "bm25", tmp_path / "run", SILENT).manifest == first.manifest
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "run").glob("*.json*")} == written


def test_another_seed_or_state_of_the_suite_is_another_run(suite: Path, tmp_path: Path) -> None:
    first = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT).manifest
    second = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT, seed=1).manifest
    write_suite(suite, EXAMPLES[:3], ())
    third = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT, seed=1).manifest
    assert len({manifest.fingerprint for manifest in (first, second, third)}) == 3
    assert third.counts["controls"] == 0
    assert first.files["scores.jsonl"] == second.files["scores.jsonl"]


def test_the_same_inputs_give_the_same_bytes(suite: Path, tmp_path: Path) -> None:
    one, other = (evaluate_suite(suite, "random:3", tmp_path / name, SILENT) for name in ("one", "other"))
    assert one.manifest == other.manifest


def test_an_interrupted_run_is_finished_by_the_next(suite: Path, tmp_path: Path) -> None:
    whole = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    (tmp_path / "run" / "manifest.json").unlink()
    (tmp_path / "run" / ".working").write_text(whole.manifest.fingerprint)
    (tmp_path / "run" / "scores.jsonl").write_text("half a l")
    assert evaluate_suite(suite, "bm25", tmp_path / "run", SILENT).manifest == whole.manifest


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("notes", "thesis.tex: this is not part of the run"),
        ("suite", "this folder already holds the suite 'tiny'"),
        ("file", "this is a file"),
    ],
)
def test_nothing_of_others_is_overwritten(suite: Path, tmp_path: Path, out: str, words: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "thesis.tex").write_text("precious")
    (tmp_path / "file").write_text("precious")
    with pytest.raises(UserError, match=words):
        evaluate_suite(suite, "bm25", tmp_path / out, SILENT)
    assert (tmp_path / "notes" / "thesis.tex").read_text() == "precious"
    assert Artifact.open(suite).verify() == []


def test_a_run_knows_where_its_suite_lies(suite: Path, tmp_path: Path) -> None:
    evaluate_suite(suite, "bm25", tmp_path / "runs" / "bm25", SILENT)
    assert find_suite(tmp_path / "runs" / "bm25") == suite.resolve()
    suite.rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"the run or the suite was moved or copied.*--suite FOLDER"):
        find_suite(tmp_path / "runs" / "bm25")


@pytest.mark.parametrize(
    ("suite_name", "model", "folder"),
    [
        ("tiny", "bm25", "runs/tiny/bm25"),
        ("tiny", "tfidf:nevir", "runs/tiny/tfidf-nevir"),
        ("my suite/v1", "http:http://localhost/rerank", "runs/my-suite-v1/http-http-localhost-rerank"),
        ("tiny", "bm25 > cross:./a/b.c,max_length=128", "runs/tiny/bm25-cross-.-a-b.c-max_length-128"),
        ("../..", "..", "runs/--fa3c7c45/unnamed-411e1b03"),  # what cannot be told from the rest gets a hash
        ("tiny", "dense:x,query_prompt=query: ", "runs/tiny/dense-x-query_prompt-query--93a70d7d"),
        ("tiny", "dense:x,query_prompt=query:", "runs/tiny/dense-x-query_prompt-query--956cf69d"),
    ],
)
def test_each_model_has_its_folder(suite_name: str, model: str, folder: str) -> None:
    assert run_folder(Path("runs"), suite_name, model) == Path(folder)


def test_a_name_too_long_for_a_file_is_cut_and_still_its_own() -> None:
    one, other = (run_folder(Path("runs"), "tiny", f"dpr:{'a/' * 150}{end}").name for end in "bc")
    assert one != other
    assert len(one) == len(other) == 129


def test_several_models_are_checked_before_the_first_is_run(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="bm26"):
        evaluate_suites(suite, ["bm25", "bm26"], tmp_path / "runs", SILENT)
    assert not (tmp_path / "runs").exists()
    runs = evaluate_suites(suite, ["bm25", "tfidf", "bm25"], tmp_path / "runs", SILENT)
    assert [run.path.name for run in runs] == ["bm25", "tfidf"]


def test_a_suite_without_controls_is_a_suite(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "examples.jsonl", EXAMPLES)
    finish(tmp_path, ArtifactOrigin("suite", "bare", {}, {}, 0, Revision(1)), {"examples": len(EXAMPLES)}, {}, 0.0)
    write_jsonl(tmp_path / "controls.jsonl", CONTROLS)  # put there by somebody: no part of the suite
    assert load_suite(tmp_path).controls == ()


def test_a_suite_without_examples_is_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", ())
    with pytest.raises(UserError, match="the suite is empty"):
        load_suite(suite)


def test_a_suite_changed_by_hand_is_refused(suite: Path) -> None:
    with (suite / "examples.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(UserError, match="changed since the suite was made"):
        load_suite(suite)


@pytest.mark.parametrize(
    ("examples", "controls", "words"),
    [
        ([CREAMLESS, CREAMLESS], [], "'creamless'"),
        ([CREAMLESS], [replace(LOUD, id="creamless")], "'creamless'"),
        ([LOUD], [], "examples.jsonl: loud is a control"),
        ([CREAMLESS], [replace(CREAMLESS, id="stray")], "controls.jsonl: stray is a main example"),
    ],
)
def test_a_muddled_suite_is_refused(
    tmp_path: Path, examples: list[Example], controls: list[Example], words: str
) -> None:
    suite = write_suite(tmp_path / "suite", examples, controls)
    with pytest.raises(UserError, match=words):
        load_suite(suite)


def test_a_run_is_no_suite_and_a_suite_no_run(suite: Path, tmp_path: Path) -> None:
    evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    with pytest.raises(UserError, match="this is a run, not a suite"):
        load_suite(tmp_path / "run")
    with pytest.raises(UserError, match="this is a suite, not a run"):
        load_run(suite)


@pytest.mark.parametrize("name", ["summary.json", "examples.jsonl", "scores.jsonl", "model.json"])
def test_a_run_of_which_a_file_was_changed_is_refused(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "lengths.py").write_text("def score(pairs):\n    return [len(text) for _, text in pairs]\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = evaluate_suite(suite, "python:lengths:score", tmp_path / "run", SILENT).path / name
    file.write_text(file.read_text().replace("1", "2"))
    with pytest.raises(UserError, match=rf"{name}: changed since the run was made"):
        load_run(tmp_path / "run")
    file.unlink()
    with pytest.raises(UserError, match=rf"{name}: deleted since the run was made"):
        load_run(tmp_path / "run")


def test_a_run_of_which_a_file_was_changed_is_made_again_by_the_same_command(suite: Path, tmp_path: Path) -> None:
    before = evaluate_suite(suite, "bm25", tmp_path / "run", SILENT)
    (tmp_path / "run" / "scores.jsonl").write_text("")
    assert evaluate_suite(suite, "bm25", tmp_path / "run", SILENT).manifest == before.manifest
    assert before.verify() == []


def test_the_same_examples_have_the_same_interval_in_every_table(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", 400, 200)  # so many that other draws would give other bounds
    gaps = [(float(x), -1.0) for x in np.random.default_rng(1).normal(0, 1, 400)]
    run = make_run(suite, tmp_path / "run", "a", gaps)
    overall = run.summary.overall.metrics
    assert run.summary.by["split"]["test"].metrics == overall
    assert run.summary.ties is not None
    visible = {pair: 1_000 for pair in pairs_of(suite.examples)}
    audit = audit_truncation(suite.examples, run.results, visible, seed=0)
    for name in ("accuracy", "paired_accuracy"):
        assert run.summary.ties[name]["strict"] == audit.with_cut[name] == audit.without_cut[name] == overall[name]
