from __future__ import annotations

import random
from dataclasses import replace

import pytest

from constraintsuite.core.records.examples import Control, Example
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.results import Audit, AuditRow
from constraintsuite.suites.constraints.base import solvers_for
from constraintsuite.suites.constraints.exclude import EXCLUDE
from suites.audit.audit_factory import couples, exchange_roles, make_example, random_text, singles


def _row(audit: Audit, solver: str, part: str = "explicit") -> AuditRow:
    return next(row for row in audit.rows if (row.slice, row.solver) == (part, solver))


def test_a_suite_that_the_documents_give_away_is_called_out() -> None:
    audit = audit_examples(singles(60, planted="zebra"), seed=0)
    row = _row(audit, "query_blind")
    assert row.verdict == "not_met"
    assert row.accuracy.low is not None and row.accuracy.low > 0.6
    assert any(
        "In explicit, picking the text preferred by a classifier that was trained on the documents alone" in one
        for one in audit.warnings
    )
    assert audit.conclusion.verdict == "do_not_trust"


def test_clean_mirrored_couples_are_trusted_without_a_word() -> None:
    audit = audit_examples(couples(250), seed=0)
    assert {row.verdict for row in audit.rows} == {"met"}
    assert (audit.warnings, audit.conclusion.verdict) == ((), "trust")


def test_the_opposite_of_a_solver_that_is_never_right_is_said_as_avoiding() -> None:
    rng = random.Random(0)
    examples = [make_example(i, random_text(rng, 14), random_text(rng, 10)) for i in range(50)]
    audit = audit_examples(examples, seed=0)
    assert (_row(audit, "shorter").accuracy.value, _row(audit, "shorter").verdict) == (0.0, "not_met")
    assert any(
        "In explicit, avoiding the text with fewer words (`shorter`) is right in 100.0 %" in one
        for one in audit.warnings
    )


def test_ties_count_as_half_and_are_shown() -> None:
    examples = [make_example(i, f"a{i} b", f"c{i} d") for i in range(40)]
    row = _row(audit_examples(examples, seed=0), "shorter")
    assert (row.accuracy.value, row.tie_rate, row.verdict) == (0.5, 1.0, "met")


def test_a_solver_that_only_ties_is_met_by_enough_examples() -> None:
    examples = [make_example(i, f"a{i} b", f"c{i} d") for i in range(8)]
    assert _row(audit_examples(examples, seed=0), "shorter").verdict == "too_few"


def test_a_solver_that_ties_often_but_never_errs_misses_the_target() -> None:
    rng = random.Random(0)
    examples = [
        make_example(i, random_text(rng), random_text(rng), cues=((("not",) if i % 10 < 5 else ()), ()))
        for i in range(100)
    ]
    row = _row(audit_examples(examples, seed=0), "fewer_cues")
    assert (row.accuracy.value, row.tie_rate, row.verdict) == (0.25, 0.5, "not_met")


@pytest.mark.parametrize(("count", "verdict"), [(8, "too_few"), (40, "too_few"), (400, "met")], ids=["8", "40", "400"])
def test_a_coin_is_acquitted_only_by_enough_examples(count: int, verdict: str) -> None:
    examples = [make_example(i, *(("a b", "c") if i % 2 else ("a", "b c"))) for i in range(count)]
    row = _row(audit_examples(examples, seed=0), "shorter")
    assert (row.accuracy.value, row.verdict) == (0.5, verdict)


DECIDED = ("fewer_y", "fewer_forms_of_y", "bm25_query", "bm25_opposite", "overlap", "own_query_words")


@pytest.mark.parametrize("solver", DECIDED)
def test_what_omission_means_is_judged_by_pairs_and_elsewhere_a_leak(solver: str) -> None:
    rng = random.Random(0)
    texts = [(random_text(rng), f"{random_text(rng)} nuts") for _ in range(40)]
    omission = [make_example(i, *pair, slice="omission") for i, pair in enumerate(texts)]
    explicit = [make_example(i, *pair) for i, pair in enumerate(texts)]
    audit = audit_examples(omission, seed=0)
    row = _row(audit, solver, "omission")
    assert row.verdict == "met"
    assert row.paired is not None and row.paired.value == 0.0
    assert "Omission" in row.reason
    assert not any(f"`{solver}`" in one for one in audit.warnings)
    elsewhere = _row(audit_examples(explicit, seed=0), solver)
    assert (elsewhere.verdict, elsewhere.reason, elsewhere.paired) == ("not_met", "", None)


def test_over_all_slices_what_omission_decides_is_left_out() -> None:
    rng = random.Random(0)
    examples = [
        *(make_example(i, random_text(rng), f"{random_text(rng)} nuts", slice="omission") for i in range(40)),
        *(make_example(i, f"{random_text(rng)} nuts", f"{random_text(rng)} nuts") for i in range(50)),
    ]
    row = _row(audit_examples(examples, seed=0), "fewer_y", "all")
    assert (row.accuracy.value, row.accuracy.n, row.verdict) == (0.5, 50, "met")


def test_the_rule_that_a_definition_decides_teaches_no_template() -> None:
    rng = random.Random(0)
    examples = [
        make_example(
            i,
            random_text(rng, 12 + 2 * (i % 2)),
            f"{random_text(rng)} nuts",
            slice="omission",
            ids=(f"d{i}a", f"d{i}b") if i % 4 < 2 else (f"d{i}b", f"d{i}a"),
        )
        for i in range(300)
    ]
    audit = audit_examples(examples, seed=0)
    assert (_row(audit, "fewer_y", "omission").accuracy.value, _row(audit, "shorter", "omission").accuracy.value) == (
        1,
        0.5,
    )
    assert _row(audit, "template", "omission").verdict == "met"


@pytest.mark.parametrize(
    ("original", "explicitness", "verdict"),
    [("omission", "implicit", "met"), ("explicit", "explicit", "not_met")],
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
    assert _row(audit_examples(examples, seed=0), "edited_side").verdict == "not_met"


def test_half_a_couple_is_pointed_out() -> None:
    audit = audit_examples(couples(30)[:-1], seed=0)
    said = [one for one in audit.warnings if "couples have one example only" in one]
    assert said == ["In explicit, 1 of 30 couples have one example only; keep both, or neither."]


def test_too_few_examples_are_undefined_and_said_to_be() -> None:
    one = audit_examples([make_example(0, "a", "b")], seed=0)
    assert _row(one, "query_blind").verdict == "undefined"
    assert (_row(one, "query_blind").accuracy.value, _row(one, "query_blind").tie_rate) == (None, None)
    assert any("too few unrelated examples" in warning for warning in one.warnings)
    assert one.conclusion.verdict == "get_more"


def test_few_examples_are_asked_to_be_more() -> None:
    conclusion = audit_examples(couples(8), seed=0).conclusion
    assert conclusion.verdict == "get_more"
    assert conclusion.needed is not None and conclusion.needed > 16


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
    audit = audit_examples([], seed=0)
    assert (audit.rows, audit.overlaps, audit.warnings, audit.conclusion.verdict) == ((), (), (), "get_more")


def test_every_solver_is_tried() -> None:
    rng = random.Random(0)
    examples = [make_example(i, random_text(rng), random_text(rng), edits=("flip", "")) for i in range(12)]
    audit = audit_examples(examples, seed=0)
    assert {row.solver for row in audit.rows} == {"query_blind", "template", *solvers_for(examples[0])}


@pytest.mark.parametrize(
    ("slice_name", "reasons"), [("minpairs", 0), ("explicit", 0), ("omission", 2), ("adversarial", 2)]
)
def test_a_slice_decides_by_its_definition_what_mentions_of_y_and_shared_words_tell(
    slice_name: str, reasons: int
) -> None:
    example = make_example(0, "a", "b", slice=slice_name)
    said = {name: reason for name in solvers_for(example) if (reason := EXCLUDE.by_construction(example, name))}
    assert set(said) == (set(DECIDED) if reasons else set())
    assert len(set(said.values())) == reasons


def test_in_whole_couples_a_rule_is_as_often_right_as_wrong() -> None:
    mirrored = [one for example in singles(30) for one in _both_ways(example)]
    for row in audit_examples(mirrored, seed=0).rows:
        if row.solver not in ("query_blind", "template"):
            assert row.accuracy.value == 0.5


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


def test_a_pair_without_a_constraint_counts_with_both_queries() -> None:
    examples = [
        replace(
            make_example(i, f"red {i}", f"blue {i} too", query="red", opposite="blue"), constraint=None, slice="pairs"
        )
        for i in range(40)
    ]
    audit = audit_examples(examples, seed=0)
    matched, shorter = _row(audit, "overlap", "pairs"), _row(audit, "shorter", "pairs")
    assert matched.paired is not None and shorter.paired is not None
    assert (matched.accuracy.value, matched.paired.value, matched.verdict) == (1.0, 1.0, "not_met")
    assert (shorter.accuracy.value, shorter.paired.value, shorter.verdict) == (1.0, 0.0, "met")
    assert "each of the two queries wants another document" in shorter.reason
    assert _row(audit, "query_only", "pairs").reason == ""


def test_texts_from_elsewhere_are_searched_for() -> None:
    examples = couples(40)
    audit = audit_examples(examples, seed=0, elsewhere={"corpus": [examples[0].satisfying.text]})
    (documents,) = (row for row in audit.overlaps if row.kind == "documents")
    assert (documents.elsewhere, documents.share.value) == ("corpus", 1 / 80)
    assert any(one.startswith("Contaminated: 1.2 %") for one in audit.warnings)
