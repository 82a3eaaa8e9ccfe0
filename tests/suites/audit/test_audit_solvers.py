from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.solvers import SOLVERS
from constraintsuite.suites.constraints.base import load_solver, solvers_for
from constraintsuite.suites.constraints.exclude import EXCLUDE
from suites.audit.audit_factory import exchange_roles, make_example

ALL_SOLVERS = solvers_for(make_example(0, "a", "b"))


def test_an_exclusion_adds_its_own_solvers_to_those_of_every_suite() -> None:
    assert list(ALL_SOLVERS) == [*(solver.name for solver in SOLVERS), *(solver.name for solver in EXCLUDE.solvers)]
    assert list(solvers_for(replace(make_example(0, "a", "b"), constraint=None))) == [solver.name for solver in SOLVERS]
    assert "fewer_y" in ALL_SOLVERS


@pytest.mark.parametrize(
    ("solver", "example", "pick"),
    [
        ("shorter", make_example(0, "a cake", "a plain cake"), +1),
        ("shorter", make_example(0, "a long cake", "a cake"), -1),
        ("shorter", make_example(0, "extraordinary", "cake"), 0),  # words, not characters
        ("longer", make_example(0, "a plain cake", "a cake"), +1),
        ("fewer_cues", make_example(0, "a", "b", cues=((), ("not",))), +1),
        ("fewer_cues", make_example(0, "a", "b", cues=(("no",), ("not",))), 0),
        ("more_cues", make_example(0, "a", "b", cues=(("not", "no"), ("not",))), +1),
        ("fewer_y", make_example(0, "a cake", "a cake with nuts"), +1),
        ("fewer_y", make_example(0, "a cake without nuts", "nuts and Nuts"), +1),
        ("fewer_y", make_example(0, "no doughnuts", "no peanuts"), 0),  # whole words only
        ("more_y", make_example(0, "nuts, nuts", "nuts"), +1),
        ("position_of_y", make_example(0, "nuts come first", "at last the nuts"), +1),
        ("position_of_y", make_example(0, "at last the nuts", "nuts come first"), -1),
        ("position_of_y", make_example(0, "nuts come first", "there are none"), 0),  # only where both mention Y
        ("bm25_query", make_example(0, "cakes without", "an apple"), +1),
        ("bm25_query", make_example(0, "an apple", "a pear"), 0),
        ("bm25_opposite", make_example(0, "an apple", "cakes with nuts"), +1),
        ("overlap", make_example(0, "cakes without butter", "cakes cakes cakes"), +1),
        ("overlap", make_example(0, "an apple", "a pear"), 0),
        ("first_id", make_example(0, "a", "b", ids=("d1", "d2")), +1),
        ("first_id", make_example(0, "a", "b", ids=("d2", "d1")), -1),
        ("first_id", make_example(0, "a", "b", ids=("d1", "d1")), 0),
        ("edited_side", make_example(0, "a", "b", edits=("flip", "")), +1),
        ("edited_side", make_example(0, "a", "b", edits=("", "flip")), -1),
        ("edited_side", make_example(0, "a", "b", edits=("flip", "flip")), 0),
        ("edited_side", make_example(0, "a", "b"), 0),
    ],
)
def test_a_solver_picks_by_what_it_says(solver: str, example: Example, pick: int) -> None:
    assert load_solver(solver).picks([example]).tolist() == [pick]


@pytest.mark.parametrize("solver", ALL_SOLVERS)
def test_exchanging_the_documents_turns_the_pick_round(solver: str) -> None:
    example = make_example(
        0,
        "nuts are not nuts in cakes without flour",
        "cakes with nuts",
        cues=(("not",), ()),
        edits=("flip", ""),
        ids=("d1", "d2"),
    )
    picks = load_solver(solver).picks([example, exchange_roles(example)])
    assert picks[0] == -picks[1] != 0


@pytest.mark.parametrize("solver", [name for name in ALL_SOLVERS if load_solver(name).opposite])
def test_opposites_name_each_other_and_always_disagree(solver: str) -> None:
    own = load_solver(solver)
    other = load_solver(own.opposite)
    examples = [make_example(0, "nuts nuts", "nuts", cues=((), ("no",))), make_example(1, "a", "a")]
    assert other.opposite == solver
    assert other.picks(examples).tolist() == (-own.picks(examples)).tolist()


def test_bm25_takes_its_statistics_from_all_examples() -> None:
    example = make_example(0, "common", "rare", query="common rare")
    background = [make_example(i, f"common text {i}", f"common page {i}") for i in range(1, 9)]
    assert load_solver("bm25_query").picks([example]).tolist() == [0]
    assert load_solver("bm25_query").picks([example, *background])[0] == -1
