"""The criteria of the guide: each verdict follows from figures, and says what is missing where there are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.suite import suite
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import PairResult, judge_all
from constraintsuite.suites.annotation.batch import AnnotationBatch, write_batch
from constraintsuite.suites.annotation.gold_figures import gold_figures
from constraintsuite.suites.annotation.kinds.gold import gold_items
from constraintsuite.suites.audit.results import Audit, AuditRow, Conclusion, TargetVerdict
from constraintsuite.suites.criteria.criteria import guide_criteria
from constraintsuite.suites.criteria.records import GuideCriterion, is_above
from experiments.paired_runs import make_run, make_suite
from experiments.tiny_suite import EXAMPLES, make_example
from suites.annotation.small_batch import answer_all

AUDIT = Audit(0, (), (), (), Conclusion("trust", "Trust it."))
FEW, MANY, LEAK = Interval(0.55, 0.2, 0.85, 8), Interval(0.52, 0.48, 0.56, 900), Interval(0.8, 0.75, 0.85, 900)
QUERIES = ("soups without cream", "soups with cream", "soups")


def by_name(criteria: Sequence[GuideCriterion]) -> dict[str, GuideCriterion]:
    return {one.name: one for one in criteria}


def soups(slice: str, count: int = 20) -> list[Example]:
    texts = [(f"Soup {number} has no cream.", f"Soup {number} has cream.") for number in range(count)]
    return [
        make_example(f"{slice}-{n}", slice, QUERIES, pair, clusters=(f"{slice}-{n}",)) for n, pair in enumerate(texts)
    ]


SOUPS = [*soups("minpairs"), *soups("omission")]


def scored(query: float, topic: dict[str, float], wrong: int = 4) -> list[PairResult]:
    """The satisfying texts win by `query`, but for some of each slice; under the topic they win by a slice's own gap."""
    scores = {}
    results = []
    for place, example in enumerate(SOUPS):
        gap = -query if place % 20 < wrong else query
        scores = {(text, example.violating.text): 0.0 for text in example.queries.values()}
        scores[example.query, example.satisfying.text] = gap
        scores[QUERIES[1], example.satisfying.text] = -gap
        scores[QUERIES[2], example.satisfying.text] = topic[example.slice]
        results += [replace(one, unit=1.0) for one in judge_all([example], (), scores)]
    return results


def systems(results: list[PairResult]) -> dict[str, GuideCriterion]:
    return by_name(guide_criteria(SOUPS, AUDIT, (), runs={"model": results}))


def test_without_runs_and_people_the_commands_that_measure_are_named() -> None:
    found = by_name(guide_criteria(EXAMPLES, AUDIT, (), suite="mine"))
    assert found["people agree on the gold sample"].value == "`csuite gold sample mine`"
    assert found["accuracy is not trivial"].value == "`csuite eval mine --model MODEL`"
    assert found["accuracy is not trivial"].verdict == "not_measured"


def test_a_system_with_some_faults_meets_the_criteria_for_baselines() -> None:
    found = systems(scored(1.0, {"minpairs": 0.0, "omission": 0.5}))
    names = ["accuracy is not trivial", "score gaps are non-zero and consistent", "MinPairs is cleaner than Omission"]
    names += ["scores respond to the constraint", "there are failure cases"]
    assert {name: found[name].verdict for name in names} == dict.fromkeys(names, "met")


def test_a_perfect_system_makes_the_suite_trivial_and_leaves_no_failure_cases() -> None:
    found = systems(scored(1.0, {"minpairs": 0.0, "omission": 0.5}, wrong=0))
    assert found["accuracy is not trivial"].verdict == "not_met"
    assert found["there are failure cases"].verdict == "not_met"


def test_equal_scores_are_no_gaps() -> None:
    found = systems(scored(0.0, {"minpairs": 0.0, "omission": 0.5}))
    assert found["score gaps are non-zero and consistent"].verdict == "not_met"


def test_minpairs_whose_documents_differ_more_than_those_of_omission_are_not_cleaner() -> None:
    found = systems(scored(1.0, {"minpairs": 0.5, "omission": 0.1}))
    assert found["MinPairs is cleaner than Omission"].verdict == "not_met"


def test_omission_does_not_count_in_the_accuracy() -> None:
    results = scored(1.0, {"minpairs": 0.0, "omission": 0.5})
    lost = [
        replace(one, outcomes={**one.outcomes, "query": "wrong"}) if one.slice == "omission" else one for one in results
    ]
    assert systems(lost)["accuracy is not trivial"] == systems(results)["accuracy is not trivial"]


@pytest.mark.parametrize(
    ("solver", "name"),
    [("query_blind", "a query-blind classifier is at chance"), ("bm25_query", "BM25 is at chance")],
)
@pytest.mark.parametrize(("accuracy", "verdict"), [(FEW, "too_few"), (MANY, "met"), (LEAK, "not_met")])
def test_shortcuts_have_the_verdict_of_the_audit(
    solver: str, name: str, accuracy: Interval, verdict: TargetVerdict
) -> None:
    row = AuditRow("all", solver, accuracy, 0.0, verdict, "", None, "clusters")
    assert by_name(guide_criteria((), replace(AUDIT, rows=(row,)), ()))[name].verdict == verdict


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Interval(0.95, 0.92, 0.97, 300), "met"),
        (Interval(0.95, 0.85, 0.99, 30), "too_few"),
        (Interval(0.9, 0.8, 0.95, 90), "not_met"),
        (Interval(None, None, None, 0), "not_measured"),
    ],
)
def test_a_figure_is_above_a_target_with_its_interval(figure: Interval, verdict: str) -> None:
    assert is_above(figure, 0.9) == verdict


def judged(folder: Path, *names: str, right: bool = True) -> AnnotationBatch:
    """A gold batch in which people say yes to everything, and choose the right text or the wrong one."""
    batch = write_batch(folder / "batch", gold_items(SOUPS, "soups"), repeats=0.0)
    sides = ("first", "second")
    for name in names:
        answer_all(
            batch,
            name,
            lambda task: {
                "natural": "yes",
                "satisfies": _side(task.item.hidden.get("satisfies", "first"), right=right),
                "on_topic": sides,
                "grammatical": sides,
            },
        )
    return batch


def _side(satisfying: object, *, right: bool) -> str:
    return "first" if (satisfying == "first") == right else "second"


@pytest.mark.parametrize(("right", "verdict"), [(True, "met"), (False, "not_met")])
def test_people_confirm_labels_or_not(tmp_path: Path, right: bool, verdict: str) -> None:
    found = by_name(guide_criteria(SOUPS, AUDIT, (), gold=gold_figures(judged(tmp_path, "ann", "ben", right=right))))
    assert found["people agree on the gold sample"].figures.keys() == {
        "natural",
        "satisfies",
        "on_topic",
        "grammatical",
    }
    assert found["people agree on the gold sample"].verdict == "met"
    assert found["people confirm the labels of the gold sample"].verdict == verdict


def test_a_batch_that_nobody_judged_measures_nothing(tmp_path: Path) -> None:
    found = by_name(guide_criteria(SOUPS, AUDIT, (), gold=gold_figures(judged(tmp_path))))
    assert found["people agree on the gold sample"].verdict == "not_measured"


def test_a_document_off_the_topic_breaks_the_topical_match() -> None:
    on_topic = guide_criteria(SOUPS, AUDIT, ())
    stray = [replace(example, topic="bicycles") for example in SOUPS]
    name = "both documents are on the topic"
    assert by_name(on_topic)[name].verdict == "met"
    assert by_name(guide_criteria(stray, AUDIT, ()))[name].verdict == "not_met"


def test_the_command_takes_runs_and_refuses_the_batch_of_another_suite(tmp_path: Path) -> None:
    loaded = make_suite(tmp_path / "suite")
    run = make_run(loaded, tmp_path / "run", "model", [(1.0, -1.0)] * 39 + [(-1.0, 1.0)])
    arguments = ["criteria", str(tmp_path / "suite"), "--json"]
    shown = CliRunner().invoke(suite, [*arguments, "--run", str(run.artifact.path)], catch_exceptions=False)
    found = {one["name"]: one for one in json.loads(shown.stdout)["criteria"]}
    assert found["there are failure cases"]["figures"]["model"]["value"]["value"] == 1 / 40
    batch = judged(tmp_path)
    with pytest.raises(UserError, match="another suite"):
        CliRunner().invoke(suite, [*arguments, "--gold", str(batch.path)], catch_exceptions=False)
