"""A finished suite is built again: what stands stays whole until the new one can be written, and the way there is told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.stage import Pipeline
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.core.store.revisions import REVISIONS, Revision
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites import build
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.recipe import AnalysisSettings, PairSettings, QuerySettings, Recipe
from constraintsuite.suites.stages.queries import read_proposals


@pytest.fixture
def suite(small_suite: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil, with its stages."""
    return Path(shutil.copytree(small_suite, tmp_path / "suite"))


def raise_stage(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    stages = tuple(replace(one, revision=one.revision + 1) if one.name == name else one for one in build.STAGES)
    return lambda patch: patch.setattr(build, "PIPELINE", Pipeline(stages))


def raise_suite(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(build, "REVISIONS", {**REVISIONS, "suite": Revision(2)})


def test_a_build_that_is_refused_leaves_the_finished_suite_as_it_is(suite: Path, small_recipe: Recipe) -> None:
    before = Artifact.open(suite)
    with (suite / "stages" / "kept" / "kept.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(UserError, match=r"kept\.jsonl: changed since .* with `csuite build --from kept`"):
        build_suite(small_recipe, suite, reporter=Silent(), redo_from="tagged")
    assert Artifact.open(suite) == before
    build_suite(small_recipe, suite, reporter=Silent(), redo_from="kept")
    assert Artifact.open(suite) == before


def test_a_stage_that_was_changed_is_refused_before_the_suite_is_touched(suite: Path, small_recipe: Recipe) -> None:
    """Its own manifest is up to date, so that only putting the suite together reads it."""
    (suite / "README.md").write_text("# Another card\n")
    (suite / "stages" / "queries" / "coverage.json").write_text("{}")
    with pytest.raises(UserError, match=r"coverage\.json: changed since .* --from queries"):
        build_suite(small_recipe, suite, reporter=Silent())
    assert read_manifest(suite) is not None
    assert (suite / "README.md").read_text() == "# Another card\n"


@pytest.mark.parametrize(
    ("raised", "first"), [(raise_stage("pairs"), "pairs"), (raise_stage("gold"), "gold"), (raise_suite, "gold")]
)
def test_the_refusal_names_the_first_stage_that_is_out_of_date(
    suite: Path,
    small_recipe: Recipe,
    monkeypatch: pytest.MonkeyPatch,
    raised: Callable[[pytest.MonkeyPatch], None],
    first: str,
) -> None:
    raised(monkeypatch)
    with pytest.raises(UserError, match=f"or pass --from {first} to build it anew here"):
        build_suite(small_recipe, suite, reporter=Silent())
    build_suite(small_recipe, suite, reporter=Silent(), redo_from=first)
    build_suite(small_recipe, suite, reporter=Silent())


def test_the_inputs_of_a_suite_are_hashes(small_suite: Path) -> None:
    inputs = Artifact.open(small_suite).manifest.inputs
    assert list(inputs) == ["source"]
    assert re.fullmatch("[0-9a-f]{64}", inputs["source"])


FILMS = [
    {
        "id": str(n),
        "title": title,
        "text": f"{title} is a 1961 drama film written by Ada Lind and directed by Ola Berg.",
    }
    for n, title in enumerate(("Red Weir", "Blue Weir"))
]


def roles_asked(recipe: Recipe, out: Path) -> set[str]:
    build_suite(recipe, out, reporter=Silent(), until="queries")
    proposals = read_proposals(out / "stages" / "queries")
    return {one.relation for one in proposals if one.entities == "invented"}


@pytest.mark.parametrize(
    "change",
    [{"pairs": PairSettings(entities="real")}, {"queries": QuerySettings(exclude_relations=("written_by",))}],
    ids=["real entities", "a relation less"],
)
def test_roles_of_invented_people_are_asked_for_unless_the_recipe_forbids_it(
    tmp_path: Path, change: dict[str, object]
) -> None:
    corpus = tmp_path / "films.jsonl"
    corpus.write_text("".join(json.dumps(film) + "\n" for film in FILMS))
    recipe = Recipe(corpus=SourceSettings(source=str(corpus)), analysis=AnalysisSettings(analyser="rules"))
    assert roles_asked(recipe, tmp_path / "suite") == {"written_by", "directed_by"}
    assert roles_asked(recipe.model_copy(update=change), tmp_path / "suite") == set()
