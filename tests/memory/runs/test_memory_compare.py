from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.memory.runs.compare import compare, compare_modes, made_otherwise
from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.memory.runs.robustness import rewordings_of
from memory.runs.made_outcomes import SOURCE, made_run, outcome, outcomes


def test_two_runs_are_compared_item_by_item(tmp_path: Path) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "1" * 20))
    after = made_run(tmp_path / "after", outcomes("ppr", "0" * 10 + "1" * 10))
    (change,) = compare(before, after, ["evidence_hit"])
    assert (change.mode, change.budget, change.metric) == ("ppr", 5, "evidence_hit")
    assert change.contrast.difference.value == -0.5
    assert change.contrast.difference.high is not None
    assert change.contrast.difference.high < 0
    assert change.contrast.p == 2 / 2**10


def test_items_without_a_value_on_one_side_do_not_count(tmp_path: Path) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "1-10"))
    after = made_run(tmp_path / "after", outcomes("ppr", "110-"))
    (change,) = compare(before, after, ["evidence_hit"])
    assert (change.contrast.difference.value, change.contrast.difference.n) == (-0.5, 2)


def test_p_is_corrected_for_all_changes_together(tmp_path: Path) -> None:
    def rows(marks: str) -> list:  # type: ignore[type-arg]
        return [*outcomes("ppr", marks), *outcomes("hybrid", marks)]

    changes = compare(
        made_run(tmp_path / "a", rows("1" * 8)), made_run(tmp_path / "b", rows("0" * 8)), ["evidence_hit"]
    )
    assert [(c.contrast.p, c.contrast.holm) for c in changes] == [(2 / 2**8, 4 / 2**8)] * 2


def test_a_verdict_on_whole_cases_can_be_compared(tmp_path: Path) -> None:
    def rows(marks: tuple[int, ...]) -> list:  # type: ignore[type-arg]
        return [outcome(f"tiny/a#{n}", {"pass": float(mark)}) for n, mark in enumerate(marks)]

    (change,) = compare(
        made_run(tmp_path / "a", rows((1, 1, 1, 0))), made_run(tmp_path / "b", rows((1, 1, 0, 0))), ["case_pass"]
    )
    assert (change.contrast.difference.value, change.contrast.difference.n) == (-1.0, 1)


@pytest.mark.parametrize(
    ("inputs", "marks", "said"),
    [
        ({"dataset tiny": "other", "memory tiny": "m1"}, "11", "not of the same data: dataset tiny differs"),
        ({"dataset tiny": "d1", "memory tiny": "other"}, "11", "not of the same data: memory tiny differs"),
        (SOURCE.inputs, "111", "0 items of .* are missing, and 1 are new"),
    ],
)
def test_runs_of_other_data_are_not_compared(tmp_path: Path, inputs: dict[str, str], marks: str, said: str) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "11"))
    after = made_run(tmp_path / "after", outcomes("ppr", marks), source=replace(SOURCE, inputs=inputs))
    with pytest.raises(UserError, match=said):
        compare(before, after, ["evidence_hit"])


def test_runs_of_unequal_budgets_are_not_compared(tmp_path: Path) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "11"))
    cut = replace(SOURCE, settings={**SOURCE.settings, "most_tokens": 60})
    after = made_run(tmp_path / "after", outcomes("ppr", "11"), source=cut)
    with pytest.raises(UserError, match=r"was run with most_tokens None, .* with 60"):
        compare(before, after, ["evidence_hit"])


def test_another_choice_of_modes_is_no_other_condition(tmp_path: Path) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "11"))
    more = replace(SOURCE, settings={**SOURCE.settings, "modes": ["ppr", "hybrid"]})
    assert compare(before, made_run(tmp_path / "after", outcomes("ppr", "10"), source=more), ["evidence_hit"])


@pytest.mark.parametrize("model", ["encoder", "reranker cross:small"])
def test_another_model_is_no_other_data_and_is_told(tmp_path: Path, model: str) -> None:
    before = made_run(
        tmp_path / "before", outcomes("ppr", "11"), source=replace(SOURCE, inputs={**SOURCE.inputs, model: "a"})
    )
    after = made_run(
        tmp_path / "after", outcomes("ppr", "10"), source=replace(SOURCE, inputs={**SOURCE.inputs, model: "b"})
    )
    assert len(compare(before, after, ["evidence_hit"])) == 1
    assert list(made_otherwise(before, after)) == [f"The {model} is not the same in both runs."]


def test_options_that_changed_are_told(tmp_path: Path) -> None:
    def run(name: str, damping: float) -> MemoryRun:
        options = {"ppr": {"mode": "ppr", "damping": damping}}
        source = replace(SOURCE, settings={**SOURCE.settings, "options": options})
        return made_run(tmp_path / name, outcomes("ppr", "11"), source=source)

    assert list(made_otherwise(run("before", 0.5), run("after", 0.6))) == ["ppr: damping was 0.5, and is 0.6."]


def test_runs_without_a_common_mode_or_metric_are_refused(tmp_path: Path) -> None:
    before = made_run(tmp_path / "before", outcomes("ppr", "11"))
    with pytest.raises(UserError, match="no mode and budget in common"):
        compare(before, made_run(tmp_path / "other", outcomes("hybrid", "11")), ["evidence_hit"])
    with pytest.raises(UserError, match="Neither run has a metric of mrr"):
        compare(before, before, ["mrr"])


def test_modes_of_one_run_are_compared_with_a_baseline(tmp_path: Path) -> None:
    rows = [*outcomes("lexical_baseline", "0" * 12), *outcomes("ppr", "1" * 12)]
    (contrast,) = compare_modes(made_run(tmp_path / "run", rows), ["evidence_hit"])
    assert (contrast.mode, contrast.baseline, contrast.difference.value) == ("ppr", "lexical_baseline", 1.0)


def wordings(marks: str, n: int) -> list:  # type: ignore[type-arg]
    return [outcome(f"tiny/{case}#{k}", {"pass": float(mark)}) for case in range(n) for k, mark in enumerate(marks)]


@pytest.mark.parametrize(
    ("rows", "value", "passed"),
    [
        (wordings("1111", 2), 0.0, False),  # two cases that agree rule out nothing
        (wordings("1111", 34), 0.0, False),
        (wordings("1111", 35), 0.0, True),
        (wordings("1000", 20), -1.0, False),
        (wordings("1111", 10) + [replace(row, cluster=row.cluster + "x") for row in wordings("1000", 10)], -0.5, False),
        (wordings("0111", 20), 1.0, False),  # nor does a gain in few
        (wordings("0111", 40), 1.0, True),
    ],
)
def test_paraphrases_against_the_original(rows: list, value: float, passed: bool) -> None:  # type: ignore[type-arg]
    (found,) = rewordings_of(rows)
    assert (found.difference.value, found.passed) == (value, passed)


def test_agreement_in_few_cases_has_a_wide_interval() -> None:
    (found,) = rewordings_of(wordings("1111", 2))
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.6576, 0.6576), abs=1e-4)


def test_cases_that_fail_in_every_wording_do_not_hide_a_loss() -> None:
    hopeless = [replace(row, cluster=row.cluster + "x") for row in wordings("0000", 30)]
    (found,) = rewordings_of([*wordings("1100", 10), *hopeless])
    assert (found.difference.value, found.solvable.value) == pytest.approx((-1 / 6, -2 / 3))
    assert (found.difference.n, found.solvable.n) == (40, 10)


def test_where_no_case_passes_in_any_wording_nothing_is_said_of_those_that_do() -> None:
    (found,) = rewordings_of(wordings("0000", 20))
    assert (found.solvable.value, found.solvable.n) == (None, 0)


def test_a_case_without_paraphrases_or_with_an_undefined_wording_says_nothing_about_rewording() -> None:
    undefined = [outcome("tiny/b#0", {"pass": 1.0}), outcome("tiny/b#1", {"pass": None})]
    assert rewordings_of([outcome("tiny/a#0", {"pass": 1.0}), *undefined]) == []
