"""Find a circuit and write its folder, inside an explain folder; read such folders."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import claim
from constraintsuite.mechanism.circuits.plan import CircuitPlan, passes_a_second, plan_circuit
from constraintsuite.mechanism.circuits.ranking import SiteEffects, site_effects
from constraintsuite.mechanism.circuits.records import CircuitReport, CircuitSettings
from constraintsuite.mechanism.circuits.runner import CircuitRunner, SearchProgress, studied_sites
from constraintsuite.mechanism.circuits.search import search_circuit
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.explain.folder import load_effects, load_explained
from constraintsuite.mechanism.explain.request import KIND as EXPLAIN
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import peak_mib, plan_memory
from constraintsuite.models.torch.device import describe_device

KIND = "circuit"
FOLDER = "circuit"
"""The folder of circuits inside an explain folder."""
REPORT = "circuit.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class _Search(NamedTuple):
    """What a search needs: a runner of circuits, the effects that rank the sites, and the origin of its folder."""

    runner: CircuitRunner
    effects: SiteEffects
    origin: ArtifactOrigin


def find_circuit(
    folder: Path,
    settings: CircuitSettings,
    *,
    name: str | None = None,
    memory: int | None = None,
    reporter: Reporter | None = None,
) -> CircuitReport:
    """Find a circuit from the effects and contrasts of an explain folder, in `folder/circuit/NAME/circuit.json`.

    The default name is side and ablation. A finished circuit is read, and an interrupted search is resumed.
    """
    reporter = reporter or Silent()
    out = folder / FOLDER / _checked(f"{settings.side}-{settings.ablation}" if name is None else name)
    runner, effects, origin = _prepare(folder, settings, memory)
    with claim(
        out, origin, (REPORT,), otherwise=lambda _: "or give the circuit another --name", note=reporter.note
    ) as space:
        if space.finished is not None:
            return read_circuit(out)
        runner = replace(runner, folder=space.stages, progress=SearchProgress(reporter))
        report = search_circuit(runner, effects, settings)
        write_json(out / REPORT, report)
        device = runner.model.device
        machine = {
            "device": describe_device(device),
            "peak_mib": round(peak_mib(device)),
            "tokens": asdict(runner.budget),
        }
        counts = {"contrasts": sum(report.contrasts), "sites": report.sites, "members": len(report.circuit)}
        space.finish(counts, place=machine)
    return report


def plan_search(folder: Path, settings: CircuitSettings, memory: int | None = None) -> tuple[CircuitPlan, float]:
    """The cost of `find_circuit`, and the passes per second of this machine; what it would refuse is refused."""
    plan = plan_circuit(load_explained(folder), settings)
    runner, _, _ = _prepare(folder, settings, memory)
    # The trial takes values of the corrupt run for every ablation: the others would first have to be prepared.
    return plan, passes_a_second(replace(runner, ablation="counterfactual"))


def read_circuit(path: Path) -> CircuitReport:
    """Read a finished circuit; one that was changed since is a UserError."""
    Artifact.open(path, KIND)
    return read_json(path / REPORT, CircuitReport)


def read_circuits(folder: Path) -> dict[str, CircuitReport]:
    """The finished circuits of an explain folder, by name."""
    finished = sorted(file.parent for file in (folder / FOLDER).glob(f"*/{REPORT}"))
    return {path.name: read_circuit(path) for path in finished if (path / "manifest.json").is_file()}


def _checked(name: str) -> str:
    """The name; one that could lead out of the folder is a UserError."""
    if not _NAME.fullmatch(name):
        raise UserError(f"--name {name!r}: use up to 64 letters, digits, _, . and -, and begin with a letter or digit.")
    return name


def _prepare(folder: Path, settings: CircuitSettings, memory: int | None) -> _Search:
    """Load the model and the effects; everything that can be refused is refused here."""
    artifact = Artifact.open(folder, EXPLAIN)
    rows, contrasts = load_effects(folder)
    model = load_model(artifact.manifest.settings["model"])
    if model.fingerprint != artifact.manifest.inputs["subject"]:
        raise UserError(
            f"{folder}: its effects are of {model.name} as it was, or with other versions of its libraries. "
            "Run `csuite explain` again."
        )
    sites = studied_sites(model)
    studied = [one for one in contrasts if not one.control and one.side == settings.side]
    effects = site_effects(rows, studied, [str(site) for site in sites], settings.direction, settings.method)
    tokens = tokenise(contrasts, model.classifier.tokenization).contrasts
    budget = plan_memory(model, sites, memory, max(one.longest for one in tokens))
    inputs = {"explain": artifact.manifest.content, "subject": model.fingerprint}
    decisive = settings.model_dump(mode="json", exclude={"seed"})
    origin = ArtifactOrigin(KIND, model.name, inputs, decisive, settings.seed, REVISIONS["circuit"])
    return _Search(CircuitRunner(model, sites, tokens, settings.ablation, budget, settings.seed), effects, origin)
