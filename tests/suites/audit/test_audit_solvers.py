from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from constraintsuite.core.records.examples import QUERY_PREFERENCE, Example
from constraintsuite.suites.audit.solvers import SOLVERS, SolverTrial
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
        ("fewer_negations", make_example(0, "it is here", "it isn't here"), +1),
        ("fewer_negations", make_example(0, "never without it", "not a knot"), -1),
        ("fewer_cues", make_example(0, "a", "b", cues=((), ("not",))), +1),
        ("fewer_cues", make_example(0, "a", "b", cues=(("no",), ("not",))), 0),
        ("fewer_y", make_example(0, "a cake", "a cake with nuts"), +1),
        ("fewer_y", make_example(0, "a cake without nuts", "nuts and Nuts"), +1),
        ("fewer_y", make_example(0, "no doughnuts", "no peanuts"), 0),  # whole words only
        ("fewer_forms_of_y", make_example(0, "Nuts and nuts", "nuts and a nut", forms=("nuts", "nut")), +1),
        ("fewer_forms_of_y", make_example(0, "nuts", "nuts, nuts", forms=("nuts", "nut")), 0),
        ("position_of_y", make_example(0, "nuts come first", "at the very last nuts"), +1),
        ("position_of_y", make_example(0, "at the very last nuts", "nuts come first"), -1),
        ("position_of_y", make_example(0, "cakes with nuts", "cakes that have no nuts"), 0),  # two words later
        ("position_of_y", make_example(0, "cakes with nuts", "cakes which do have no nuts"), +1),  # three
        ("position_of_y", make_example(0, "nuts come first", "there are none"), 0),  # only where both mention Y
        ("bm25_query", make_example(0, "cakes without", "an apple"), +1),
        ("bm25_query", make_example(0, "an apple", "a pear"), 0),
        ("bm25_opposite", make_example(0, "an apple", "cakes with nuts"), +1),
        ("overlap", make_example(0, "cakes without butter", "cakes cakes cakes"), +1),
        ("overlap", make_example(0, "an apple", "a pear"), 0),
        ("own_query_words", make_example(0, "nuts in cakes", "cakes in tins"), +1),
        ("own_query_words", make_example(0, "cakes without", "cakes"), 0),  # content words only
        ("own_query_words", make_example(0, "a cake", "cakes, cakes"), 0),  # the same word, however often
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


@pytest.mark.parametrize("solver", [name for name in ALL_SOLVERS if name != "looks_edited"])  # it needs more texts
def test_exchanging_the_documents_turns_the_pick_round(solver: str) -> None:
    example = make_example(
        0,
        "here they bake tarts and nut bread, and nuts are not in cakes without flour",
        "pies with nuts",
        forms=("nuts", "nut"),
        cues=(("not",), ()),
        edits=("flip", ""),
        ids=("d1", "d2"),
    )
    picks = load_solver(solver).picks([example, exchange_roles(example)])
    assert picks[0] == -picks[1] != 0


def test_a_solver_that_ignores_the_query_picks_the_same_document_for_the_opposite() -> None:
    example = make_example(0, "a cake", "a plain cake")
    solver = load_solver("shorter")
    assert solver.picks_for_opposite([example], solver.picks([example])).tolist() == [-1]


def test_a_solver_that_reads_the_query_is_asked_again() -> None:
    example = make_example(0, "red", "blue", query="red", opposite="blue")
    solver = load_solver("overlap")
    assert solver.picks_for_opposite([example], solver.picks([example])).tolist() == [+1]


def test_without_an_opposite_query_there_is_no_pick_for_it() -> None:
    example = replace(make_example(0, "a", "b"), opposite=None, preferences=(QUERY_PREFERENCE,))
    solver = load_solver("overlap")
    assert np.isnan(solver.picks_for_opposite([example], solver.picks([example]))).tolist() == [True]


def test_a_tie_is_half_right_and_a_quarter_of_a_pair() -> None:
    examples = [make_example(i, "a", "b") for i in range(4)]
    picks, opposite = np.array([1.0, 0.0, 1.0, np.nan]), np.array([1.0, 0.0, -1.0, np.nan])
    trial = SolverTrial.of_picks(examples, np.arange(4), picks, opposite)
    assert (trial.right.tolist(), trial.ties.tolist()) == ([1, 0.5, 1], [0, 1, 0])
    assert (trial.paired.tolist(), len(trial.units)) == ([1, 0.25, 0], 3)


def test_bm25_takes_its_statistics_from_all_examples() -> None:
    example = make_example(0, "common", "rare", query="common rare")
    background = [make_example(i, f"common text {i}", f"common page {i}") for i in range(1, 9)]
    assert load_solver("bm25_query").picks([example]).tolist() == [0]
    assert load_solver("bm25_query").picks([example, *background])[0] == -1
