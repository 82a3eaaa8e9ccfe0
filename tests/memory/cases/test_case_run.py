from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.cases.files import ground, read_cases
from constraintsuite.memory.cases.run import CaseRun, capabilities_of, run_cases
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import ItemResult
from constraintsuite.models.dense import DenseScorer
from memory.cases.tiny_cases import case, dataset, grounded, write_dataset
from memory.tiny_parts import LetterEncoder


def test_one_outcome_a_mode_budget_case_and_wording(tmp_path: Path) -> None:
    data = grounded(tmp_path, case(paraphrases=["boiler broken"], tags=["b", "a"]), case("roof", "roof"))
    outcomes = list(run_cases([data], CaseRun(["lexical_baseline", "ppr"], [2, 4])))
    assert [(o.mode, o.budget, o.item) for o in outcomes[:6]] == [
        ("lexical_baseline", 2, "tiny/boiler#0"),
        ("lexical_baseline", 2, "tiny/boiler#1"),
        ("lexical_baseline", 2, "tiny/roof#0"),
        ("lexical_baseline", 4, "tiny/boiler#0"),
        ("lexical_baseline", 4, "tiny/boiler#1"),
        ("lexical_baseline", 4, "tiny/roof#0"),
    ]
    assert len(outcomes) == 12
    assert outcomes[1].groups == {"fixture": "tiny", "part": "case", "phrasing": "paraphrase", "tags": "a b"}
    assert outcomes[1].cluster == "tiny/boiler"
    assert all(len(o.returned) <= o.budget for o in outcomes)
    assert len({tuple(o.values) for o in outcomes}) == 1


def test_the_same_run_gives_the_same_outcomes(tmp_path: Path) -> None:
    data = grounded(tmp_path, case("prime-a"), case("probe-a", "roof repairs"))
    run = CaseRun(["weighted_graph", "activation_spreading_v1"], [3])
    assert list(run_cases([data], run)) == list(run_cases([data], run))


def test_times_stand_apart_and_come_from_the_given_clock(tmp_path: Path) -> None:
    ticks = count()
    run = CaseRun(["lexical_baseline"], [2], clock=lambda: float(next(ticks)))
    list(run_cases([grounded(tmp_path)], run))
    assert [tuple(latency) for latency in run.latencies] == [("lexical_baseline", "tiny/boiler#0", 2, 1.0)]


TWINS = """# Twins

A workshop.

## Blue

1 The valve of the blue pump is oiled.

## Red

2 The valve of the red pump is oiled.
"""
PRIME = case("prime-red", "red pump", evidence_node_ids=["lease:2"], required_lifecycle_states={"lease:2": "active"})
PROBE = case("probe-valve", "valve oiled", evidence_node_ids=["lease:2"], hard_negatives=["lease:1"])


def in_order(folder: Path, mode: str, *cases: dict[str, Any], budget: int = 2) -> dict[str, ItemResult]:
    """What came of the cases of a sequence about two pumps, by case."""
    data = ground(read_cases(write_dataset(folder, dataset(*cases), TWINS)))
    return {outcome.cluster.split("/")[1]: outcome for outcome in run_cases([data], CaseRun([mode], [budget]))}


DYNAMIC = ["weighted_graph", "activation_spreading_v1"]


@pytest.mark.parametrize("mode", DYNAMIC)
def test_what_a_prime_confirmed_is_found_before_its_twin(tmp_path: Path, mode: str) -> None:
    assert in_order(tmp_path, mode, PRIME, PROBE)["probe-valve"].returned == ("lease:2", "lease:1")


@pytest.mark.parametrize("mode", ["weighted_graph_static", "activation_spreading_static", "ppr", "lexical_baseline"])
def test_a_static_mode_in_the_same_order_does_not_remember(tmp_path: Path, mode: str) -> None:
    assert in_order(tmp_path, mode, PRIME, PROBE)["probe-valve"].returned == ("lease:1", "lease:2")


@pytest.mark.parametrize("mode", DYNAMIC)
def test_without_a_prime_nothing_is_confirmed(tmp_path: Path, mode: str) -> None:
    first = PROBE | {"case_id": "probe-first"}
    assert in_order(tmp_path, mode, first, PROBE)["probe-valve"].returned == ("lease:1", "lease:2")


def test_only_what_was_returned_is_confirmed(tmp_path: Path) -> None:
    elsewhere = case("prime-none", "blue", evidence_node_ids=["lease:2"])
    found = in_order(tmp_path, "weighted_graph,hops=0", elsewhere, PROBE, budget=1)
    assert found["prime-none"].returned == ("lease:1",)
    assert found["probe-valve"].returned == ("lease:1",)


def test_the_lifecycle_of_a_prime_is_that_after_its_confirmation(tmp_path: Path) -> None:
    again = PRIME | {"case_id": "prime-again"}
    found = in_order(tmp_path, "weighted_graph", PRIME, again, PROBE)
    assert found["prime-red"].values["lifecycle_hit"] == 1
    assert found["prime-again"].values["lifecycle_hit"] == 0  # confirmed twice: stabilizing
    assert in_order(tmp_path, "ppr", PRIME, PROBE)["prime-red"].values["lifecycle_hit"] is None


def test_modes_and_budgets_do_not_share_a_state(tmp_path: Path) -> None:
    data = ground(read_cases(write_dataset(tmp_path, dataset(PRIME, PROBE), TWINS)))
    alone = list(run_cases([data], CaseRun(["activation_spreading_v1"], [2])))
    together = list(run_cases([data], CaseRun([*DYNAMIC[:1], "activation_spreading_v1"], [1, 2])))
    assert [o for o in together if (o.mode, o.budget) == ("activation_spreading_v1", 2)] == alone


def test_a_paraphrase_of_a_prime_confirms_nothing(tmp_path: Path) -> None:
    asked = case("prime-red", "blue pump", evidence_node_ids=["lease:2"], paraphrases=["red pump"])
    found = in_order(tmp_path, "weighted_graph,hops=0", asked, PROBE, budget=1)
    assert found["probe-valve"].returned == ("lease:1",)


def test_units_that_do_not_hold_yet_are_not_found(tmp_path: Path) -> None:
    text = "---\nvalid_from: 2030-01-01\n---\n# Lease\n\n1 The landlord repairs the boiler.\n"
    data = ground(read_cases(write_dataset(tmp_path, dataset(), text)))
    for now, found in (("2026-01-01", ()), ("2031-01-01", ("lease:1",))):
        (outcome,) = run_cases([data], CaseRun(["lexical_baseline"], [2], now=now))
        assert outcome.returned == found


@pytest.mark.parametrize(
    ("modes", "budgets", "said"),
    [
        ([], [2], "nothing to run"),
        (["ppr"], [], "nothing to run"),
        (["ppr", "ppr"], [2], "named twice"),
        (["ppr"], [0], "must be 1 or more"),
        (["pprr"], [2], "Did you mean 'ppr'"),
        (["ppr,hops=2"], [2], "unknown key"),
    ],
)
def test_a_run_that_makes_no_sense_is_refused_before_it_begins(
    tmp_path: Path, modes: list[str], budgets: list[int], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        next(run_cases([grounded(tmp_path)], CaseRun(modes, budgets)))


@pytest.mark.parametrize("name", [name for name in MODES.names() if "rerank" not in name] + ["ppr_rerank:bm25"])
def test_a_mode_can_be_asked_for_what_it_shows(tmp_path: Path, name: str) -> None:
    memory = Memory.of(grounded(tmp_path).parts, DenseScorer("letters", LetterEncoder(), "cosine"))
    mode = load_mode(name, memory)
    recall = mode.search("boiler of the landlord", 5)
    can = capabilities_of(mode)
    assert can.walks == bool(recall.paths)
    assert can.dynamic == (name in (*DYNAMIC, "weighted_graph_dynamic", "activation_spreading_dynamic"))
