"""Walks without their last edge, on leases small enough to see what that edge is worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.memory.cases.files import ground, read_cases
from constraintsuite.memory.cases.run import CaseRun
from constraintsuite.memory.records import EdgeKind
from constraintsuite.memory.runs.replay import WALKING, EdgeRemoval, replay, replays_of
from memory.cases.tiny_cases import case, dataset, grounded, write_dataset
from memory.tiny_parts import part

CASES = (case("roof", "the roof"), case("arrears", "months of arrears", evidence_node_ids=["lease:4"]))


@pytest.mark.parametrize("mode", WALKING)
def test_without_its_last_edge_the_unit_at_the_end_of_a_walk_falls(tmp_path: Path, mode: str) -> None:
    rows = replay([grounded(tmp_path, *CASES)], CaseRun([mode], [4]))
    assert [(row.mode, row.item, row.fell) for row in rows] == [
        (mode, "tiny/roof", True),
        (mode, "tiny/arrears", True),
    ]
    assert all(row.others_moved <= row.others_fell <= row.others for row in rows)


def test_an_edge_beside_which_another_leads_as_well_holds_up_nothing(tmp_path: Path) -> None:
    # Clause 2 stands next to clause 1, and is an exception to it: to this mode both edges are alike.
    (row,) = replay([grounded(tmp_path, case())], CaseRun(["structure_only"], [4]))
    assert (row.unit, row.fell, row.moved) == ("lease:2", False, False)


def test_the_same_seed_takes_the_same_edges_away(tmp_path: Path) -> None:
    data = grounded(tmp_path, *CASES)
    run = CaseRun(["ppr", "structure_only"], [2, 4])
    assert replay([data], run, seed=3) == replay([data], run, seed=3)


def test_a_mode_is_replayed_alone_as_with_others(tmp_path: Path) -> None:
    data = grounded(tmp_path, *CASES)
    together = replay([data], CaseRun(["structure_only", "ppr"], [4]))
    assert [row for row in together if row.mode == "ppr"] == replay([data], CaseRun(["ppr"], [4]))


@pytest.mark.parametrize("mode", ["lexical_baseline", "weighted_graph", "ppr,damping=0"])
def test_other_modes_are_not_replayed(tmp_path: Path, mode: str) -> None:
    assert replay([grounded(tmp_path)], CaseRun([mode], [3])) == []


@pytest.mark.parametrize(
    ("at_the_end", "others"),
    [
        ([], 3),  # elsewhere, since there is none at the unit
        ([("lease:2", "lease:3", "next")], 1),
        ([("lease:2", "lease:3", "next"), ("lease:4", "lease:2", "refers_to")], 2),
    ],
)
def test_edges_to_compare_with_are_those_at_the_end_of_the_walk(
    tmp_path: Path, at_the_end: list[tuple[str, str, EdgeKind]], others: int
) -> None:
    far: list[tuple[str, str, EdgeKind]] = [(f"lease:{n}", f"lease:{n + 1}", "next") for n in (4, 5, 6)]
    texts = ["the boiler", "notices", "rent", "a", "b", "c", "d"]
    lease = part("lease", texts, [("lease:1", "lease:2", "next"), *at_the_end, *far])
    (row,) = replay([replace(grounded(tmp_path), parts=(lease,))], CaseRun(["structure_only"], [2]))
    assert (row.unit, row.fell, row.others) == ("lease:2", True, others)


def test_without_an_edge_to_compare_with_nothing_is_said(tmp_path: Path) -> None:
    one_edge = part("lease", ["the boiler", "notices"], [("lease:1", "lease:2", "next")])
    data = replace(grounded(tmp_path), parts=(one_edge,))
    assert replay([data], CaseRun(["structure_only"], [4])) == []


def test_what_does_not_hold_at_the_time_of_the_run_is_not_walked(tmp_path: Path) -> None:
    text = "---\nvalid_from: 2030-01-01\n---\n# Lease\n\n1 A boiler.\n\n2 A roof.\n\n3 A boiler room.\n\n4 Rent.\n"
    data = ground(read_cases(write_dataset(tmp_path, dataset(), text)))
    for now, walks in (("2026-01-01", 0), ("2031-01-01", 1)):
        assert len(replay([data], CaseRun(["ppr"], [2], now=now))) == walks


def test_shares_are_over_cases_and_paired() -> None:
    rows = [
        EdgeRemoval("ppr", 5, "tiny/a", "lease:1", True, True, 5, 0, 0),
        EdgeRemoval("ppr", 5, "tiny/b", "lease:1", True, False, 5, 1, 0),
        EdgeRemoval("ppr", 5, "tiny/c", "lease:1", False, False, 2, 2, 1),
    ]
    (found,) = replays_of(rows)
    assert (found.fall.traced.value, found.fall.untraced.value) == pytest.approx((2 / 3, 1.2 / 3))
    assert found.fall.test.difference.value == pytest.approx(0.8 / 3)
    assert found.fall.test.difference.n == 3
    assert (found.move.traced.value, found.move.untraced.value) == pytest.approx((1 / 3, 0.5 / 3))
    assert found.fall.test.difference.low is not None
    assert found.fall.test.difference.low < 0  # three cases show nothing
