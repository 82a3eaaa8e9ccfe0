"""The folder of a circuit, inside an explain folder: made and read."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import claim
from constraintsuite.mechanism.circuits.plan import CircuitPlan, passes_a_second, plan_circuit
from constraintsuite.mechanism.circuits.ranking import SiteEffects, site_effects
from constraintsuite.mechanism.circuits.records import CircuitAblation, CircuitReport, CircuitSettings
from constraintsuite.mechanism.circuits.runner import CircuitRunner, SearchProgress, make_runner, studied_sites
from constraintsuite.mechanism.circuits.search import search_circuit
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.explain.folder import load_effects, load_explained, read_record, write_record
from constraintsuite.mechanism.explain.request import KIND as EXPLAIN
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import Budget, peak_mib, plan_memory
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import describe_device

KIND = "circuit"
FOLDER = "circuit"
"""Inside an explain folder; each circuit has a folder of its own in it."""
REPORT = "circuit.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class _Work(NamedTuple):
    """All that a search needs: the model, its contrasts in tokens, the effects that rank its sites, and its origin."""

    model: LoadedModel
    contrasts: tuple[TokenContrast, ...]
    sites: list[Site]
    effects: SiteEffects
    budget: Budget
    origin: ArtifactOrigin

    def runner(
        self, ablation: CircuitAblation, seed: int, folder: Path | None, progress: SearchProgress
    ) -> CircuitRunner:
        """Runs circuits, and keeps what was run in a folder."""
        given = (self.model, self.sites, self.contrasts, ablation, self.budget, seed)
        return make_runner(*given, folder=folder, progress=progress)


def find_circuit(
    folder: Path,
    settings: CircuitSettings,
    *,
    name: str | None = None,
    memory: int | None = None,
    reporter: Reporter | None = None,
) -> CircuitReport:
    """The circuit of an explain folder's model, from its effects and contrasts, in `folder/circuit/NAME/circuit.json`.

    The name is side and ablation unless another is given. One that is there is read; one that was stopped goes on.
    """
    reporter = reporter or Silent()
    out = folder / FOLDER / _checked(f"{settings.side}-{settings.ablation}" if name is None else name)
    work = _prepare(folder, settings, memory)
    with claim(
        out, work.origin, (REPORT,), otherwise=lambda _: "or give the circuit another --name", note=reporter.note
    ) as space:
        if space.finished is not None:
            return read_circuit(out)
        runner = work.runner(settings.ablation, settings.seed, space.stages, SearchProgress(reporter))
        report = search_circuit(runner, work.contrasts, work.effects, settings)
        write_record(out / REPORT, report)
        device = work.model.device
        machine = {
            "device": describe_device(device),
            "peak_mib": round(peak_mib(device)),
            "tokens": asdict(work.budget),
        }
        counts = {"contrasts": sum(report.contrasts), "sites": report.sites, "members": len(report.circuit)}
        space.finish(counts, place=machine)
    return report


def plan_search(folder: Path, settings: CircuitSettings, memory: int | None = None) -> tuple[CircuitPlan, float]:
    """What `find_circuit` would do, and how many passes a second this machine makes; what it would refuse is refused."""
    plan = plan_circuit(load_explained(folder), settings)
    work = _prepare(folder, settings, memory)
    # Values of the corrupt run stand for all ablations: the others would first have to be prepared.
    runner = work.runner("twin", settings.seed, None, SearchProgress())
    return plan, passes_a_second(runner, work.contrasts, settings.seed)


def read_circuit(path: Path) -> CircuitReport:
    """A finished circuit; one that was changed since is a UserError."""
    Artifact.open(path, KIND)
    return read_record(path / REPORT, CircuitReport)


def read_circuits(folder: Path) -> dict[str, CircuitReport]:
    """The finished circuits of an explain folder by their names; unfinished ones are left out."""
    finished = sorted(file.parent for file in (folder / FOLDER).glob(f"*/{REPORT}"))
    return {path.name: read_circuit(path) for path in finished if (path / "manifest.json").is_file()}


def _checked(name: str) -> str:
    """The name as it is; one that could lead out of the folder is a UserError."""
    if not _NAME.fullmatch(name):
        raise UserError(f"--name {name!r}: use up to 64 letters, digits, _, . and -, and begin with a letter or digit.")
    return name


def _prepare(folder: Path, settings: CircuitSettings, memory: int | None) -> _Work:
    """Load the model and the effects; what can be refused is refused here."""
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
    return _Work(model, tokens, sites, effects, budget, origin)
