from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Silent
from constraintsuite.mechanism.circuits import search as searching
from constraintsuite.mechanism.circuits.finding import find_circuit, read_circuits
from constraintsuite.mechanism.circuits.running import Bench
from constraintsuite.mechanism.circuits.settings import CircuitSettings
from constraintsuite.mechanism.contrasts.files import write_contrasts
from constraintsuite.mechanism.explain.run import attribute, patch
from constraintsuite.mechanism.explain.settings import Scope
from constraintsuite.mechanism.explain.verify import verify
from mechanism.planted import PLANTED, make_planted, planted_contrasts

FEW = CircuitSettings(chance=8, band=2, parts=3, random_models=2, random_contrasts=4)
SCOPE = Scope(sites=("head", "mlp"))
INSIDE = Path("circuit/query-twin")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file of contrasts and a model."""
    folder = tmp_path_factory.mktemp("source")
    write_contrasts(folder / "contrasts.jsonl", planted_contrasts(16))
    return folder / "contrasts.jsonl", f"cross:{make_planted(folder / 'model', noise=0.05)},threads=1"


@pytest.fixture
def patched(source: tuple[Path, str], tmp_path: Path) -> Path:
    return patch(*source, tmp_path / "patched", SCOPE, Silent()).path


def test_a_circuit_in_its_explain_folder(patched: Path) -> None:
    report = find_circuit(patched, FEW)
    assert report.circuit == (PLANTED,)
    assert report.ranking.method == "exact"
    assert read_circuits(patched) == {"query-twin": report}
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
    source: tuple[Path, str], patched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = patch(*source, tmp_path / "other", SCOPE, Silent()).path
    find_circuit(other, FEW)
    done = run_counted(monkeypatch)
    with pytest.MonkeyPatch.context() as stop:
        stop.setattr(searching, "judge_members", None)
        with pytest.raises(TypeError):
            find_circuit(patched, FEW)
    before = len(done)
    find_circuit(patched, FEW)
    assert len(done) - before < before / 4  # only what came after the stop
    assert (patched / INSIDE / "circuit.json").read_bytes() == (other / INSIDE / "circuit.json").read_bytes()


def run_counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets an entry for every few circuits that are really run."""
    done: list[int] = []
    run = Bench._run

    def counted(self: Bench, circuits: list[frozenset[object]], contrasts: list[object]) -> object:
        done.append(len(circuits))
        return run(self, circuits, contrasts)  # type: ignore[arg-type]

    monkeypatch.setattr(Bench, "_run", counted)
    return done


def test_what_is_there_is_read(patched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find_circuit(patched, FEW)
    monkeypatch.setattr(Bench, "run", None)
    assert find_circuit(patched, FEW) == first


def test_several_circuits_side_by_side(patched: Path) -> None:
    find_circuit(patched, FEW)
    find_circuit(patched, FEW.model_copy(update={"ablation": "zero"}))
    with pytest.raises(UserError, match="made from other contrasts, settings"):
        find_circuit(patched, FEW.model_copy(update={"size": 3}))
    find_circuit(patched, FEW.model_copy(update={"size": 3}), name="three")
    found = read_circuits(patched)
    assert {name: report.ablation for name, report in found.items()} == {
        "query-twin": "twin",
        "query-zero": "zero",
        "three": "twin",
    }


def test_effects_of_some_sites_are_not_enough(source: tuple[Path, str], tmp_path: Path) -> None:
    folder = patch(*source, tmp_path / "heads", Scope(sites=("head",)), Silent()).path
    with pytest.raises(UserError, match=r"3 of 15 sites, as L0\.mlp"):
        find_circuit(folder, FEW)
    assert not (folder / "circuit").exists()


def test_a_circuit_that_was_changed_is_refused(patched: Path) -> None:
    find_circuit(patched, FEW)
    file = patched / INSIDE / "circuit.json"
    file.write_text(file.read_text().replace("twin", "zero"))
    with pytest.raises(UserError, match="changed since the circuit was made"):
        read_circuits(patched)
