from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from constraintsuite.core.records.examples import Control, Example
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.results import Audit, AuditRow
from constraintsuite.suites.audit.solvers import IntArray, SolverTrial
from constraintsuite.suites.constraints.base import solvers_for
from constraintsuite.suites.constraints.exclude import EXCLUDE
from suites.audit.audit_factory import couples, exchange_roles, make_example, random_text, singles


def _row(audit: Audit, solver: str, part: str = "explicit") -> AuditRow:
    return next(row for row in audit.rows if (row.slice, row.solver) == (part, solver))


def test_a_suite_that_the_documents_give_away_is_called_out() -> None:
    audit = audit_examples(singles(60, planted="zebra"), seed=0)
    row = _row(audit, "query_blind")
    assert row.verdict == "leak"
    assert row.accuracy.low is not None and row.accuracy.low > 0.6
    assert any("In explicit, a classifier that never sees the query is right" in one for one in audit.warnings)
    assert any("Over all main slices, a classifier that never sees the query" in one for one in audit.warnings)


def test_clean_mirrored_couples_pass_without_a_word() -> None:
    audit = audit_examples(couples(250), seed=0)
    assert {row.verdict for row in audit.rows} == {"ok"}
    assert audit.warnings == ()


def test_a_length_leak_is_found_from_both_sides_and_said_once() -> None:
    rng = random.Random(0)
    examples = [make_example(i, random_text(rng, 14), random_text(rng, 10)) for i in range(50)]
    audit = audit_examples(examples, seed=0)
    assert (_row(audit, "longer").accuracy.value, _row(audit, "longer").verdict) == (1.0, "leak")
    assert (_row(audit, "shorter").accuracy.value, _row(audit, "shorter").verdict) == (0.0, "leak")
    said = [one for one in audit.warnings if "In explicit" in one and "words (`" in one]
    assert len(said) == 1 and "picking the text with more words (`longer`) is right in 100.0 %" in said[0]


def test_the_opposite_of_a_solver_without_an_opposite_is_said_as_avoiding() -> None:
    examples = [make_example(i, f"say {i} nuts", f"nuts {i} say") for i in range(40)]
    audit = audit_examples(examples, seed=0)
    assert _row(audit, "position_of_y").verdict == "leak"
    assert any("avoiding the text whose first mention of Y comes earlier" in one for one in audit.warnings)


def test_ties_count_as_failures_and_are_shown() -> None:
    examples = [make_example(i, f"a{i} b", f"c{i} d") for i in range(40)]
    row = _row(audit_examples(examples, seed=0), "shorter")
    assert (row.accuracy.value, row.reverse.value, row.tie_rate, row.verdict) == (0.0, 0.0, 1.0, "ok")


def test_a_solver_that_ties_often_but_never_errs_is_a_leak_in_part() -> None:
    rng = random.Random(0)
    examples = [
        make_example(i, random_text(rng), random_text(rng), cues=((("not",) if i % 10 < 5 else ()), ()))
        for i in range(100)
    ]
    audit = audit_examples(examples, seed=0)
    row = _row(audit, "more_cues")
    assert (row.accuracy.value, row.tie_rate, row.verdict) == (0.5, 0.5, "leak_in_part")
    assert any(
        "(`more_cues`) decides only 50.0 % of the examples, but is right in 100.0 % of those; "
        "with a coin for the rest it reaches 75.0 %" in one
        for one in audit.warnings
    )


def test_three_right_answers_are_no_proof_of_a_leak() -> None:
    audit = audit_examples([make_example(i, f"one two {i}", f"{i}") for i in range(3)], seed=0)
    assert (_row(audit, "longer").accuracy.value, _row(audit, "longer").verdict) == (1.0, "too_few_to_tell")


@pytest.mark.parametrize(
    ("count", "verdict"), [(8, "too_few_to_tell"), (40, "too_few_to_tell"), (400, "ok")], ids=["8", "40", "400"]
)
def test_a_coin_is_acquitted_only_by_enough_examples(count: int, verdict: str) -> None:
    examples = [make_example(i, *(("a b", "c") if i % 2 else ("a", "b c"))) for i in range(count)]
    row = _row(audit_examples(examples, seed=0), "longer")
    assert (row.accuracy.value, row.verdict) == (0.5, verdict)


@pytest.mark.parametrize("solver", ["fewer_y", "more_y", "bm25_query", "bm25_opposite", "overlap"])
def test_what_omission_means_is_by_construction_and_elsewhere_a_leak(solver: str) -> None:
    rng = random.Random(0)
    texts = [(random_text(rng), f"{random_text(rng)} nuts") for _ in range(40)]
    omission = [make_example(i, *pair, slice="omission") for i, pair in enumerate(texts)]
    explicit = [make_example(i, *pair) for i, pair in enumerate(texts)]
    audit = audit_examples(omission, seed=0)
    assert _row(audit, solver, "omission").verdict == "by_construction"
    assert "Omission" in _row(audit, solver, "omission").reason
    assert _row(audit, solver, "all").verdict == "by_construction"
    assert not any(f"`{solver}`" in one for one in audit.warnings)
    assert _row(audit_examples(explicit, seed=0), solver).verdict == "leak"


def test_over_all_slices_a_leak_beyond_omission_stays_a_leak() -> None:
    rng = random.Random(0)
    examples = [
        make_example(i, random_text(rng), f"{random_text(rng)} nuts", slice=name)
        for name in ("omission", "explicit")
        for i in range(40)
    ]
    assert _row(audit_examples(examples, seed=0), "fewer_y", "all").verdict == "leak"


@pytest.mark.parametrize(
    ("original", "explicitness", "verdict"),
    [("omission", "implicit", "by_construction"), ("explicit", "explicit", "leak")],
)
def test_a_nonflip_control_follows_the_definition_of_its_original(
    original: str, explicitness: str, verdict: str
) -> None:
    rng = random.Random(0)
    examples = [
        make_example(
            i,
            random_text(rng),
            f"{random_text(rng)} nuts",
            slice="nonflip",
            explicitness=explicitness,
            control=Control("case", f"negation_{original}_test_{i:06d}"),
        )
        for i in range(40)
    ]
    assert _row(audit_examples(examples, seed=0), "fewer_y", "nonflip").verdict == verdict


def test_controls_have_their_own_rows_and_stay_out_of_the_whole() -> None:
    examples = [*couples(10), *couples(10, slice="adversarial", control=Control("idiom", ""))]
    audit = audit_examples(examples, seed=0)
    assert list(dict.fromkeys(row.slice for row in audit.rows)) == ["all", "explicit", "adversarial"]
    assert _row(audit, "first_id", "all").accuracy.n == 20


def test_an_edit_that_is_always_on_the_right_side_is_found() -> None:
    rng = random.Random(0)
    examples = [make_example(i, random_text(rng), random_text(rng), edits=("flip", "")) for i in range(30)]
    assert _row(audit_examples(examples, seed=0), "edited_side").verdict == "leak"


def test_half_a_couple_is_pointed_out() -> None:
    audit = audit_examples(couples(30)[:-1], seed=0)
    said = [one for one in audit.warnings if "couples have one example only" in one]
    assert said == ["In explicit, 1 of 30 couples have one example only; keep both, or neither."]


def test_a_classifier_below_chance_is_no_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    def always_wrong(examples: Sequence[Example], groups: IntArray, *, seed: int) -> SolverTrial:
        return SolverTrial.of_picks(examples, groups, np.full(len(examples), -1))

    monkeypatch.setattr("constraintsuite.suites.audit.audit.query_blind", always_wrong)
    row = _row(audit_examples(couples(40), seed=0), "query_blind")
    assert (row.accuracy.value, row.verdict) == (0.0, "ok")


def test_too_few_examples_are_undefined_or_in_doubt_and_said_to_be() -> None:
    one = audit_examples([make_example(0, "a", "b")], seed=0)
    assert _row(one, "query_blind").verdict == "undefined"
    assert (_row(one, "query_blind").accuracy.value, _row(one, "query_blind").tie_rate) == (None, None)
    assert any("too few unrelated examples" in warning for warning in one.warnings)
    few = audit_examples(couples(8), seed=0)
    assert any("a query-blind leak cannot be ruled out" in warning for warning in few.warnings)


def test_the_grouping_is_said() -> None:
    apart = couples(10)
    joined = [replace(example, clusters=("hub",)) for example in apart]
    assert {row.groups for row in audit_examples(apart, seed=0).rows} == {"clusters"}
    assert {row.groups for row in audit_examples(joined, seed=0).rows} == {"couples"}


def test_the_order_of_the_examples_does_not_matter_and_the_seed_does() -> None:
    examples = couples(40)
    shuffled = random.Random(3).sample(examples, len(examples))
    assert encode(audit_examples(examples, seed=1)) == encode(audit_examples(shuffled, seed=1))
    assert audit_examples(examples, seed=1) != audit_examples(examples, seed=2)


def test_an_audit_survives_json() -> None:
    audit = audit_examples(couples(12), seed=0)
    assert adapter(Audit).validate_json(encode(audit)) == audit


def test_no_examples_make_an_empty_audit() -> None:
    assert audit_examples([], seed=0) == Audit(0, (), ())


def test_every_solver_is_tried() -> None:
    audit = audit_examples(couples(3), seed=0)
    assert {row.solver for row in audit.rows} == {"query_blind", *solvers_for(couples(3)[0])}


@pytest.mark.parametrize(
    ("slice_name", "reasons"), [("minpairs", 0), ("explicit", 0), ("omission", 2), ("adversarial", 2)]
)
def test_a_slice_decides_by_its_definition_what_mentions_of_y_and_shared_words_tell(
    slice_name: str, reasons: int
) -> None:
    example = make_example(0, "a", "b", slice=slice_name)
    said = {name: reason for name in solvers_for(example) if (reason := EXCLUDE.by_construction(example, name))}
    assert set(said) == ({"fewer_y", "more_y", "bm25_query", "bm25_opposite", "overlap"} if reasons else set())
    assert len(set(said.values())) == reasons


def test_in_whole_couples_a_rule_is_as_often_right_as_wrong() -> None:
    mirrored = [one for example in singles(30) for one in _both_ways(example)]
    for row in audit_examples(mirrored, seed=0).rows:
        if row.solver not in ("query_blind", "edited_side"):
            assert row.accuracy.value == row.reverse.value


def _both_ways(example: Example) -> list[Example]:
    first = replace(example, couple=example.id)
    return [first, replace(exchange_roles(first), id=f"{first.id}r")]


def test_the_solvers_of_a_constraint_type_are_tried_on_its_examples_alone() -> None:
    unstated = [replace(one, id=f"other-{one.id}", slice="nevir", constraint=None) for one in couples(3)]
    audit = audit_examples([*couples(3), *unstated], seed=0)
    by_part = {part: {row.solver for row in audit.rows if row.slice == part} for part in ("all", "nevir")}
    assert "fewer_y" in by_part["all"]
    assert "fewer_y" not in by_part["nevir"]
    assert {row.accuracy.n for row in audit.rows if (row.slice, row.solver) == ("all", "fewer_y")} == {6}
