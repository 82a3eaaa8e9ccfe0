from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from audit_factory import make_example

from constraintsuite.records.examples import DocumentPair, Edit, Example
from constraintsuite.suites.audit import SOLVERS


def _edit(document: Literal["pos", "neg", "both"]) -> Edit:
    return Edit("flip", document, (), (), token_count_preserved=False)


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
        ("bm25_negated", make_example(0, "cakes without", "an apple"), +1),
        ("bm25_negated", make_example(0, "an apple", "a pear"), 0),
        ("bm25_affirmative", make_example(0, "an apple", "cakes with nuts"), +1),
        ("overlap", make_example(0, "cakes without butter", "cakes cakes cakes"), +1),
        ("overlap", make_example(0, "an apple", "a pear"), 0),
        ("first_id", make_example(0, "a", "b", ids=("d1", "d2")), +1),
        ("first_id", make_example(0, "a", "b", ids=("d2", "d1")), -1),
        ("first_id", make_example(0, "a", "b", ids=("d1", "d1")), 0),
        ("edited_side", make_example(0, "a", "b", edit=_edit("pos")), +1),
        ("edited_side", make_example(0, "a", "b", edit=_edit("neg")), -1),
        ("edited_side", make_example(0, "a", "b", edit=_edit("both")), 0),
        ("edited_side", make_example(0, "a", "b"), 0),
    ],
)
def test_a_solver_picks_by_what_it_says(solver: str, example: Example, pick: int) -> None:
    assert SOLVERS.load(solver).picks([example]).tolist() == [pick]


@pytest.mark.parametrize("solver", SOLVERS.names())
def test_exchanging_the_documents_turns_the_pick_round(solver: str) -> None:
    example = make_example(
        0,
        "nuts are not nuts in cakes without flour",
        "cakes with nuts",
        cues=(("not",), ()),
        edit=_edit("pos"),
        ids=("d1", "d2"),
    )
    picks = SOLVERS.load(solver).picks([example, _mirrored(example)])
    assert picks[0] == -picks[1] != 0


@pytest.mark.parametrize("solver", [name for name in SOLVERS.names() if SOLVERS.load(name).opposite])
def test_opposites_name_each_other_and_always_disagree(solver: str) -> None:
    own = SOLVERS.load(solver)
    other = SOLVERS.load(own.opposite)
    examples = [make_example(0, "nuts nuts", "nuts", cues=((), ("no",))), make_example(1, "a", "a")]
    assert other.opposite == solver
    assert other.picks(examples).tolist() == (-own.picks(examples)).tolist()


def test_bm25_takes_its_statistics_from_all_examples() -> None:
    example = make_example(0, "common", "rare", negated="common rare")
    background = [make_example(i, f"common text {i}", f"common page {i}") for i in range(1, 9)]
    assert SOLVERS.load("bm25_negated").picks([example]).tolist() == [0]
    assert SOLVERS.load("bm25_negated").picks([example, *background])[0] == -1


def _mirrored(example: Example) -> Example:
    assert example.edit
    return replace(
        example,
        docs=DocumentPair(example.docs.neg, example.docs.pos),
        tags=replace(
            example.tags,
            cues_in_doc_pos=example.tags.cues_in_doc_neg,
            cues_in_doc_neg=example.tags.cues_in_doc_pos,
        ),
        edit=replace(example.edit, document="neg" if example.edit.document == "pos" else "pos"),
    )
