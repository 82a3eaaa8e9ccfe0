"""Ablations and hypotheses on outcomes whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.memory.cases.run import CaseRun, run_cases
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.effects import AblationFamily, AblationPair, ablate, families, modes_of
from constraintsuite.memory.runs.hypotheses import HypothesisResult, judge_claims
from constraintsuite.memory.runs.modes import choose_modes
from constraintsuite.memory.runs.replay import EdgeRemoval, replays_of
from constraintsuite.memory.runs.table import MemoryTable
from memory.cases.tiny_cases import case, grounded
from memory.runs.made_outcomes import outcome, outcomes

FAMILY = AblationFamily("no structure", "evidence_recall", (AblationPair("ppr", "ppr,damping=0"),))


def recalls(mode: str, marks: str, **groups: str) -> list[ItemResult]:
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
    found = ablate(MemoryTable("tiny", [*recalls("ppr", whole), *recalls("ppr,damping=0", reduced)]), FAMILY)
    (finding,) = found.findings
    assert finding.overall.direction == finding.fixtures[0].direction == direction
    assert found.passed == passed
    assert said in found.sentence


def test_pairs_that_differ_in_more_than_the_part_have_no_say() -> None:
    family = AblationFamily("no structure", "evidence_recall", (), (AblationPair("ppr", "lexical_baseline"),))
    found = ablate(MemoryTable("tiny", [*recalls("ppr", "1" * 12), *recalls("lexical_baseline", "0" * 12)]), family)
    assert not found.passed
    assert found.beside[0].overall.direction == "gain"


def test_without_its_modes_a_family_is_not_tested() -> None:
    assert (
        ablate(MemoryTable("tiny", recalls("ppr", "11")), FAMILY).sentence
        == "no structure: not tested, since the run lacks its modes."
    )


def test_the_four_families_run_on_real_modes(tmp_path: Path) -> None:
    wanted = families(encoder=False)
    assert [family.name for family in wanted] == ["no structure", "no weights", "no path expansion", "no dynamics"]
    data = grounded(tmp_path, case("prime-a"), case("probe-a", "landlord", tags=["context"]), case("probe-b", "roof"))
    table = MemoryTable("tiny", list(run_cases([data], CaseRun(modes_of(wanted), [2]))))
    compared = {family.name: ablate(table, family).findings[0].overall.test.difference.n for family in wanted}
    # A probe that needs its context says nothing about evidence, a prime nothing about dynamics.
    assert compared == {"no structure": 2, "no weights": 2, "no path expansion": 2, "no dynamics": 2}


def claim(name: str, rows: list[ItemResult], **rest: object) -> HypothesisResult:
    return next(c for c in judge_claims(MemoryTable("tiny", rows), 5, **rest) if c.name == name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flat", "graph", "judgement"),
    [
        ("0" * 10 + "1" * 10, "1" * 20, "supported"),
        ("1" * 24, "1" * 24, "not supported"),  # 15 % more than all cannot be
        ("11", "11", "undecided"),  # two cases show nothing
        ("01" * 10, "01" * 10, "not supported"),
        ("0111111111", "1111111111", "undecided"),
    ],
)
def test_h1_asks_for_15_percent_more_on_multi_hop_cases(flat: str, graph: str, judgement: str) -> None:
    rows = [*recalls("lexical_baseline", flat, tags="multi_hop"), *recalls("ppr", graph, tags="multi_hop")]
    easy = [*recalls("lexical_baseline", "1" * 40, tags="direct"), *recalls("ppr", "0" * 40, tags="direct")]
    assert claim("H1", [*rows, *(replace(row, item=f"easy/{row.item}") for row in easy)]).judgement == judgement


def speeds(weighted: float, plain: float) -> Timing:
    modes = {"weighted_graph_static": weighted, "structure_only": plain}
    return Timing(1.0, tuple(SystemSpeed(mode, "budget=5", 10, 3, p50, p50, p50) for mode, p50 in modes.items()))


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


def removals(traced: int, untraced: int, cases: int = 40, mode: str = "ppr") -> list[EdgeRemoval]:
    """Of so many walks the first `traced` hold up their unit, and so do the first of five edges beside `untraced` of them."""
    return [
        EdgeRemoval(mode, 5, f"tiny/{n}", "lease:1", n < traced, False, 5, int(n < untraced), 0) for n in range(cases)
    ]


@pytest.mark.parametrize(
    ("validity", "p50", "walks", "judgement"),
    [
        ("1" * 10, 5.0, removals(40, 0), "supported"),
        ("1" * 9 + "0", 5.0, removals(40, 0), "not supported"),
        ("1" * 10, 250.0, removals(40, 0), "not supported"),
        ("1" * 10, 5.0, removals(8, 40), "undecided"),  # an edge that was not told has the same effect
        ("1" * 10, 5.0, removals(0, 40), "not supported"),
        ("1" * 10, 5.0, removals(2, 0, cases=2), "undecided"),  # two walks show nothing
        ("1" * 10, 5.0, [], "undecided"),
    ],
)
def test_h3_asks_for_edges_causes_and_time(validity: str, p50: float, walks: list[EdgeRemoval], judgement: str) -> None:
    rows = outcomes("ppr", validity, "edge_validity")
    time = Timing(1.0, (SystemSpeed("ppr", "budget=5", 10, 3, p50, p50, p50),))
    assert claim("H3", rows, timing=time, replays=replays_of(walks)).judgement == judgement


def test_h3_tells_the_shares_behind_the_difference_and_looks_at_its_own_budget() -> None:
    rows = outcomes("ppr", "1" * 10, "edge_validity")
    assert "in 40 walks, removing the last edge lowers the unit's score in 50.0 % of cases (other edges: 5.0 %)" in (
        claim("H3", rows, replays=replays_of(removals(20, 10))).sentence
    )
    elsewhere = [replace(row, budget=10) for row in removals(40, 0)]
    assert claim("H3", rows, replays=replays_of(elsewhere)).sentence == (
        "Without times and replays of ppr it cannot be decided in full."
    )


def fast(*modes: str) -> Timing:
    return Timing(1.0, tuple(SystemSpeed(mode, "budget=5", 10, 3, 5.0, 5.0, 5.0) for mode in modes))


@pytest.mark.parametrize(
    ("timed", "replayed"), [(("ppr",), ("ppr", "structure_only")), (("ppr", "structure_only"), ("ppr",))]
)
def test_h3_is_undecided_while_a_mode_lacks_times_or_replays(timed: tuple[str, ...], replayed: tuple[str, ...]) -> None:
    rows = [row for mode in ("ppr", "structure_only") for row in outcomes(mode, "1" * 10, "edge_validity")]
    walks = [row for mode in replayed for row in removals(40, 0, mode=mode)]
    found = claim("H3", rows, timing=fast(*timed), replays=replays_of(walks))
    assert found.judgement == "undecided"
    assert "Without times and replays of structure_only it cannot be decided in full." in found.sentence


@pytest.mark.parametrize(("traced", "judgement"), [(40, "supported"), (20, "undecided"), (4, "not supported")])
def test_h3_asks_of_a_best_walk_only_that_most_last_edges_count(traced: int, judgement: str) -> None:
    rows = outcomes("structure_only", "1" * 10, "edge_validity")
    walks = replays_of(removals(traced, 0, mode="structure_only"))
    found = claim("H3", rows, timing=fast("structure_only"), replays=walks)
    assert found.judgement == judgement
    assert [each.p for each in found.evidence] == [None, None, None]  # no test that it could not fail


def test_without_a_mode_that_walks_h3_is_undecided() -> None:
    found = claim("H3", recalls("lexical_baseline", "11"), timing=fast("lexical_baseline"))
    assert (found.judgement, found.sentence) == ("undecided", "No mode that walks was run.")


def probes(mode: str, tags: str, value: float) -> list[ItemResult]:
    name = tags or "other"
    return [outcome(f"{name}/{n}#0", {"probe_mrr": value}, mode, part="probe", tags=tags) for n in range(12)]


@pytest.mark.parametrize(
    ("helped", "harmed", "judgement"),
    [
        (0.5, 0.0, "supported"),
        (0.5, -0.5, "not supported"),
        (0.0, 0.5, "undecided"),  # a gain where none is asked for
        (-0.5, 0.0, "not supported"),
        (0.5, None, "undecided"),  # nothing was asked that it could harm
    ],
)
def test_the_dynamic_claim_asks_for_help_and_for_no_harm(helped: float, harmed: float | None, judgement: str) -> None:
    rows = [*probes("weighted_graph", "context", 0.5 + helped), *probes("weighted_graph_static", "context", 0.5)]
    if harmed is not None:
        rows += [*probes("weighted_graph", "", 0.5 + harmed), *probes("weighted_graph_static", "", 0.5)]
    found = claim("dynamic", rows)
    assert found.judgement == judgement
    assert ("weighted_graph does harm." in found.sentence) == (harmed == -0.5)


def test_a_loss_in_three_probes_is_no_harm_shown() -> None:
    kept = probes("weighted_graph_static", "", 0.5)[:3]
    lost = [
        replace(row, values={"probe_mrr": v})
        for row, v in zip(probes("weighted_graph", "", 0.5), (0.1, 0.1, 0.11), strict=False)
    ]
    found = claim("dynamic", [*kept, *lost])
    assert (found.judgement, found.evidence[0].p) == ("undecided", 0.25)
    assert "does harm" not in found.sentence


def test_a_gain_is_not_supported_over_a_loss_that_may_be_chance() -> None:
    helped = [*probes("weighted_graph", "context", 1.0), *probes("weighted_graph_static", "context", 0.5)]
    harmed = [*probes("weighted_graph", "", 0.0)[:5], *probes("weighted_graph_static", "", 0.9)[:5]]
    found = claim("dynamic", [*helped, *harmed])
    assert [each.judgement for each in found.evidence] == ["supported", "undecided"]
    assert found.judgement == "undecided"


def test_without_a_sequence_nothing_is_said_of_dynamics() -> None:
    found = claim("dynamic", outcomes("weighted_graph", "11", "probe_mrr"))
    assert (found.judgement, found.sentence) == ("undecided", "No sequence was run with both.")


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
        ("hybrid", "compares vectors. Name an encoder"),
        ("weighted_grap", "Did you mean 'weighted_graph"),
    ],
)
def test_a_mode_that_cannot_be_run_is_refused(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        choose_modes([name], encoder=False)
