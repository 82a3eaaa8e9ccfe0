"""Answers written by hand, and what each check makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from constraintsuite.memory.cases.answer_checks import best_path_trace
from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.cases.run import CHECKS, Capabilities, CaseJudge
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.records import Edge, MemoryDocument, Unit
from constraintsuite.memory.results import PathStep, Recalled, SearchAnswer, SearchPath, TraceStep
from memory.cases.tiny_cases import case

GRAPH = build_graph(
    [
        MemoryDocument(
            "lease",
            "Lease",
            "0" * 64,
            tuple(
                Unit(f"lease:{n}", "lease", f"clause {n}", roles=("exception",) if n == 2 else ("obligation",))
                for n in range(1, 7)
            ),
            (
                Edge("lease:1", "lease:2", "next"),
                Edge("lease:2", "lease:1", "exception_to"),
                Edge("lease:4", "lease:3", "depends_on"),
                Edge("lease:5", "lease:6", "contradicts"),
            ),
        )
    ]
)
ALL = Capabilities(walks=True, dynamic=True)


def values(
    wanted: dict[str, Any],
    ranking: str,
    *paths: SearchPath,
    trace: tuple[TraceStep, ...] = (),
    states: dict[str, Any] | None = None,
    can: Capabilities = ALL,
) -> dict[str, float | None]:
    """The values of a ranking of clauses ("213"), at a budget of four."""
    ranked = tuple(Recalled(f"lease:{n}", rank, 1 / rank) for rank, n in enumerate(ranking, 1))
    recall = SearchAnswer("who", "made", ranked, paths, trace)
    return CaseJudge(GRAPH).values(BenchmarkCase.model_validate(case(**wanted)), recall, 4, can, states)


def walk(*steps: tuple[Any, ...], score: float = 1.0) -> SearchPath:
    return SearchPath(tuple(PathStep(f"lease:{n}", 1.0, *rest) for n, *rest in steps), score)


@pytest.mark.parametrize(
    ("gold", "least", "ranking", "expected"),
    [
        ("12", 2, "12", {"evidence_hit": 1, "hit": 1, "all_gold": 1, "evidence_recall": 1, "evidence_precision": 1}),
        (
            "12",
            2,
            "31",
            {"evidence_hit": 0, "hit": 1, "all_gold": 0, "evidence_recall": 0.5, "evidence_precision": 0.5},
        ),
        ("12", 1, "31", {"evidence_hit": 1, "all_gold": 0, "evidence_f1": 0.5, "mrr": 0.5}),
        (
            "1",
            1,
            "3456",
            {"evidence_hit": 0, "hit": 0, "evidence_recall": 0, "evidence_f1": 0, "mrr": 0, "top3_recall": 0},
        ),
        ("1", 1, "3451", {"evidence_hit": 1, "top3_recall": 0, "mrr": 0.25}),
        ("1", 1, "", {"evidence_hit": 0, "evidence_recall": 0, "evidence_precision": None, "units": 0, "pass": 0}),
    ],
)
def test_evidence(gold: str, least: int, ranking: str, expected: dict[str, float | None]) -> None:
    wanted = {"evidence_node_ids": [f"lease:{n}" for n in gold], "minimum_evidence_matches": least}
    found = values(wanted, ranking)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("ranking", "hit", "order"),
    [
        ("13", 1, 1),  # the evidence is first
        ("31", 0, 0),  # the negative is
        ("132", 1, 0.5),  # between two pieces of evidence
        ("1", 1, 1),  # the negative is not there
        ("3", 0, 0),  # nothing but the negative
        ("4", None, None),  # neither is there
    ],
)
def test_a_hard_negative_must_not_rank_above_the_evidence(ranking: str, hit: float | None, order: float | None) -> None:
    gold = ["lease:1", "lease:2"] if ranking == "132" else ["lease:1"]
    found = values({"evidence_node_ids": gold, "hard_negatives": ["lease:3"]}, ranking)
    assert (found["hard_negatives_hit"], found["negative_order"]) == (hit, order)


TO_RULE = {"steps": [{"node_id": "lease:2"}, {"node_id": "lease:1", "via_edge_type": "exception_to"}]}
RIGHT = walk((2,), (1, "exception_to", False))
LONGER = walk((3,), (2, "next", False), (1, "exception_to", False))


@pytest.mark.parametrize(
    ("path", "scope", "paths", "hit", "precision", "recall", "edit"),
    [
        (TO_RULE, "any_path", [RIGHT], 1, 1, 1, 0),
        (TO_RULE, "any_path", [walk((5,)), RIGHT], 1, 1, 1, 0),
        (TO_RULE, "best_path", [walk((5,)), RIGHT], 0, 0, 0, 1),
        (TO_RULE, "any_path", [LONGER], 1, 2 / 3, 1, 1 / 3),
        (TO_RULE | {"match_mode": "exact"}, "any_path", [LONGER], 0, 2 / 3, 1, 1 / 3),
        (TO_RULE, "any_path", [walk((2,), (1, "next", True))], 0, 1, 1, 0),  # the right nodes by another edge
        (TO_RULE, "any_path", [], 0, None, 0, 1),
        ({"steps": [{"node_id": "lease:1", "via_edge_type": "causes"}]}, "any_path", [RIGHT], None, None, None, None),
    ],
)
def test_paths(
    path: dict[str, Any], scope: str, paths: list[SearchPath], hit: float, precision: float, recall: float, edit: float
) -> None:
    found = values({"path": path, "path_scope": scope}, "12", *paths)
    names = ("path_hit", "path_precision", "path_recall", "path_edit")
    assert [found[name] for name in names] == [hit, precision, recall, edit]


@pytest.mark.parametrize(
    ("path", "validity"),
    [
        (walk((1,), (2, "next", False)), 1),
        (walk((2,), (1, "next", True)), 1),
        (walk((2,), (1, "next", False)), 0),  # the edge leads the other way
        (walk((1,), (3, "next", False)), 0),
        (walk((1,)), None),
        (walk((1,), (2, "next", False), (3, "synonym", False)), 1),  # a likeness of names is no edge
    ],
)
def test_an_edge_is_valid_if_it_exists_in_that_direction(path: SearchPath, validity: float | None) -> None:
    assert values({}, "1", path)["edge_validity"] == validity


@pytest.mark.parametrize(
    ("required", "paths", "hit"),
    [
        (["exception_to"], [RIGHT], 1),
        (["exception_to"], [walk((5,)), RIGHT], 0),  # not on the best path
        (["next_unit"], [walk((1,), (2, "next", False))], 1),
        (["causes"], [RIGHT], None),
    ],
)
def test_edge_types_are_looked_for_on_the_best_path(
    required: list[str], paths: list[SearchPath], hit: float | None
) -> None:
    assert values({"required_edge_types": required}, "12", *paths)["edge_types_hit"] == hit


@pytest.mark.parametrize(
    ("gold", "required", "ranking", "hit", "known"),
    [
        ("12", ["exception", "obligation"], "12", 1, 1),
        ("12", ["exception", "obligation"], "13", 0, 1),  # 3 is an obligation too, but the exception is not returned
        ("1", ["obligation"], "3", 0, 1),  # an obligation, and no evidence
        ("1", ["remedy"], "1", None, 0),  # nobody sees a remedy in the evidence: no ranking could show one
        ("1", ["remedy", "obligation"], "1", 1, 0),
        ("1", [], "1", None, None),
    ],
)
def test_roles_are_those_of_returned_evidence(
    gold: str, required: list[str], ranking: str, hit: float | None, known: float | None
) -> None:
    wanted = {"evidence_node_ids": [f"lease:{n}" for n in gold], "required_semantic_roles": required}
    found = values(wanted, ranking)
    assert (found["roles_hit"], found["roles_known"]) == (hit, known)


@pytest.mark.parametrize(
    ("pairs", "ranking", "hit", "recall", "precision", "known"),
    [
        ([["lease:1", "lease:2"]], "12", 1, 1, 1, 1),
        ([["lease:2", "lease:1"]], "1256", 1, 1, 0.5, 1),  # one more conflict is shown than was asked for
        ([["lease:1", "lease:2"], ["lease:5", "lease:6"]], "123", 0, 0.5, 1, 1),
        (
            [["lease:3", "lease:4"]],
            "34",
            1,
            1,
            None,
            0,
        ),  # both are there, but the memory does not know that they conflict
        ([["lease:1", "lease:2"]], "13", 0, 0, None, 1),
    ],
)
def test_contradictions(
    pairs: list[list[str]], ranking: str, hit: float, recall: float, precision: float | None, known: float
) -> None:
    found = values({"required_contradiction_pairs": pairs}, ranking)
    names = ("contradiction_hit", "contradiction_recall", "contradiction_precision", "conflict_known")
    assert [found[name] for name in names] == [hit, recall, precision, known]


def test_what_the_memory_does_not_know_is_no_fault_of_a_ranking() -> None:
    wanted = {"required_contradiction_pairs": [["lease:1", "lease:3"]], "required_semantic_roles": ["remedy"]}
    found = values(wanted, "13")
    assert (found["ranking_pass"], found["pass"]) == (1, 0)


TRACE = (
    TraceStep("lease:2", None, None, 0, 1.0, 1.0, seed=True),
    TraceStep("lease:5", None, None, 0, 0.5, 0.5, seed=True, stopped="below_threshold"),
    TraceStep("lease:1", "lease:2", "exception_to", 1, 1.0, 0.7, stopped="max_hops"),
)
BOTH = [{"node_id": "lease:2", "is_seed": True}, {"node_id": "lease:1", "hop": 1}]


def test_the_trace_of_the_best_path_is_what_it_is_made_of() -> None:
    recall = SearchAnswer("who", "made", (), (RIGHT,), TRACE)
    assert [step.node for step in best_path_trace(recall)] == ["lease:2", "lease:1"]
    assert best_path_trace(SearchAnswer("who", "made", ())) == []


@pytest.mark.parametrize(
    ("wanted", "name", "hit"),
    [
        ({"activation_trace": {"match_mode": "exact", "steps": BOTH}}, "trace_hit", 1),
        ({"activation_trace": {"steps": [{"node_id": "lease:5"}]}}, "trace_hit", 0),  # not on the best path
        ({"activation_snapshot": {"steps": [{"node_id": "lease:5", "stopped_reason": "below_threshold"}]}}, "snapshot_hit", 1),
        ({"activation_snapshot": {"steps": [{"node_id": "lease:1", "edge_type": "next_unit"}]}}, "snapshot_hit", 0),
        ({"activation_snapshot": {"steps": [{"node_id": "lease:1", "edge_type": "recalls"}]}}, "snapshot_hit", None),
        ({"min_activation_trace_length": 2, "max_activation_trace_length": 2}, "trace_hit", 1),
        ({"min_activation_trace_length": 3}, "trace_hit", 0),
        ({"max_activation_trace_length": 1}, "trace_hit", 0),
        ({"activation_trace": {"steps": BOTH}, "max_activation_trace_length": 1}, "trace_hit", 0),
        ({"required_trace_stop_reasons": ["max_hops"]}, "trace_hit", 1),
        ({"required_trace_stop_reasons": ["below_threshold"]}, "trace_hit", 0),
        ({"required_trace_stop_reasons": ["outside_space_scope"]}, "trace_hit", None),
        ({}, "trace_hit", None),
    ],
)  # fmt: skip
def test_traces(wanted: dict[str, Any], name: str, hit: float | None) -> None:
    assert values(wanted, "12", RIGHT, trace=TRACE)[name] == hit


@pytest.mark.parametrize(("state", "hit"), [("active", 1), ("encoded", 0)])
def test_the_lifecycle_is_that_after_the_query(state: str, hit: float) -> None:
    wanted = {"required_lifecycle_states": {"lease:1": "active"}}
    assert values(wanted, "1", states={"lease:1": state})["lifecycle_hit"] == hit


@pytest.mark.parametrize(
    ("wanted", "can", "passed"),
    [
        ({}, ALL, 1),
        ({"path": TO_RULE}, ALL, 0),
        ({"path": TO_RULE}, Capabilities(walks=False, dynamic=False), None),
        ({"required_lifecycle_states": {"lease:1": "active"}}, Capabilities(walks=True, dynamic=False), None),
        ({"required_space_ids": ["x"]}, ALL, None),
        ({"route": {"steps": [{"node_id": "x"}]}}, ALL, None),
        ({"path": {"steps": [{"node_id": "lease:1", "via_edge_type": "causes"}]}}, ALL, None),
        ({"min_activation_trace_length": 1}, ALL, 0),
        ({"max_activation_trace_length": 9}, ALL, 0),  # no path, so none of that length
        ({"min_activation_trace_length": 1}, Capabilities(walks=False, dynamic=False), None),
    ],
)
def test_a_case_whose_checks_cannot_all_be_made_is_neither_passed_nor_failed(
    wanted: dict[str, Any], can: Capabilities, passed: float | None
) -> None:
    found = values(wanted, "1", states={"lease:1": "active"}, can=can)
    assert found["pass"] == passed
    assert found["ranking_pass"] == 1


PROBE = BenchmarkCase.model_validate(
    case("probe-who", evidence_node_ids=["lease:2"], hard_negatives=["lease:1"], tags=["context"])
)


@pytest.mark.parametrize(
    ("changes", "mrr", "probe_mrr"),
    [
        ({}, None, 0.5),
        ({"tags": ("switch",)}, 0.5, 0.5),
        ({"case_id": "who"}, 0.5, None),  # the tag alone makes no probe
    ],
)
def test_a_probe_that_needs_its_context_is_measured_as_a_probe_alone(
    changes: dict[str, Any], mrr: float | None, probe_mrr: float | None
) -> None:
    asked = PROBE.model_copy(update=changes)
    recall = SearchAnswer("who", "made", (Recalled("lease:1", 1, 1.0), Recalled("lease:2", 2, 0.5)))
    found = CaseJudge(GRAPH).values(asked, recall, 4, ALL)
    assert (found["mrr"], found["probe_mrr"]) == (mrr, probe_mrr)
    others = {"pass", "ranking_pass", "evidence_hit", "evidence_recall", "hard_negatives_hit", "negative_order"}
    assert {name for name in others if found[name] is None} == (others if mrr is None else set())
    assert found["units"] == 2


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_can_fail_a_case(check: str) -> None:
    nothing: dict[str, dict[str, Any]] = {
        "evidence_hit": {"evidence_node_ids": ["lease:6"]},
        "hard_negatives_hit": {"evidence_node_ids": ["lease:6"], "hard_negatives": ["lease:1"]},
        "roles_hit": {
            "evidence_node_ids": ["lease:1", "lease:2"],
            "required_semantic_roles": ["exception"],
        },
        "roles_known": {"required_semantic_roles": ["remedy"]},
        "conflict_known": {"required_contradiction_pairs": [["lease:1", "lease:3"]]},
        "contradiction_hit": {"required_contradiction_pairs": [["lease:1", "lease:2"]]},
        "path_hit": {"path": TO_RULE},
        "edge_types_hit": {"required_edge_types": ["next"]},
        "trace_hit": {"activation_trace": {"steps": [{"node_id": "lease:1"}]}},
        "snapshot_hit": {"activation_snapshot": {"steps": [{"node_id": "lease:1"}]}},
        "lifecycle_hit": {"required_lifecycle_states": {"lease:1": "active"}},
    }
    found = values(nothing[check], "1", states={"lease:1": "encoded"})
    assert found[check] == 0
    assert found["pass"] == 0
