from __future__ import annotations

import json
import sys
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.cases.run import CaseRun
from constraintsuite.memory.modes.rerank import RerankMode
from constraintsuite.memory.public.base import ReadOptions
from constraintsuite.memory.public.hotpotqa import read as read_hotpotqa
from constraintsuite.memory.public.run import PublicRun
from constraintsuite.memory.runs.benchmarks import run_benchmark, run_structured
from constraintsuite.memory.runs.experiment import MemoryRunResult, load_memory_run, summarise, write_run
from constraintsuite.memory.runs.modes import making_of
from constraintsuite.memory.runs.table import MemoryTable
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import DenseScorer
from memory.cases.tiny_cases import case, grounded
from memory.runs.made_outcomes import SOURCE, made_run, outcome, timing
from memory.tiny_parts import LetterEncoder

CASES = (case(paraphrases=["boiler"], hard_negatives=["lease:6"]), case("roof", "the roof", required_space_ids=["x"]))


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = [outcome("tiny/a#0", {"pass": 1.0, "mrr": None}), outcome("tiny/b#0", {"pass": 0.0, "mrr": 0.25})]
    run = made_run(tmp_path / "run", rows, timing())
    assert run.outcomes == tuple(rows)
    assert run.timing == timing()
    assert run.artifact.manifest.kind == "memory_run"
    assert run.artifact.manifest.inputs == {"dataset tiny": "d1", "memory tiny": "m1"}


def test_figures_are_by_mode_budget_group_and_metric_and_undefined_is_null(tmp_path: Path) -> None:
    rows = [outcome("x/a#0", {"mrr": None}), outcome("x/a#1", {"mrr": 0.5}), outcome("y/b#0", {"mrr": 1.0})]
    summary = made_run(tmp_path / "run", rows).summary
    figures = {f.group: (f.figure.value, f.figure.n) for f in summary.figures}
    assert figures["overall"] == (0.75, 2)
    assert figures["fixture=x"] == (0.5, 1)
    assert figures["phrasing=paraphrase"] == (0.5, 1)
    assert (summary.items, summary.clusters) == (3, 2)
    assert made_run(tmp_path / "other", [outcome("x/a#0", {"mrr": None})]).summary.figures[0].figure.value is None


@pytest.mark.parametrize(
    ("marks", "verdict"),
    [((1, 1, 1, 0), 1.0), ((1, 1, 0, 0), 0.0), ((0, 1, 1, 1), 1.0), ((1,), 1.0), ((1, 1, 1, None), None)],
)
def test_a_case_passes_by_majority_of_its_wordings(marks: tuple[float | None, ...], verdict: float | None) -> None:
    rows = [outcome(f"tiny/a#{n}", {"pass": mark}) for n, mark in enumerate(marks)]
    table = MemoryTable("tiny", rows)
    assert table.column("ppr", "case_pass", [0])[0] == pytest.approx(
        np.nan if verdict is None else verdict, nan_ok=True
    )
    assert np.isnan(table.column("ppr", "case_pass", range(1, len(rows)))).all()
    figure = summarise(table).figure("ppr", 5, "case_pass")
    assert figure is not None
    assert (figure.figure.value, figure.figure.n) == (verdict, int(verdict is not None))


def test_a_verdict_on_a_case_is_of_no_kind_of_wording() -> None:
    rows = [outcome(f"tiny/a#{n}", {"pass": 1.0}) for n in range(3)]
    summary = summarise(MemoryTable("tiny", rows))
    assert summary.figure("ppr", 5, "pass", "phrasing=paraphrase") is not None
    assert summary.figure("ppr", 5, "case_pass", "phrasing=original") is None


def test_a_metric_is_given_at_the_budgets_that_have_it() -> None:
    small = outcome("tiny/a#0", {"recall@2": 1.0}, budget=2)
    found = summarise(MemoryTable("tiny", [outcome("tiny/a#0", {"recall@2": 0.5, "recall@5": 1.0}), small]))
    overall = [figure for figure in found.figures if figure.group == "overall"]
    assert [(f.budget, f.metric, f.figure.value) for f in overall] == [
        (5, "recall@2", 0.5),
        (5, "recall@5", 1.0),
        (2, "recall@2", 1.0),
    ]


def structured(folder: Path, out: str, **options: object) -> Path:
    data = grounded(folder / "data", *CASES)
    run_structured([data], CaseRun(["lexical_baseline", "ppr"], [3]), folder / out, repeats=1)
    return folder / out


def test_structured_cases_give_the_same_bytes_each_time_with_times_beside_them(tmp_path: Path) -> None:
    first, second = structured(tmp_path, "first"), structured(tmp_path, "second")
    for name in ("outcomes.jsonl", "summary.json", "manifest.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    run = load_memory_run(first)
    assert run.summary.not_evaluated == {"required_space_ids": 1}
    assert all(row.values["pass"] is None for row in run.outcomes if "/roof#" in row.item)
    assert run.timing is not None
    assert [(speed.system, speed.group, speed.repetitions, speed.items) for speed in run.timing.speeds] == [
        ("lexical_baseline", "budget=3", 1, 3),
        ("ppr", "budget=3", 1, 3),
    ]
    assert run.timing.calibration_ms > 0


def test_a_finished_run_is_not_made_again(tmp_path: Path) -> None:
    made_run(tmp_path / "run", [outcome("tiny/a#0", {"pass": 1.0})])

    def fail() -> MemoryRunResult:
        raise AssertionError("made again")

    write_run(tmp_path / "run", *SOURCE, fail)


def test_a_run_of_another_memory_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    made_run(tmp_path / "run", [outcome("tiny/a#0", {"pass": 1.0})])
    other = SOURCE._replace(inputs={**SOURCE.inputs, "memory tiny": "m2"})
    assert made_run(tmp_path / "run", [outcome("tiny/a#0", {"pass": 0.0})], source=other).outcomes[0].values == {
        "pass": 0
    }


def test_a_changed_run_is_refused(tmp_path: Path) -> None:
    made_run(tmp_path / "run", [outcome("tiny/a#0", {"pass": 0.0})])
    file = tmp_path / "run" / "outcomes.jsonl"
    file.write_text(file.read_text().replace("0.0", "1.0"), encoding="utf-8")
    with pytest.raises(UserError, match="changed since the memory_run was made"):
        load_memory_run(tmp_path / "run")


def test_times_in_another_form_are_refused_with_advice(tmp_path: Path) -> None:
    made_run(tmp_path / "run", [outcome("tiny/a#0", {"pass": 0.0})], timing())
    file = tmp_path / "run" / "environment.json"
    file.write_text(file.read_text().replace('"system"', '"mode"'), encoding="utf-8")
    with pytest.raises(UserError, match=r"environment\.json: cannot read the times.* Remove the file"):
        load_memory_run(tmp_path / "run")
    file.unlink()
    assert load_memory_run(tmp_path / "run").timing is None


def test_an_encoder_is_asked_once_for_each_text_however_often_the_run_is_timed(tmp_path: Path) -> None:
    encoder = LetterEncoder()
    data = grounded(tmp_path / "data", *CASES)
    run_structured(
        [data], CaseRun(["hybrid"], [2]), tmp_path / "run", DenseScorer("letters", encoder, "cosine"), repeats=2
    )
    asked = [(role, text) for role, texts in encoder.asked for text in texts]
    assert len(asked) == len(set(asked)) == 6 + 3
    assert "encoder" in load_memory_run(tmp_path / "run").inputs


def test_every_option_of_every_mode_is_kept_with_the_run(tmp_path: Path) -> None:
    settings = load_memory_run(structured(tmp_path, "run")).artifact.manifest.settings
    assert settings["modes"] == ["lexical_baseline", "ppr"]
    assert settings["options"]["ppr"]["damping"] == 0.5
    assert settings["options"]["lexical_baseline"]["mode"] == "lexical_baseline"


def test_another_reranker_under_the_same_name_makes_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits within a second would look alike
    data = grounded(tmp_path / "data", *CASES)
    found = []
    for sign in ("", "-"):
        Path("users_code_reranker.py").write_text(
            f"def score(pairs):\n    return [{sign}len(text) for _, text in pairs]\n"
        )
        sys.modules.pop("users_code_reranker", None)
        invalidate_caches()
        mode = "ppr_rerank:python:users_code_reranker:score"
        run_structured([data], CaseRun([mode], [2]), tmp_path / "run", repeats=0)
        found.append(load_memory_run(tmp_path / "run"))
    del sys.modules["users_code_reranker"]
    name = "reranker python:users_code_reranker:score"
    assert found[0].inputs[name] != found[1].inputs[name]
    assert [row.returned for row in found[0].outcomes] != [row.returned for row in found[1].outcomes]


def test_where_a_model_runs_is_no_part_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = RerankMode.describe
    monkeypatch.setattr(
        RerankMode, "describe", lambda mode: {**described(mode), "reranker": {"device": "cuda", "k": 1}}
    )
    (options,) = making_of(["ppr_rerank:bm25"], None, Workbench()).options.values()
    assert options["reranker"] == {"k": 1}


def test_walks_are_replayed_with_every_run_of_cases(tmp_path: Path) -> None:
    run = load_memory_run(structured(tmp_path, "run"))
    assert {row.mode for row in run.removals} == {"ppr"}
    assert [replay.mode for replay in run.replays] == ["ppr"]


def test_a_public_benchmark_is_a_run_too(tmp_path: Path) -> None:
    question = {
        "_id": "q1",
        "question": "Where was the author of Alpha born?",
        "answer": "Oslo",
        "type": "bridge",
        "level": "easy",
        "supporting_facts": [["Alpha", 0], ["Beta Author", 0]],
        "context": [
            ["Alpha", ["Alpha is by Beta Author."]],
            ["Beta Author", ["She was born in Oslo."]],
            ["Gamma", ["No."]],
        ],
    }
    (tmp_path / "hotpot.json").write_text(json.dumps([question]), encoding="utf-8")
    reading = read_hotpotqa(tmp_path / "hotpot.json", ReadOptions())
    for name in ("a", "b"):
        run_benchmark(reading, PublicRun(["lexical_baseline"], [2], repeats=2), tmp_path / name)
    run = load_memory_run(tmp_path / "a")
    assert run.timing is not None
    assert [(speed.items, speed.repetitions) for speed in run.timing.speeds] == [(1, 2)]
    assert run.summary.benchmark == "hotpotqa"
    assert run.summary.figure("lexical_baseline", 2, "recall@2", "type=bridge") is not None
    assert (tmp_path / "a" / "manifest.json").read_bytes() == (tmp_path / "b" / "manifest.json").read_bytes()
    assert set(run.inputs) == {"dataset", "memory"}
