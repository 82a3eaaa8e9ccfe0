"""Ablations and hypotheses on outcomes whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.memory.cases.run import CaseRun, run_cases
from constraintsuite.memory.outcomes import Outcome
from constraintsuite.memory.runs.ablations import Family, Pair, ablate, families, modes_of
from constraintsuite.memory.runs.hypotheses import Claim, judge_claims
from constraintsuite.memory.runs.latency import Speed, Timing
from constraintsuite.memory.runs.replay import Replay, replay
from constraintsuite.memory.runs.selection import choose_modes
from constraintsuite.metrics.intervals import wilson
from memory.cases.tiny_cases import case, grounded
from memory.runs.made_outcomes import outcome, outcomes

FAMILY = Family("no structure", "evidence_recall", (Pair("ppr", "ppr,damping=0"),))


def recalls(mode: str, marks: str, **groups: str) -> list[Outcome]:
    return outcomes(mode, marks, "evidence_recall", **groups)


@pytest.mark.parametrize(
    ("whole", "reduced", "direction", "passed", "said"),
    [
        ("1" * 12, "0" * 12, "gain", True, "no structure: pass. With 95 % intervals, evidence_recall is higher with the part on tiny"),
        ("0" * 12, "1" * 12, "loss", False, "no structure: fail. With 95 % intervals, evidence_recall is higher nowhere, lower on tiny"),
        ("10" * 6, "01" * 6, "undecided", False, "higher nowhere, lower nowhere"),
        ("1" * 12, "1" * 12, "undecided", False, "higher nowhere, lower nowhere"),
        ("1" * 4, "0" * 4, "gain", False, "None of the gains is left after correction"),
    ],
)  # fmt: skip
def test_an_ablation_says_its_direction_plainly(
    whole: str, reduced: str, direction: str, passed: bool, said: str
) -> None:
    found = ablate([*recalls("ppr", whole), *recalls("ppr,damping=0", reduced)], FAMILY)
    (finding,) = found.findings
    assert finding.overall.direction == finding.fixtures[0].direction == direction
    assert found.passed == passed
    assert said in found.sentence


def test_pairs_that_differ_in_more_than_the_part_have_no_say() -> None:
    family = Family("no structure", "evidence_recall", (), (Pair("ppr", "lexical_baseline"),))
    found = ablate([*recalls("ppr", "1" * 12), *recalls("lexical_baseline", "0" * 12)], family)
    assert not found.passed
    assert found.beside[0].overall.direction == "gain"


def test_without_its_modes_a_family_is_not_tested() -> None:
    assert ablate(recalls("ppr", "11"), FAMILY).sentence == "no structure: not tested, since the run lacks its modes."


def test_dynamics_are_judged_on_probes_alone() -> None:
    family = Family("no dynamics", "mrr", (Pair("weighted_graph", "weighted_graph_static"),), probes_only=True)
    rows = [
        outcome(
            f"tiny/{part}{n}#0", {"mrr": float(mode == "weighted_graph") if part == "prime" else 0.5}, mode, part=part
        )
        for mode in ("weighted_graph", "weighted_graph_static")
        for part in ("prime", "probe")
        for n in range(12)
    ]
    (finding,) = ablate(rows, family).findings
    assert (finding.overall.direction, finding.overall.contrast.difference.n) == ("undecided", 12)


def test_the_four_families_run_on_real_modes(tmp_path: Path) -> None:
    wanted = families(encoder=False)
    assert [family.name for family in wanted] == ["no structure", "no weights", "no path expansion", "no dynamics"]
    data = grounded(tmp_path, case("prime-a"), case("probe-a", "landlord"))
    rows = list(run_cases([data], CaseRun(modes_of(wanted), [2])))
    assert all(ablate(rows, family).findings for family in wanted)


def claim(name: str, rows: list[Outcome], **rest: object) -> Claim:
    return next(c for c in judge_claims(rows, 5, **rest) if c.name == name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flat", "graph", "judgement"),
    [
        ("0" * 10 + "1" * 10, "1" * 20, "supported"),
        ("1" * 20, "1" * 20, "not supported"),  # 15 % more than all cannot be
        ("01" * 10, "01" * 10, "not supported"),
        ("0111111111", "1111111111", "undecided"),
    ],
)
def test_h1_asks_for_15_percent_more_on_multi_hop_cases(flat: str, graph: str, judgement: str) -> None:
    rows = [*recalls("lexical_baseline", flat, tags="multi_hop"), *recalls("ppr", graph, tags="multi_hop")]
    easy = [*recalls("lexical_baseline", "1" * 40, tags="direct"), *recalls("ppr", "0" * 40, tags="direct")]
    assert claim("H1", [*rows, *easy]).judgement == judgement


def speeds(weighted: float, plain: float) -> Timing:
    modes = {"weighted_graph_static": weighted, "structure_only": plain}
    return Timing(1.0, tuple(Speed(mode, 5, 10, 3, p50, p50, p50) for mode, p50 in modes.items()))


@pytest.mark.parametrize(
    ("weighted", "plain", "time", "judgement"),
    [
        ("1" * 12, "0" * 12, speeds(1.1, 1.0), "supported"),
        ("1" * 12, "0" * 12, speeds(1.3, 1.0), "not supported"),
        ("1" * 12, "0" * 12, None, "undecided"),
        ("0" * 12, "1" * 12, speeds(1.0, 1.0), "not supported"),
        ("0" * 12, "0" * 12, speeds(1.0, 1.0), "undecided"),
    ],
)
def test_h2_asks_for_critical_evidence_and_time(weighted: str, plain: str, time: Timing | None, judgement: str) -> None:
    rows = [
        *outcomes("weighted_graph_static", weighted, "top3_recall", tags="critical"),
        *outcomes("structure_only", plain, "top3_recall", tags="critical"),
    ]
    assert claim("H2", rows, timing=time).judgement == judgement


@pytest.mark.parametrize(
    ("validity", "p50", "changed", "judgement"),
    [
        ("1" * 10, 5.0, 100, "supported"),
        ("1" * 9 + "0", 5.0, 100, "not supported"),
        ("1" * 10, 250.0, 100, "not supported"),
        ("1" * 10, 5.0, 50, "not supported"),
        ("1" * 10, 5.0, None, "undecided"),
    ],
)
def test_h3_asks_for_edges_causes_and_time(validity: str, p50: float, changed: int | None, judgement: str) -> None:
    rows = outcomes("ppr", validity, "edge_validity")
    replays = [] if changed is None else [Replay("ppr", 5, 100, wilson(changed, 100))]
    time = Timing(1.0, (Speed("ppr", 5, 10, 3, p50, p50, p50),))
    assert claim("H3", rows, timing=time, replays=replays).judgement == judgement


def test_the_dynamic_claim_tells_gain_and_harm() -> None:
    def rows(mode: str, fixture: str, value: float) -> list[Outcome]:
        return [outcome(f"{fixture}/{n}#0", {"mrr": value}, mode, part="probe") for n in range(12)]

    found = claim(
        "dynamic",
        [
            *rows("weighted_graph", "help", 1.0),
            *rows("weighted_graph_static", "help", 0.5),
            *rows("weighted_graph", "harm", 0.5),
            *rows("weighted_graph_static", "harm", 1.0),
        ],
    )
    assert found.judgement == "supported"
    assert "on the probes of help: gain" in found.sentence
    assert "on the probes of harm: loss" in found.sentence


@pytest.mark.parametrize("mode", ["structure_only", "weighted_graph_static", "activation_spreading_static", "ppr"])
def test_without_the_last_edge_of_its_best_walk_an_answer_is_another(tmp_path: Path, mode: str) -> None:
    data = grounded(tmp_path, case(), case("arrears", "months of arrears", evidence_node_ids=["lease:4"]))
    found = replay([data], mode, 4)
    assert (found.asked, found.changed.n, found.changed.value) == (2, 2, 1.0)


def test_a_mode_that_does_not_walk_has_nothing_to_replay(tmp_path: Path) -> None:
    assert replay([grounded(tmp_path)], "lexical_baseline", 3).changed.value is None


@pytest.mark.parametrize(
    ("names", "encoder", "chosen"),
    [
        (["weighted_graph_dynamic", "weighted_graph"], False, ["weighted_graph_dynamic"]),
        (["ppr", "ppr,damping=0", "ppr"], False, ["ppr", "ppr,damping=0"]),
        (["all", "ppr"], False, ["lexical_baseline", "structure_only", "weighted_graph", "weighted_graph_static",
                                "activation_spreading_v1", "activation_spreading_static", "ppr"]),
        (["hybrid"], True, ["hybrid"]),
    ],
)  # fmt: skip
def test_modes_are_chosen_once_each(names: list[str], encoder: bool, chosen: list[str]) -> None:
    assert choose_modes(names, encoder=encoder) == chosen


def test_all_with_an_encoder_are_two_more() -> None:
    more = set(choose_modes(["all"], encoder=True)) - set(choose_modes(["all"], encoder=False))
    assert more == {"embedding_baseline", "hybrid"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("palace_weighted_graph", "spaces and routes have no counterpart here. Use 'weighted_graph'"),
        ("hybrid", "compares vectors. Name an encoder"),
        ("weighted_grap", "Did you mean 'weighted_graph"),
    ],
)
def test_a_mode_that_cannot_be_run_is_refused(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        choose_modes([name], encoder=False)
