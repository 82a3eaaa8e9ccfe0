"""A request in, one explain folder out: shards of contrasts on any engine; what was done before a stop is not done again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine, LocalEngine, require_results
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.record_isolation import (
    PoisonRecord,
    RecordIsolation,
    are_few,
    in_bulk,
    notes_of,
    read_poison,
)
from constraintsuite.core.execution.remote_paths import arrive, changed, clear, fetch, mirrors_in, paths_in
from constraintsuite.core.execution.shard_runs import UNWORKABLE, WorkCounts, spread
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Workspace, claim
from constraintsuite.mechanism.contrasts.files import CONTRASTS, write_contrasts
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import compare
from constraintsuite.mechanism.effects.records import Grid, part_file, read_effects, write_effects, writer
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.explain.analysis import Guide, LoadedAnalysis, load_analysis, rows_by_side
from constraintsuite.mechanism.explain.folder import (
    BESIDE,
    COMPARISON,
    FILES,
    SUBJECT,
    SUMMARY,
    AttributionCheck,
    ModelFacts,
    write_record,
)
from constraintsuite.mechanism.explain.request import KIND, AnalysisRequest, ContrastSource
from constraintsuite.mechanism.patching.capacity import peak_mib
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.process_cache import name_machine_in_errors
from constraintsuite.models.torch.device import describe_device
from constraintsuite.models.worker_spec import with_whole_paths

_NONE = np.empty(0)
_NO_ROWS = Grid((), (), "noising", "exact", _NONE, _NONE, np.empty((0, 0)), _NONE, np.empty((0, 0)))


@dataclass(frozen=True)
class AnalysisPlan:
    """What a loaded analysis tells whoever drives the work, which may be a machine that cannot run the model."""

    model: ModelFacts
    source: ContrastSource
    """With the contrasts that the model can be asked."""
    patches: int
    settings: Mapping[str, Any]
    guide: Guide | None
    place: Mapping[str, Any]
    """Where the model runs."""


@dataclass(frozen=True)
class EffectsTask:
    """Some contrasts of a request, and the file of their effects."""

    request: AnalysisRequest
    model: str
    """Fingerprint of the model that is asked."""
    first: int
    last: int
    file: Path


class LeftOut(NamedTuple):
    """Contrasts that break the model: their ids, and an event for each."""

    contrasts: frozenset[str]
    events: tuple[str, ...]


@lru_cache(maxsize=1)
def _loaded(request: AnalysisRequest) -> LoadedAnalysis:
    """The analysis that this process works on: its model is loaded once, and kept from one shard to the next."""
    return load_analysis(request)


def run_analysis(request: AnalysisRequest, out: Path, reporter: Reporter, engine: Engine | None = None) -> Artifact:
    """Compute the effects of every shard that is not there yet, then what they say together, into the folder `out`."""
    engine = engine or LocalEngine()
    try:
        sent, plan = _plan(request, engine)
        with claim(out, _origin(request, plan), FILES, beside=BESIDE, note=reporter.note) as space:
            return space.finished or _run(sent, plan, space, reporter, engine)
    finally:
        _loaded.cache_clear()


def write_shard(task: EffectsTask, care: RecordIsolation) -> WorkCounts:
    """Write the effects of a shard, all computed in one call; contrasts that break the model are left out."""
    with name_machine_in_errors():
        analysis = _loaded(task.request)
    if analysis.model.fingerprint != task.model:
        raise UserError(
            f"Model {analysis.model.name!r}: its files were changed while it was in use, or on {platform.node()} it is "
            "not the same: other weights, versions of libraries, threads or device."
        )

    def effects(contrasts: Sequence[TokenContrast | None]) -> list[list[Grid]]:
        """For each contrast the grids of all: what they are asked in one batch decides their last bits. None asks nothing."""
        try:
            return [analysis.effects([one for one in contrasts if one is not None])] * len(contrasts)
        except OutOfMemory as error:
            raise UserError(
                f"The device has no memory left ({error}). Run it again with a smaller --memory: it goes on where it was."
            ) from None

    def name(one: TokenContrast | None) -> str:
        return one.contrast.id if one is not None else ""

    made = in_bulk(care, analysis.contrasts[task.first : task.last], name, effects, None)
    return WorkCounts({"rows": write_effects(task.file, next((grids for grids in made if grids), [_NO_ROWS]))})


def _plan(request: AnalysisRequest, engine: Engine) -> tuple[AnalysisRequest, AnalysisPlan]:
    """The request as workers are sent it, and what will be done; workers that are elsewhere are asked for that."""
    if isinstance(engine, LocalEngine):
        return request, _plan_here(request)
    # Workers begin in another folder.
    sent = changed(replace(request, model=with_whole_paths(request.model)), Path.absolute)
    (plan,) = require_results(engine.map(_plan_there, [(sent, mirrors_in(sent))]))
    return sent, replace(plan, model=replace(plan.model, name=request.model))


def _plan_there(sent: tuple[AnalysisRequest, Mapping[Path, str]]) -> AnalysisPlan:
    """Plan a request that came with the mirrors of object stores in which its paths lie; see `travel`."""
    request = arrive(*sent)
    for path in paths_in(request):
        fetch(path)
    with name_machine_in_errors():
        return _plan_here(request)


def _plan_here(request: AnalysisRequest) -> AnalysisPlan:
    analysis = _loaded(request)
    model, contrasts = analysis.model, tuple(one.contrast for one in analysis.contrasts)
    facts = ModelFacts(
        model.name,
        str(model.module.config.model_type),
        model.layers,
        model.heads,
        model.pooling,
        model.fingerprint,
        model.invariants,
    )
    source = replace(analysis.source, contrasts=contrasts, rejects=analysis.rejects)
    place = {"device": describe_device(model.device), "tokens": asdict(analysis.budget)}
    return AnalysisPlan(facts, source, len(analysis.patches), analysis.settings, analysis.guide, place)


def _origin(request: AnalysisRequest, plan: AnalysisPlan) -> ArtifactOrigin:
    source, scope = plan.source, request.scope
    settings = {
        "analysis": request.analysis,
        "model": plan.model.name,
        "source": source.name,
        "analyser": source.analyser,
        **scope.model_dump(mode="json", exclude={"seed", "memory"}),
        **plan.settings,
        "draws": DRAWS,
        "writer": writer(),
    }
    asked = adapter(tuple[MarkedContrast, ...]).dump_json(source.contrasts).decode()
    inputs = {"source": source.content, "contrasts": sha256_text(asked), "subject": plan.model.fingerprint}
    if plan.guide is not None:
        inputs["guide"] = plan.guide.content
    name = f"{request.analysis} {plan.model.name}"
    return ArtifactOrigin(KIND, name, inputs, settings, scope.seed, REVISIONS["explain"])


def _run(
    request: AnalysisRequest, plan: AnalysisPlan, space: Workspace, reporter: Reporter, engine: Engine
) -> Artifact:
    out, guide = space.out, plan.guide
    space.stages.mkdir(exist_ok=True)
    left = _write_all_effects(request, plan, out, space.stages, engine, reporter)
    rows = read_effects(out)
    if not len(rows):
        raise UserError(f"{out}: none of the patches could change anything in any contrast. Name other --roles.")
    asked = [one for one in plan.source.contrasts if one.id not in left.contrasts]
    write_contrasts(out / CONTRASTS, asked)
    write_record(out / SUBJECT, plan.model)
    write_record(out / SUMMARY, summarise_effects(rows, asked, space.origin.seed))
    if guide is not None:
        found = compare(guide.estimates, rows_by_side(rows, asked), guide.choice)
        write_record(out / COMPARISON, AttributionCheck(guide.choice, tuple(found)))
    counts = {"contrasts": len(asked), "patches": plan.patches, "rows": len(rows)}
    rejects = {**plan.source.rejects, **({UNWORKABLE: len(left.contrasts)} if left.contrasts else {})}
    place = dict(plan.place)
    if isinstance(engine, LocalEngine):
        place["peak_mib"] = round(peak_mib(_loaded(request).model.device))
    return space.finish(counts, rejects, left.events, place)


def _write_all_effects(
    request: AnalysisRequest, plan: AnalysisPlan, out: Path, folder: Path, engine: Engine, reporter: Reporter
) -> LeftOut:
    """A file for every shard of contrasts in `out`; what is finished in `folder` is kept."""
    contrasts, size = len(plan.source.contrasts), plan.settings["shard"]
    tasks = {}
    for number, first in enumerate(range(0, contrasts, size)):
        file = folder / part_file(out, number).name
        last = min(contrasts, first + size)
        tasks[file.stem] = EffectsTask(request, plan.model.fingerprint, first, last, file)
    done = sum(task.last - task.first for name, task in tasks.items() if _outcome(folder, name).is_file())
    if done:
        reporter.note(f"{out}: goes on after {done:,} of {contrasts:,} contrasts")
    spread(request.analysis, write_shard, tasks, folder, engine, reporter)
    poison = {name: read_poison(folder, name) for name in tasks}
    lost = [each for some in poison.values() for each in some]
    # A shard may be a single contrast, so those of all shards are counted together.
    if not are_few(len(lost), contrasts) or len(lost) == contrasts:
        _refuse_many(poison, lost, contrasts, folder)
    for number, task in enumerate(tasks.values()):
        target = part_file(out, number)
        target.parent.mkdir(exist_ok=True)
        if task.file.is_file():  # else it was moved before, by a process that was stopped then
            task.file.replace(target)
    events = tuple(f"left out {each.record}: {each.reason}" for each in lost)
    return LeftOut(frozenset(each.record for each in lost), events)


def _refuse_many(
    poison: Mapping[str, Sequence[PoisonRecord]], lost: Sequence[PoisonRecord], contrasts: int, folder: Path
) -> None:
    """Refuse so many broken contrasts: the fault is elsewhere, so their shards are run again the next time."""
    for name in (name for name, some in poison.items() if some):
        for file in (_outcome(folder, name), *notes_of(folder, name)):
            file.unlink(missing_ok=True)
            clear(file)
    raise UserError(
        f"The model breaks at {len(lost):,} of {contrasts:,} contrasts, among them {lost[0].record!r} ({lost[0].reason}). Is "
        "something wrong with the installation? What was finished is kept: run the same command again."
    )


def _outcome(folder: Path, shard: str) -> Path:
    return folder / f"{shard}.outcome.json"
