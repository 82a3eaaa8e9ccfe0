from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.revisions import Revision
from constraintsuite.mechanism.explain.request import AnalysisScope
from constraintsuite.mechanism.explain.verify import verify
from mechanism.analyses import patch
from mechanism.explain.given import WIDE, Given
from mechanism.planted import make_planted


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("verify"), 12)


@pytest.fixture
def made(given: Given, tmp_path: Path) -> Artifact:
    return patch(given.contrasts, given.model, tmp_path / "p", WIDE, Silent(), guide=given.attributed.path)


def seal(artifact: Artifact) -> None:
    """The hashes of the files as they are now, as one who forges them would write."""
    manifest = artifact.manifest
    origin = ArtifactOrigin("explain", manifest.name, manifest.inputs, manifest.settings, manifest.seed, Revision(1))
    finish(artifact.path, origin, manifest.counts, manifest.rejects, 0.0, separate=("circuit",))


def test_all_of_an_analysis_is_in_order(given: Given, made: Artifact) -> None:
    assert verify(made.path, again=3, guide=given.attributed.path) == []


def test_estimates_are_in_order_though_nothing_of_them_can_be_run_again(given: Given) -> None:
    assert verify(given.attributed.path, again=3) == []


def test_a_changed_row_is_found(made: Artifact) -> None:
    file = made.path / "effects" / "part-00000.parquet"
    file.write_bytes(file.read_bytes() + b" ")
    assert verify(made.path) == ["effects/part-00000.parquet: changed since it was written"]


def test_figures_that_do_not_follow_from_the_rows_are_found(made: Artifact) -> None:
    file = made.path / "summary.json"
    file.write_text(file.read_text().replace('"items": "all"', '"items": "correct"', 1))
    seal(made)
    assert verify(made.path) == ["summary.json: it does not match the effects"]


@pytest.mark.parametrize(("change", "faults"), [(1e-9, 0), (1e-3, 1)])
def test_figures_may_differ_in_their_last_bits(made: Artifact, change: float, faults: int) -> None:
    file = made.path / "summary.json"
    summary = json.loads(file.read_text())
    summary["sites"][0]["effect"]["low"] += change
    file.write_text(json.dumps(summary))
    seal(made)
    assert len(verify(made.path)) == faults


def test_what_is_said_of_a_guide_is_worked_out_again(given: Given, made: Artifact) -> None:
    file = made.path / "comparison.json"
    comparison = json.loads(file.read_text())
    comparison["agreement"][0]["mean_absolute_error"] = 0.0
    file.write_text(json.dumps(comparison))
    seal(made)
    assert verify(made.path) == []
    assert verify(made.path, guide=given.attributed.path) == [
        "comparison.json: it does not match the guide and the effects"
    ]


def test_another_guide_is_refused(given: Given, made: Artifact) -> None:
    with pytest.raises(UserError, match="were not chosen by this folder"):
        verify(made.path, guide=made.path)
    plain = patch(
        given.contrasts, given.model, made.path.parent / "plain", AnalysisScope(sites=("mlp",), limit=2), Silent()
    )
    with pytest.raises(UserError, match="were not chosen by this folder"):
        verify(plain.path, guide=given.attributed.path)


@pytest.mark.parametrize(
    ("content", "report", "faults"),
    [
        (None, "{}", []),
        (None, "{ }", ["circuit/mine/circuit.json: changed since it was written"]),
        ("other", "{}", ["circuit/mine: it was found with other effects than this folder has"]),
    ],
    ids=["as it was", "changed", "of others"],
)
def test_circuits_inside_are_looked_at_too(made: Artifact, content: str | None, report: str, faults: list[str]) -> None:
    folder = made.path / "circuit" / "mine"
    folder.mkdir(parents=True)
    file = folder / "circuit.json"
    file.write_text("{}")
    finish(
        folder,
        ArtifactOrigin("circuit", "any", {"explain": content or made.manifest.content}, {}, 0, Revision(1)),
        {},
        {},
        0.0,
    )
    file.write_text(report)
    assert verify(made.path) == faults


def test_a_model_that_was_exchanged_is_not_run_again(given: Given, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(given.folder / "model", tmp_path / "model"))
    made = patch(
        given.contrasts, f"cross:{folder},threads=1", tmp_path / "p", AnalysisScope(sites=("mlp",), limit=2), Silent()
    )
    make_planted(folder, noise=0.1, seed=5)
    with pytest.raises(UserError, match="this is not the model that was analysed"):
        verify(made.path, again=1)
