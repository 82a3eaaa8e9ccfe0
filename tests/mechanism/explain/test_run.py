from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism.effects.records import read_effects
from constraintsuite.mechanism.explain.analysis import AnalysisForecast, load_analysis
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import AnalysisRequest, AnalysisScope
from constraintsuite.mechanism.explain.verify import verify
from constraintsuite.mechanism.patching.capacity import passes_a_second
from constraintsuite.models.base import OutOfMemory
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from mechanism.analyses import ablate, attribute, patch
from mechanism.contrasts.suite_factory import make_example, make_suite
from mechanism.explain.given import WIDE, Given
from mechanism.planted import PLANTED, make_planted

COUNT = 34


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("explain"), COUNT)


def strongest(folder: Path) -> str:
    heads = [one for one in load_explained(folder).summary.sites if ".H" in one.site and one.items == "all"]
    return max(heads, key=lambda one: abs(one.effect.value or 0)).site


def test_attribution_names_the_planted_head(given: Given) -> None:
    assert strongest(given.attributed.path) == PLANTED
    assert given.attributed.manifest.counts == {"contrasts": COUNT, "patches": 36, "rows": COUNT * 36 * 2}
    assert {file.name for file in (given.attributed.path / "effects").iterdir()} == {
        "part-00000.parquet",
        "part-00001.parquet",
    }


def test_exact_patches_of_what_attribution_calls_strong(given: Given, tmp_path: Path) -> None:
    made = patch(given.contrasts, given.model, tmp_path / "p", WIDE, Silent(), guide=given.attributed.path, top=0.25)
    found = load_explained(made.path)
    assert found.comparison is not None
    assert (len(found.comparison.choice.top), len(found.comparison.choice.random)) == (9, 4)
    assert (PLANTED, "all") in found.comparison.choice.top
    assert [one.places for one in found.comparison.agreement] == [13, 13]
    assert set(read_effects(made.path).method) == {"exact"}
    assert strongest(made.path) == PLANTED
    assert verify(made.path, again=3) == []


def test_integrated_gradients_are_another_analysis(given: Given, tmp_path: Path) -> None:
    scope = AnalysisScope(sites=("embeddings",), limit=4)
    plain, along = (
        attribute(given.contrasts, given.model, tmp_path / str(steps), scope, Silent(), steps=steps)
        for steps in (0, 20)
    )
    assert plain.manifest.fingerprint != along.manifest.fingerprint
    sites = load_explained(along.path).summary.sites
    assert all(one.recovered.value == pytest.approx(1, abs=0.05) for one in sites)


def test_sites_are_ablated_in_three_ways(given: Given, tmp_path: Path) -> None:
    made = ablate(given.contrasts, given.model, tmp_path / "a", AnalysisScope(sites=("head",), limit=30), Silent())
    lost = {one.method: one.recovered.value for one in load_explained(made.path).summary.sites if one.site == PLANTED}
    assert lost["ablation-zero"] == pytest.approx(1, abs=0.1)
    assert lost["ablation-mean"] == pytest.approx(1, abs=0.1)
    assert lost["ablation-resample"] == pytest.approx(0, abs=0.1)  # the same cue stands in the other contrast


def test_the_same_again_gives_the_same_bytes(given: Given, tmp_path: Path) -> None:
    again = attribute(given.contrasts, given.model, tmp_path / "again", WIDE, Silent())
    assert again.manifest.content == given.attributed.manifest.content


def test_an_explain_folder_is_a_source_too(given: Given, tmp_path: Path) -> None:
    scope = AnalysisScope(sites=("mlp",), limit=3)
    made = patch(given.attributed.path, given.model, tmp_path / "p", scope, Silent())
    assert made.manifest.counts["contrasts"] == 3


def test_what_is_finished_is_not_done_again(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.mechanism.explain.analysis.attribute_contrasts", None)
    again = attribute(given.contrasts, given.model, given.attributed.path, WIDE, Silent())
    assert again.manifest == given.attributed.manifest


def test_memory_decides_nothing(given: Given) -> None:
    small = WIDE.model_copy(update={"memory": 64})
    again = attribute(given.contrasts, given.model, given.attributed.path, small, Silent())
    assert again.manifest == given.attributed.manifest


def test_a_finished_ablation_needs_no_means(given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (given.contrasts, given.model, tmp_path / "a", AnalysisScope(sites=("mlp",), limit=4), Silent())
    made = ablate(*arguments, kinds=["mean"])
    monkeypatch.setattr("constraintsuite.mechanism.ablation.prepare_ablation", None)
    assert ablate(*arguments, kinds=["mean"]).manifest == made.manifest


def test_memory_that_ends_while_means_are_taken_is_told(
    given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise OutOfMemory("2 GiB")

    monkeypatch.setattr("constraintsuite.mechanism.ablation.role_means", ends)
    with pytest.raises(UserError, match=r"no memory left \(2 GiB\)\. Run the command again with a smaller --memory"):
        ablate(
            given.contrasts,
            given.model,
            tmp_path / "a",
            AnalysisScope(sites=("mlp",), limit=4),
            Silent(),
            kinds=["mean"],
        )


def test_other_marks_are_another_analysis(given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that lacks the suite's analyser, where another draws the marks."""

    class Blind:
        name = "blind"

        def analyse(self, texts: Sequence[str]) -> Iterator[Analysis]:
            return (replace(one, scopes=()) for one in get_analyser("rules").analyse(texts))

    suite, scope = tmp_path / "suite", AnalysisScope(sites=("mlp",), sides=("query",))
    suite.mkdir()
    make_suite(suite, [make_example(docs=("A soup without cream or milk.", "A soup of cream."))], ())
    seen = attribute(suite, given.model, tmp_path / "a", scope, Silent()).manifest
    monkeypatch.setattr("constraintsuite.mechanism.contrasts.role_marks.get_analyser", lambda _: Blind())
    unseen = attribute(suite, given.model, tmp_path / "b", scope, Silent()).manifest
    assert (seen.settings["analyser"], unseen.settings["analyser"]) == ("rules", "blind")
    assert seen.fingerprint != unseen.fingerprint
    assert {name for name in seen.inputs if seen.inputs[name] != unseen.inputs[name]} == {"contrasts"}


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (AnalysisScope(sites=("mlp",)), "this folder already holds the explain 'attribute cross:"),
        (AnalysisScope(sites=("head",), roles=("positions",)), "positions is for embeddings and residual alone"),
        (AnalysisScope(sides=("document",)), "none of its 34 contrasts is of these sides"),
    ],
)
def test_what_cannot_be_done_is_refused(scope: AnalysisScope, message: str, given: Given) -> None:
    with pytest.raises(UserError, match=message):
        attribute(given.contrasts, given.model, given.attributed.path, scope, Silent())


def test_something_else_in_the_folder_is_left_alone(given: Given, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match=r"mine\.txt: this is not part of the explain"):
        attribute(given.contrasts, given.model, tmp_path, WIDE, Silent())
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith(".")] == ["mine.txt"]


def test_only_estimates_of_the_same_model_guide(given: Given, tmp_path: Path) -> None:
    other = f"cross:{make_planted(tmp_path / 'other', noise=0.1)},threads=1"
    with pytest.raises(UserError, match="its estimates are of cross:"):
        patch(given.contrasts, other, tmp_path / "p", WIDE, Silent(), guide=given.attributed.path)


def test_the_cost_is_known_beforehand(given: Given) -> None:
    both = AnalysisScope(sites=("residual", "embeddings"), limit=2)
    one = both.model_copy(update={"directions": ("noising",)})
    estimated = load_analysis(AnalysisRequest("attribute", given.contrasts, given.model, both)).forecast()
    assert (estimated.forwards, estimated.backwards) == (6 * 2, 6 * 2)
    assert (
        load_analysis(AnalysisRequest("attribute", given.contrasts, given.model, one, steps=5)).forecast().forwards
        == 6 * 7
    )
    # Of three blocks, a patch of the embeddings runs all, one of the last residual none.
    exact = load_analysis(AnalysisRequest("patch", given.contrasts, given.model, both)).forecast()
    assert exact.forwards == pytest.approx(6 * (2 + 2 * (3 + 2 + 1 + 0) / 3))


@pytest.mark.parametrize(
    ("contrasts", "passes", "shard"),
    [(24, 22_800, 1), (24, 24 * 100, 5), (32, 32 * 18, 28), (1_000, 1_000, 64), (1, 1, 64)],
)
def test_what_takes_long_is_written_down_often(contrasts: int, passes: float, shard: int) -> None:
    assert AnalysisForecast(contrasts, 3 * contrasts, 1, passes, 0, 100).shard == shard


def test_a_backward_pass_counts_as_two() -> None:
    assert AnalysisForecast(1, 3, 1, 6, 4, 100).passes == 14


def test_a_trial_ends_after_one_pass_that_takes_longer(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.mechanism.patching.capacity.SECONDS", 0)
    request = AnalysisRequest("patch", given.contrasts, given.model, AnalysisScope(sites=("mlp",)))
    work = load_analysis(request)
    assert passes_a_second(work.model, work.contrasts, work.budget) > 0


@pytest.mark.parametrize(("names", "kinds"), [(["heads", "head", "mlp"], ("head", "mlp")), (["keys"], ("key",))])
def test_kinds_of_sites_are_read_in_the_plural_too(names: list[str], kinds: tuple[str, ...]) -> None:
    assert AnalysisScope.model_validate({"sites": names}).sites == kinds


def test_an_unknown_kind_of_site_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'neurons' is not a kind of site\. Known: .*, heads, .*"):
        AnalysisScope.model_validate({"sites": ["neurons"]})


def test_an_unknown_role_is_refused_with_all_that_can_be_written() -> None:
    with pytest.raises(ValueError, match=r"'cue' is not a role\. Known: all, every, positions, cls, .*, sep2 \["):
        AnalysisScope(roles=("cue",))


def test_the_model_that_was_looked_into_is_described(given: Given) -> None:
    model = load_explained(given.attributed.path).model
    assert (model.type, model.layers, model.heads, model.pooling) == ("bert", 3, 4, "first")
    assert len(model.invariants) == 8
    assert Artifact.open(given.attributed.path, "explain").manifest.inputs["subject"] == model.fingerprint
