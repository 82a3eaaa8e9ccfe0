"""Search a circuit: rank the sites by their effects on one half of the contrasts, and test the circuit on the other.

A circuit has a folder inside the explain folder whose effects it was found with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.significance import sign_flip
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import claim
from constraintsuite.mechanism.circuits import quality
from constraintsuite.mechanism.circuits.plan import (
    CircuitPlan,
    passes_a_second,
    plan_circuit,
    require_contrasts,
    search_steps,
)
from constraintsuite.mechanism.circuits.ranking import SiteEffects, compare_untrained, rank_sites, site_effects
from constraintsuite.mechanism.circuits.records import (
    FEWEST_RANDOM,
    ChanceCircuits,
    CircuitReport,
    CircuitSettings,
    CircuitVerdict,
    CurvePoint,
    RandomModels,
    RankedSite,
)
from constraintsuite.mechanism.circuits.runner import CircuitRunner, SearchProgress, sizes_to_run, studied_sites
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, ControlKind
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.explain.folder import load_effects, load_explained
from constraintsuite.mechanism.explain.request import KIND as EXPLAIN
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import peak_mib, plan_memory
from constraintsuite.mechanism.sites import parse_site
from constraintsuite.models.torch.device import describe_device

KIND = "circuit"
FOLDER = "circuit"
"""The folder of circuits inside an explain folder."""
REPORT = "circuit.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LEVEL = 0.05
Groups = dict[tuple[ControlKind, ContrastHalf], list[TokenContrast]]


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
    """Read a finished circuit. Raises UserError if it was changed since."""
    Artifact.open(path, KIND)
    return read_json(path / REPORT, CircuitReport)


def read_circuits(folder: Path) -> dict[str, CircuitReport]:
    """The finished circuits of an explain folder, by name."""
    finished = sorted(file.parent for file in (folder / FOLDER).glob(f"*/{REPORT}"))
    return {path.name: read_circuit(path) for path in finished if (path / "manifest.json").is_file()}


def _checked(name: str) -> str:
    """The name. Raises UserError if it could lead out of the folder."""
    if not _NAME.fullmatch(name):
        raise UserError(f"--name {name!r}: use up to 64 letters, digits, _, . and -, and begin with a letter or digit.")
    return name


def _prepare(
    folder: Path, settings: CircuitSettings, memory: int | None
) -> tuple[CircuitRunner, SiteEffects, ArtifactOrigin]:
    """A runner of circuits, the effects that rank the sites, and the origin of the folder; what can be refused is refused."""
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
    return CircuitRunner(model, sites, tokens, settings.ablation, budget, settings.seed), effects, origin


def search_circuit(runner: CircuitRunner, effects: SiteEffects, settings: CircuitSettings) -> CircuitReport:
    """Find a circuit on one half of the main contrasts, and test it on the other half and on the controls."""
    asked, seed = runner.usable, settings.seed
    ranking = rank_sites(effects, np.random.default_rng(seed))
    order = [parse_site(ranked.site) for ranked in ranking.sites]
    sizes = sizes_to_run(len(order), settings.size)
    groups = _groups(asked, settings)
    halves = [groups.get(("", half), []) for half in HALVES]
    for half, some in zip(HALVES, halves, strict=True):
        require_contrasts(len(some), half, settings)
    others = _controls(groups)

    def step(title: str, size: int = 1) -> AbstractContextManager[None]:
        of_halves, of_controls = ([len(some) for some in part] for part in (halves, others.values()))
        calls = search_steps(len(sizes), of_halves, of_controls, settings, size)[title]
        return runner.progress.step(title, sum(call.runs for call in calls))

    with step("margins"):
        selection, held_out = (quality.make_evaluator(runner, half, seed) for half in halves)
    with step("curve"):
        curve = tuple(quality.draw_curve(order, sizes, selection, held_out, settings.band))
        area = quality.area_under(order, sizes, held_out)
    point, reached = choose_point(curve, settings)
    circuit = order[: point.size]
    with step("random circuits"):
        chance = tuple(quality.judge_chance(frozenset(circuit), held_out, settings.chance))
    with step("completeness", point.size):
        completeness = quality.judge_completeness(circuit, selection, held_out, settings.parts)
    with step("members", point.size):
        members = tuple(quality.judge_members(circuit, held_out))
    with step("controls"):
        evaluators = {kind: quality.make_evaluator(runner, some, seed) for kind, some in others.items()}
        controls = tuple(quality.compare_controls(frozenset(circuit), held_out, evaluators))
    untrained = _compare_untrained(runner, held_out, effects, settings)
    behaviour, p = _behaviour(effects, seed)
    total = held_out.mean(held_out.scale)
    return CircuitReport(
        model=runner.model.name,
        ablation=runner.ablation,
        sites=len(runner.sites),
        contrasts=(len(selection.contrasts), len(held_out.contrasts)),
        clusters=(len(np.unique(selection.clusters)), len(np.unique(held_out.clusters))),
        unasked=len(runner.contrasts) - len(asked),
        margin_full=held_out.mean(held_out.full),
        margin_empty=held_out.mean(held_out.empty),
        total=total,
        behaviour_p=p,
        ranking=ranking,
        curve=curve,
        area=area,
        circuit=tuple(map(str, circuit)),
        faithfulness=point.check,
        completeness=completeness,
        members=members,
        chance=chance,
        controls=controls,
        random_models=untrained,
        verdict=give_verdict(behaviour, total, reached, ranking.sites[: len(circuit)], chance, untrained),
    )


def give_verdict(
    behaviour: bool,
    total: Interval,
    reached: bool,
    members: Sequence[RankedSite],
    chance: Sequence[ChanceCircuits],
    untrained: RandomModels | None,
) -> CircuitVerdict:
    """Decide for each condition whether it holds; a circuit is found if all do."""
    above = total.low is not None and total.low > 0
    sites = any(max(site.p, site.p_check) < LEVEL and site.t * site.t_check > 0 for site in members)
    unlike = _unlike_chance(chance)
    trained = None if untrained is None else max(untrained.behaviour_p, untrained.strongest_p) < LEVEL
    found = behaviour and above and reached and sites and unlike is True and trained is not False
    return CircuitVerdict(found, behaviour, above, reached, sites, unlike, trained)


def _unlike_chance(chance: Sequence[ChanceCircuits]) -> bool | None:
    """Whether the circuit beats random ones of every match of which enough exist; None if there is no such match."""
    enough = [others for others in chance if others.possible >= FEWEST_RANDOM]
    if not enough:
        return None
    return all(others.p is not None and others.p < LEVEL for others in enough)


def _groups(contrasts: Sequence[TokenContrast], settings: CircuitSettings) -> Groups:
    """Contrasts by control and half, at most `limit` in each group; the choice does not depend on their order.

    Main contrasts are of one side only: the sites that distinguish two queries may not be those that distinguish two texts.
    """
    groups: Groups = {}
    for one in contrasts:
        if not one.contrast.control and one.contrast.side != settings.side:
            continue
        groups.setdefault((one.contrast.control, one.contrast.half), []).append(one)
    return {key: _some(group, settings.limit, settings.seed) for key, group in groups.items()}


def _some(contrasts: Sequence[TokenContrast], limit: int | None, seed: int) -> list[TokenContrast]:
    order = sorted(contrasts, key=lambda one: stable_hash("circuit", str(seed), one.contrast.id))
    return sorted(order[:limit], key=lambda one: one.contrast.id)


def _controls(groups: Groups) -> dict[ControlKind, list[TokenContrast]]:
    """The controls of the half `check`, or of `find` if it has none; controls decide nothing in either."""
    kinds: list[ControlKind] = sorted({control for control, _ in groups if control})
    return {kind: groups.get((kind, "check")) or groups[kind, "find"] for kind in kinds}


def choose_point(curve: Sequence[CurvePoint], settings: CircuitSettings) -> tuple[CurvePoint, bool]:
    """The smallest circuit that reaches the threshold on the half `find`, or else the most faithful one there."""

    def height(point: CurvePoint) -> float:
        return -math.inf if point.find.value is None else point.find.value

    if settings.size is not None:
        point = next(point for point in curve if point.size == settings.size)
        return point, height(point) >= settings.threshold
    for point in curve:
        if height(point) >= settings.threshold:
            return point, True
    return max(curve, key=lambda point: (height(point), -point.size)), False


def _behaviour(effects: SiteEffects, seed: int) -> tuple[bool, float]:
    """Whether clean margins are above corrupt ones on the half `check`, and p."""
    half = effects.half("check")
    gaps = effects.clean[half] - effects.corrupt[half]
    p = sign_flip(gaps, effects.clusters[half], rng=np.random.default_rng(seed))
    return bool(len(gaps) and gaps.mean() > 0 and p < LEVEL), p


def _compare_untrained(
    runner: CircuitRunner, held_out: quality.CircuitEvaluator, effects: SiteEffects, settings: CircuitSettings
) -> RandomModels | None:
    if not settings.random_models:
        return None
    known = {contrast.id for contrast in effects.contrasts}
    asked = [one for one in held_out.contrasts if one.contrast.id in known]
    some = _some(asked, settings.random_contrasts, settings.seed)
    models, seed = settings.random_models, settings.seed
    with runner.progress.step("untrained models", models * len(some)):
        return compare_untrained(runner, some, effects, models, seed)
