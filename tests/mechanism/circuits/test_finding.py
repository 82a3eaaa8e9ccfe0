from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.mechanism.circuits import quality
from constraintsuite.mechanism.circuits.plan import Call, passes_a_second, plan_circuit
from constraintsuite.mechanism.circuits.records import CircuitSettings
from constraintsuite.mechanism.circuits.runner import CircuitRunner, studied_sites
from constraintsuite.mechanism.circuits.search import find_circuit, plan_search, read_circuits
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import AnalysisScope
from constraintsuite.mechanism.explain.verify import verify
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import plan_memory
from mechanism.analyses import attribute, patch
from mechanism.planted import PLANTED, make_planted, planted_contrasts

FEW = CircuitSettings(chance=20, band=2, parts=3, random_models=2, random_contrasts=4)
SCOPE = AnalysisScope(sites=("head", "mlp"))
INSIDE = Path("circuit/query-counterfactual")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file of contrasts and a model."""
    folder = tmp_path_factory.mktemp("source")
    write_jsonl(folder / "contrasts.jsonl", planted_contrasts(16))
    return folder / "contrasts.jsonl", f"cross:{make_planted(folder / 'model', noise=0.05)},threads=1"


@pytest.fixture(scope="module")
def analysed(source: tuple[Path, str]) -> Path:
    return patch(*source, source[0].parent / "patched", SCOPE, Silent()).path


@pytest.fixture
def patched(analysed: Path, tmp_path: Path) -> Path:
    """An analysis in which a test may look for circuits."""
    return Path(shutil.copytree(analysed, tmp_path / "patched"))


def test_a_circuit_in_its_explain_folder(patched: Path) -> None:
    report = find_circuit(patched, FEW)
    assert report.circuit == (PLANTED,)
    assert report.ranking.method == "exact"
    assert read_circuits(patched) == {"query-counterfactual": report}
    assert verify(patched) == []
    assert sorted(path.name for path in (patched / INSIDE).iterdir() if not path.name.startswith(".")) == [
        "circuit.json",
        "environment.json",
        "manifest.json",
    ]


def test_estimates_are_enough(source: tuple[Path, str], tmp_path: Path) -> None:
    folder = attribute(*source, tmp_path / "estimated", SCOPE, Silent()).path
    assert find_circuit(folder, FEW).ranking.method == "attribution"


def test_what_was_stopped_goes_on_and_ends_with_the_same_bytes(
    analysed: Path, patched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(shutil.copytree(analysed, tmp_path / "other"))
    find_circuit(other, FEW)
    done = run_counted(monkeypatch)
    with pytest.MonkeyPatch.context() as stop:
        stop.setattr(quality, "judge_members", None)
        with pytest.raises(TypeError):
            find_circuit(patched, FEW)
    before = len(done)
    find_circuit(patched, FEW)
    assert len(done) - before < before / 4  # only what came after the stop
    assert (patched / INSIDE / "circuit.json").read_bytes() == (other / INSIDE / "circuit.json").read_bytes()


def test_one_stopped_just_before_its_end_runs_nothing_again(patched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.MonkeyPatch.context() as stop:
        stop.setattr(Workspace, "finish", None)
        with pytest.raises(TypeError):
            find_circuit(patched, FEW)
    done = run_counted(monkeypatch)
    find_circuit(patched, FEW)
    assert done == []
    assert not (patched / INSIDE / "stages").exists()


def run_counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets an entry for every few circuits that are really run."""
    done: list[int] = []
    run = CircuitRunner._compute

    def counted(self: CircuitRunner, circuits: list[frozenset[object]], contrasts: list[object]) -> object:
        done.append(len(circuits))
        return run(self, circuits, contrasts)  # type: ignore[arg-type]

    monkeypatch.setattr(CircuitRunner, "_compute", counted)
    return done


def test_what_is_there_is_read(patched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find_circuit(patched, FEW)
    monkeypatch.setattr(CircuitRunner, "run", None)
    assert find_circuit(patched, FEW) == first


def test_memory_decides_nothing(patched: Path) -> None:
    first = find_circuit(patched, FEW)
    assert find_circuit(patched, FEW, memory=64) == first


def test_several_circuits_side_by_side(patched: Path) -> None:
    find_circuit(patched, FEW)
    find_circuit(patched, FEW.model_copy(update={"ablation": "zero"}))
    with pytest.raises(UserError, match=r"made from other inputs, settings or versions\. Choose .* another --name"):
        find_circuit(patched, FEW.model_copy(update={"size": 3}))
    find_circuit(patched, FEW.model_copy(update={"size": 3}), name="three")
    found = read_circuits(patched)
    assert {name: report.ablation for name, report in found.items()} == {
        "query-counterfactual": "counterfactual",
        "query-zero": "zero",
        "three": "counterfactual",
    }


@pytest.mark.parametrize("name", ["../../outside", "/outside", "", ".", "..", "a/b", ".hidden", "a" * 65])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="--name"):
        find_circuit(tmp_path, FEW, name=name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("method", "passes"),
    [(None, 15 + 2), ("attribution", 4)],  # each site and both runs; or both runs, one of them with its gradients
)
def test_a_plan_counts_untrained_models_and_controls(
    source: tuple[Path, str], tmp_path: Path, method: Literal["attribution"] | None, passes: int
) -> None:
    idioms = [replace(one, id=f"{one.id}/idiom", control="idiom") for one in planted_contrasts(10)]
    write_jsonl(tmp_path / "contrasts.jsonl", [*planted_contrasts(16), *idioms])
    folder = patch(tmp_path / "contrasts.jsonl", source[1], tmp_path / "patched", SCOPE, Silent()).path
    found = plan_circuit(load_explained(folder), FEW.model_copy(update={"method": method, "limit": 6}))
    assert (found.sites, found.contrasts) == (15, 12)
    assert found.untrained == 2 * 4 * 2 * passes  # models, contrasts, rows
    lots = 2 * 2  # rows, and the clean and corrupt runs beside each lot of circuits
    assert found.controls == (2 * 6 + lots * 6) + (
        2 * 3 * 5 + 2 * lots * 5
    )  # studied; idioms: all, nothing, the circuit
    assert found.chance == (2 + lots) * 6 + 2 * (2 * 20 + lots) * 6
    assert (found.sizes, found.members[0]) == (
        (1, 13),
        (2 * 2 + lots) * 6 + (2 * 2 * 2 + lots) * 6 + (2 * 2 + lots) * 6,
    )
    known = found.curve + found.chance + found.controls + found.untrained
    assert found.forwards == tuple(known + more for more in found.members)


@pytest.mark.parametrize(
    ("update", "words"),
    [({"side": "document"}, "No contrast of the side 'document'"), ({"size": 15}, "fewer sites than the model")],
)
def test_a_dry_run_refuses_what_the_search_would(patched: Path, update: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        plan_search(patched, FEW.model_copy(update=update))


class Counting(Silent):
    """What is counted of each step, and what was said to come."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[int, int | None]] = {}

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        done = 0

        def advance(items: int = 1) -> None:
            nonlocal done
            done += items

        yield advance
        self.steps[title] = done, total


def test_steps_are_as_long_as_was_said(patched: Path) -> None:
    counting = Counting()
    find_circuit(patched, FEW.model_copy(update={"size": 3}), reporter=counting)
    assert list(counting.steps) == [
        "margins",
        "curve",
        "random circuits",
        "completeness",
        "members",
        "controls",
        "untrained models",
    ]
    for title in ("margins", "members", "controls", "untrained models"):
        done, total = counting.steps[title]
        assert done == total, title
    for title in ("curve", "random circuits", "completeness"):  # of some random circuits there are fewer than asked for
        done, total = counting.steps[title]
        assert total is not None
        assert 0.5 * total < done <= total, title


def test_what_a_killed_search_was_writing_is_taken_away(patched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as stop:
        stop.setattr(quality, "judge_members", None)
        with pytest.raises(TypeError):
            find_circuit(patched, FEW)
    left = [patched / INSIDE / name for name in ("stages/.ab.npy.tmp-123", ".circuit.json.tmp-123")]
    for file in left:
        file.write_text("half")
    monkeypatch.setattr(quality, "judge_members", None)
    with pytest.raises(TypeError):
        find_circuit(patched, FEW)
    assert [file for file in left if file.exists()] == []


def test_a_trial_counts_passes_of_a_second(patched: Path, source: tuple[Path, str]) -> None:
    model = load_model(source[1])
    contrasts = list(tokenise(planted_contrasts(8), model.classifier.tokenization).contrasts)
    sites = studied_sites(model)
    budget = plan_memory(model, sites, None, max(one.longest for one in contrasts))
    runner = CircuitRunner(model, sites, contrasts, "counterfactual", budget, 0)
    ticks = iter([0.0, 0.5, 1.0, 1.25])  # begun, after the first lot, after the second, in the end
    assert passes_a_second(runner, lambda: next(ticks)) == 2 * Call(8, 8).passes / 1.25


def test_effects_of_some_sites_are_not_enough(source: tuple[Path, str], tmp_path: Path) -> None:
    folder = patch(*source, tmp_path / "heads", AnalysisScope(sites=("head",)), Silent()).path
    with pytest.raises(UserError, match=r"3 of 15 sites \(first: L0\.mlp\)"):
        find_circuit(folder, FEW)
    assert not (folder / "circuit").exists()


def test_a_circuit_that_was_changed_is_refused(patched: Path) -> None:
    find_circuit(patched, FEW)
    file = patched / INSIDE / "circuit.json"
    file.write_text(file.read_text().replace("counterfactual", "zero"))
    with pytest.raises(UserError, match="changed since the circuit was made"):
        read_circuits(patched)
