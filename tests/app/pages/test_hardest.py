from __future__ import annotations

from dataclasses import replace

from app.pages.altered import with_document
from app.pages.conftest import Reported
from constraintsuite.app.pages.example_cards import show_documents, show_failures, show_hardest
from constraintsuite.app.pages.marks import Segment
from constraintsuite.core.records.examples import QueryRole
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.core.statistics.ties import Outcome
from constraintsuite.experiments.load import Run, load_run
from experiments.tiny_suite import CREAMLESS, EXAMPLES, NUTLESS

MANY = [replace(e, id=f"{e.id}{i}", couple="", query=f"{e.query} {i}") for e in EXAMPLES for i in range(20)]


def run_of(template: Run, model: str, gaps: dict[str, float]) -> Run:
    """A run in which each example has this gap under both queries, so that one of the two is wrong."""
    results = tuple(
        PairResult(
            id,
            "s",
            "",
            outcomes={"query": "right" if gap > 0 else "wrong", "opposite": "wrong" if gap > 0 else "right"},
            gaps={"query": gap, "opposite": gap},
            paired=False,
            tie=False,
            unit=1.0,
        )
        for id, gap in gaps.items()
    )
    return Run(template.artifact, replace(template.summary, system=model), results)


def stored(reported: Reported) -> Run:
    return load_run(reported.runs[0])


def test_slices_take_turns_and_the_hardest_come_first(reported: Reported) -> None:
    gaps = {example.id: -float(number) for number, example in enumerate(MANY)}
    shown = show_hardest(MANY, {"a": run_of(stored(reported), "a", gaps)}, 6)
    slices = [one.example.slice for one in shown]
    assert slices == ["omission", "explicit", "minpairs"] * 2
    assert shown[0].example.id == "nutless19"
    assert shown[0].outcomes[0][1].gaps["query"] == gaps["nutless19"]


def test_examples_that_more_models_fail_come_first(reported: Reported) -> None:
    first, second = (replace(NUTLESS, id=name, query=name) for name in "ab")
    template = stored(reported)
    both: dict[QueryRole, Outcome] = {"query": "right", "opposite": "right"}
    right = replace(run_of(template, "m", {"a": -9.0}).results[0], outcomes=both, paired=True)
    runs = {
        "one": run_of(template, "one", {"a": -9.0, "b": -1.0}),
        "two": Run(template.artifact, template.summary, (right, *run_of(template, "two", {"b": -1.0}).results)),
    }
    assert [one.example.id for one in show_hardest([first, second], runs, 5)] == ["b", "a"]


def test_three_failures_of_the_first_run_are_as_unlike_as_can_be(reported: Reported) -> None:
    template = stored(reported)
    gaps = {example.id: -float(number) for number, example in enumerate(MANY)}
    found = show_failures(MANY, {"a": run_of(template, "a", gaps)}, 3)
    assert {failure.example.slice for failure in found} == {"omission", "explicit", "minpairs"}
    alone = [example for example in MANY if example.slice == "omission"]
    turned = {example.id: 1.0 if number % 2 else -1.0 for number, example in enumerate(alone)}
    told = [failure.preferred for failure in show_failures(alone, {"a": run_of(template, "a", turned)}, 2)]
    assert {"violates" in said for said in told} == {True, False}  # one slice, two classes of error
    assert all(said.startswith("a preferred the text that") and alone[0].opposite in said for said in told)  # type: ignore[operator]


def test_what_the_first_run_gets_right_is_no_failure(reported: Reported) -> None:
    template = stored(reported)
    both: dict[QueryRole, Outcome] = {"query": "right", "opposite": "right"}
    right = tuple(replace(one, outcomes=both, paired=True) for one in run_of(template, "m", {"creamless": 1.0}).results)
    runs = {
        "right": Run(template.artifact, template.summary, right),
        "wrong": run_of(template, "w", {"creamless": -1.0}),
    }
    assert show_failures(EXAMPLES, runs, 3) == []


def test_a_card_shows_little_of_a_long_text(reported: Reported) -> None:
    text = "word " * 400 + CREAMLESS.satisfying.text
    long = with_document(CREAMLESS, "satisfying", text=text)
    (failure,) = show_failures([long], {"a": run_of(stored(reported), "a", {"creamless": -1.0})}, 3)
    assert all(sum(len(piece.text) for piece in shown.segments) < 450 for shown in failure.documents)


def test_of_a_couple_and_of_one_query_only_one_is_shown(reported: Reported) -> None:
    template = stored(reported)
    gaps = {example.id: -1.0 for example in EXAMPLES}
    assert len(show_hardest(EXAMPLES, {"m": run_of(template, "m", gaps)}, 10)) == 4  # two are a couple
    twice = [NUTLESS, replace(NUTLESS, id="again")]
    assert len(show_hardest(twice, {"m": run_of(template, "m", {e.id: -1.0 for e in twice})}, 10)) == 1


def test_examples_without_a_result_are_left_out(reported: Reported) -> None:
    assert show_hardest(EXAMPLES, {"m": run_of(stored(reported), "m", {})}, 10) == []


def test_each_document_shows_its_own_evidence() -> None:
    satisfying, violating = show_documents(CREAMLESS)
    assert [s for s in satisfying.segments if s.kinds] == [Segment("cream", ("negated",))]
    assert [s for s in violating.segments if s.kinds] == [Segment("cream", ("affirmed",))]
    assert (satisfying.document.role, violating.document.role) == ("satisfying", "violating")
