"""What will be done is decided before it is begun, alike for a run and a dry run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.files import read_contrasts
from constraintsuite.mechanism.effects.records import ABLATIONS, AblationKind, read_effects
from constraintsuite.mechanism.explain.analysis import LoadedAnalysis, load_analysis
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import AnalysisRequest, AnalysisScope
from constraintsuite.mechanism.explain.verify import verify
from mechanism.analyses import ablate, attribute, patch
from mechanism.explain.given import WIDE, Given
from mechanism.uneven import named

MLP = AnalysisScope(sites=("mlp",))


def plan_patches(
    source: Path,
    model: str,
    scope: AnalysisScope,
    guide: Path | None = None,
    **options: Any,  # noqa: ANN401
) -> LoadedAnalysis:
    return load_analysis(AnalysisRequest("patch", source, model, scope, guide=guide, **options))


def plan_ablation(
    source: Path, model: str, scope: AnalysisScope, kinds: tuple[AblationKind, ...] = ABLATIONS
) -> LoadedAnalysis:
    return load_analysis(AnalysisRequest("ablate", source, model, scope, kinds=kinds))


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("plan"), 12)


def test_a_guide_chooses_among_the_sites_and_roles_that_are_asked_for(given: Given) -> None:
    planned = plan_patches(given.contrasts, given.model, MLP, given.attributed.path, top=1.0)
    assert {(str(patch.sites[0]), patch.role) for patch in planned.patches} == {(f"L{i}.mlp", "all") for i in range(3)}
    assert planned.guide is not None
    assert planned.guide.choice.candidates == 3


def test_memory_is_planned_for_what_is_chosen(given: Given) -> None:
    alone = plan_patches(given.contrasts, given.model, MLP)
    guided = plan_patches(given.contrasts, given.model, WIDE, given.attributed.path, top=0.03, random=0)
    every = plan_patches(given.contrasts, given.model, WIDE)
    assert len(guided.patches) == 1
    assert guided.budget.kept > every.budget.kept
    assert alone.budget.kept > every.budget.kept


def test_a_guide_on_fewer_contrasts_is_compared_on_those(given: Given, tmp_path: Path) -> None:
    few = attribute(given.contrasts, given.model, tmp_path / "few", MLP.model_copy(update={"limit": 3}), Silent())
    made = patch(given.contrasts, given.model, tmp_path / "p", MLP, Silent(), guide=few.path, top=1)
    comparison = load_explained(made.path).comparison
    assert comparison is not None
    assert [one.contrasts for one in comparison.agreement] == [3, 3]


def test_controls_have_no_say_in_what_is_strongest(given: Given, tmp_path: Path) -> None:
    contrasts = tmp_path / "contrasts.jsonl"
    some = [replace(one, control="" if i < 6 else "idiom") for i, one in enumerate(read_contrasts(given.contrasts))]
    write_jsonl(contrasts, some)
    scope = AnalysisScope(sites=("head",))
    guide = attribute(contrasts, given.model, tmp_path / "a", scope, Silent()).path
    followed = plan_patches(contrasts, given.model, scope, guide).guide
    assert followed is not None
    assert set(followed.estimates["query"].contrast.tolist()) == {one.id for one in some[:6]}


def test_another_side_has_no_say_in_what_is_strongest(given: Given, tmp_path: Path) -> None:
    contrasts = tmp_path / "contrasts.jsonl"
    some = [
        replace(one, side="query" if i < 6 else "document") for i, one in enumerate(read_contrasts(given.contrasts))
    ]
    write_jsonl(contrasts, some)
    guide = attribute(contrasts, given.model, tmp_path / "a", MLP, Silent()).path
    followed = plan_patches(contrasts, given.model, AnalysisScope(sites=("mlp",), sides=("document",)), guide).guide
    assert followed is not None
    assert {side: set(rows.contrast.tolist()) for side, rows in followed.estimates.items()} == {
        "document": {one.id for one in some[6:]}
    }
    made = patch(contrasts, given.model, tmp_path / "p", MLP, Silent(), guide=guide)
    comparison = load_explained(made.path).comparison
    assert comparison is not None
    assert [(one.items, one.contrasts) for one in comparison.agreement[::2]] == [("query", 6), ("document", 6)]
    assert verify(made.path, guide=guide) == []


@pytest.mark.parametrize(
    ("scope", "options", "words"),
    [
        (AnalysisScope(sites=("embeddings",)), {}, "no estimates at the --sites and --roles"),
        (AnalysisScope(sites=("mlp",), roles=("q_y",)), {}, "no estimates at the --sites and --roles"),
        (MLP, {"top": 0.0, "random": 0.0}, "--top 0 and --random 0 leave none of 3 places"),
    ],
)
def test_a_guide_that_leaves_nothing_to_patch_is_refused(
    given: Given, scope: AnalysisScope, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        plan_patches(given.contrasts, given.model, scope, given.attributed.path, **options)


def test_a_guide_of_one_direction_does_not_serve_two(given: Given, tmp_path: Path) -> None:
    scope = AnalysisScope(sites=("mlp",), directions=("noising",))
    guide = attribute(given.contrasts, given.model, tmp_path / "a", scope, Silent()).path
    with pytest.raises(UserError, match="no estimates of denoising"):
        plan_patches(given.contrasts, given.model, MLP, guide)
    assert plan_patches(given.contrasts, given.model, scope, guide).guide is not None


def test_roles_that_no_token_has_are_refused_before_the_work(given: Given, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="None of the contrasts has a token of the role d_scope"):
        patch(given.contrasts, given.model, tmp_path / "p", AnalysisScope(sites=("mlp",), roles=("d_scope",)), Silent())
    assert not (tmp_path / "p").exists()


def _some_without_another_y(folder: Path, alone: int) -> Path:
    """Twelve contrasts of one template and half, of which the last ones have a template for themselves."""
    file = folder / "contrasts.jsonl"
    some = [replace(one, template="same", half="find", clusters=(one.id,)) for one in named(12)]
    write_jsonl(file, [replace(one, template=one.id) if i >= 12 - alone else one for i, one in enumerate(some)])
    return file


def test_only_resampling_leaves_out_what_has_no_other_y(given: Given, tmp_path: Path) -> None:
    file = _some_without_another_y(tmp_path, alone=4)
    made = ablate(file, given.model, tmp_path / "a", MLP, Silent())
    rows = read_effects(made.path)
    asked = {kind: len(set(rows.contrast[rows.method == f"ablation-{kind}"].tolist())) for kind in ABLATIONS}
    assert asked == {"resample": 8, "mean": 12, "zero": 12}
    assert made.manifest.rejects["resample: no_other_y"] == 4


def test_resampling_alone_asks_those_that_can_be(given: Given, tmp_path: Path) -> None:
    plan = plan_ablation(_some_without_another_y(tmp_path, alone=4), given.model, MLP, ("resample",))
    assert (len(plan.contrasts), plan.forecast().rows) == (8, 8 * 3)


def test_where_nothing_can_be_resampled_the_way_out_is_named(given: Given, tmp_path: Path) -> None:
    file = _some_without_another_y(tmp_path, alone=12)
    with pytest.raises(UserError, match="Use --kind mean or --kind zero"):
        plan_ablation(file, given.model, MLP)
    assert ablate(file, given.model, tmp_path / "a", MLP, Silent(), kinds=["mean", "zero"]).manifest.rejects == {}


def test_an_ablation_costs_what_can_be_asked(given: Given, tmp_path: Path) -> None:
    plan = plan_ablation(_some_without_another_y(tmp_path, alone=4), given.model, MLP)
    # Of three blocks, the MLP of the first needs nearly all of a pass, that of the last a third.
    assert plan.forecast().forwards == pytest.approx((8 + 12 + 12) * 3 * (1 + 3 / 3 + 2 / 3 + 1 / 3))


def test_patterns_have_no_mean_and_nothing_is_begun(given: Given, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no mean over texts of different lengths"):
        ablate(given.contrasts, given.model, tmp_path / "a", AnalysisScope(sites=("pattern",)), Silent())
    assert not (tmp_path / "a").exists()
