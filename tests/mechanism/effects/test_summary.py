from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from constraintsuite.mechanism.contrasts.records import ControlKind
from constraintsuite.mechanism.effects.summary import SiteSummary, summarise_effects
from mechanism.effects.made import contrasts, effects, grid

NAN = float("nan")


def summary_of(site: SiteSummary) -> tuple[float | None, ...]:
    return site.effect.value, site.recovered.value, site.flips.value


def test_figures_of_a_patch() -> None:
    rows = effects(grid([[-1, 1, 2, 3]], base=[2, 2, 2, 4], donor=[-2, -2, 0.5, 0]))
    found = summarise_effects(rows, contrasts(4), seed=0)
    every = found.sites[0]
    assert (every.items, every.site, every.role, every.direction) == ("all", "L0.H0", "all", "noising")
    assert every.effect.value == pytest.approx((-3 - 1 + 0 - 1) / 4)
    assert every.recovered.value == pytest.approx((-3 - 1 + 0 - 1) / (-4 - 4 - 1.5 - 4))
    assert every.flips.value == pytest.approx(1 / 3)
    assert every.flips.n == 3  # the third has nothing to flip
    assert every.aside.value is None


def test_right_and_wrong_answers_are_kept_apart() -> None:
    rows = effects(
        grid([[0, 0]], base=[1, -1], donor=[-1, -3]),
        grid([[1, -1]], base=[-1, -3], donor=[1, -1], direction="denoising"),
    )
    found = summarise_effects(rows, contrasts(2), seed=0)
    by_group = {(one.items, one.direction): one.effect for one in found.sites}
    assert by_group["correct", "noising"].value == -1
    assert by_group["failed", "noising"].value == 1
    assert (by_group["failed", "denoising"].value, by_group["failed", "denoising"].n) == (2, 1)
    assert {one.items: one.correct.value for one in found.baselines} == {"all": 0.5, "correct": 1, "failed": 0}
    assert found.baselines[0].corrupt_margin.value == -2


def test_controls_are_no_part_of_the_main_figures() -> None:
    rows = effects(grid([[0, 0, 5]], base=[1, 1, 1], donor=[0, 0, 0]))
    found = summarise_effects(rows, contrasts(3, controls=["idiom"]), seed=0)
    assert {one.items: one.effect.value for one in found.sites} == {"all": -1, "correct": -1, "idiom": 4}


def test_sides_are_never_merged() -> None:
    rows = effects(grid([[0, 0, 5, 9]], base=[1, 1, 1, -1], donor=[0, 0, 0, 0]))
    some = [replace(one, side="document" if i > 1 else "query") for i, one in enumerate(contrasts(4))]
    found = summarise_effects(rows, some, seed=0)
    assert {one.items: one.effect.value for one in found.sites} == {
        "query": -1,
        "query correct": -1,
        "document": 7,
        "document correct": 4,
        "document failed": 10,
    }
    assert [one.items for one in found.baselines] == list(dict.fromkeys(one.items for one in found.sites))


def test_sides_of_a_kind_of_controls_are_not_merged_either() -> None:
    rows = effects(grid([[0, 0, 5, 9]], base=[1] * 4, donor=[0] * 4))
    kinds: list[ControlKind] = ["nonflip", "nonflip", "idiom"]
    some = [replace(one, side="document" if i == 2 else "query") for i, one in enumerate(contrasts(4, controls=kinds))]
    found = {one.items: one.effect.value for one in summarise_effects(rows, some, seed=0).sites}
    assert found == {"all": -1, "correct": -1, "idiom": 8, "query nonflip": -1, "document nonflip": 4}


def test_how_many_contrasts_were_done_at_a_time_does_not_matter() -> None:
    """The first contrast lacks the first patch: in a file of its own, the second patch is the first that is seen."""
    base, donor = [1.0, 2.0, 3.0, 4.0], [0.0] * 4
    whole = grid([[NAN, 0.1, 0.2, 0.3], [0.7, 0.1, 0.4, 0.2]], base=base, donor=donor)
    parts = [
        replace(
            whole,
            contrasts=whole.contrasts[part],
            margin_base=whole.margin_base[part],
            margin_donor=whole.margin_donor[part],
            margin_patched=whole.margin_patched[:, part],
            aside_base=whole.aside_base[part],
            aside_patched=whole.aside_patched[:, part],
        )
        for part in (slice(0, 1), slice(1, 4))
    ]
    found = summarise_effects(effects(*parts), contrasts(4), seed=0)
    assert found == summarise_effects(effects(whole), contrasts(4), seed=0)
    assert [(one.site, one.role) for one in found.sites[:2]] == [("L0.H0", "all"), ("L1.mlp", "q_cue")]


def test_an_ablation_tells_the_share_of_the_margin_that_is_lost() -> None:
    rows = effects(grid([[1, -1]], base=[2, 2], donor=[NAN, NAN], method="ablation-zero"))
    (every, _) = summarise_effects(rows, contrasts(2), seed=0).sites
    assert summary_of(every) == (-2, 1.0, 0.5)


def test_the_change_of_plain_relevance_is_told() -> None:
    one = replace(
        grid([[0, 0]], base=[1, 1], donor=[0, 0]), aside_base=np.array([3.0, NAN]), aside_patched=np.array([[2.5, NAN]])
    )
    (every, _) = summarise_effects(effects(one), contrasts(2), seed=0).sites
    assert (every.aside.value, every.aside.n) == (-0.5, 1)


def test_contrasts_of_one_cluster_are_one_item_of_evidence() -> None:
    chance = np.random.default_rng(0)
    values = np.repeat(chance.normal(0, 1, 12), 3)
    rows = effects(grid([values.tolist()], base=[1] * 36, donor=[0] * 36))
    apart = contrasts(36)
    together = [replace(one, clusters=(f"k{i // 3}",)) for i, one in enumerate(apart)]
    wide, narrow = (summarise_effects(rows, some, seed=0).sites[0].effect for some in (together, apart))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low
