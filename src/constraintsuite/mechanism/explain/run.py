"""Run a request and write an explain folder: shards of contrasts on any engine; finished shards are not run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine, LocalEngine, require_results
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.record_isolation import (
    PoisonRecord,
    RecordIsolation,
    are_few,
    note_files,
    read_poison,
)
from constraintsuite.core.execution.remote_paths import localize, map_paths, mirrors_in, paths_in
from constraintsuite.core.execution.shard_runs import UNWORKABLE, WorkCounts, spread
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import adapter, write_json, write_jsonl
from constraintsuite.core.store.mirror import pull_path, remove_from_store
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Workspace, claim
from constraintsuite.mechanism.contrasts.files import CONTRASTS
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import compare_estimates
from constraintsuite.mechanism.effects.records import Grid, parquet_writer, part_file, read_effects, write_effects
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.explain.analysis import Guide, LoadedAnalysis, load_analysis, rows_by_side
from constraintsuite.mechanism.explain.folder import (
    COMPARISON,
    FILES,
    SEPARATE,
    SUBJECT,
    SUMMARY,
    AttributionCheck,
    ModelFacts,
)
from constraintsuite.mechanism.explain.request import KIND, AnalysisRequest, ContrastSource
from constraintsuite.mechanism.patching.capacity import peak_mib
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import describe_device
from constraintsuite.models.worker_model import machine_in_errors, refuse_other_model, with_absolute_paths

_NONE = np.empty(0)
_NO_ROWS = Grid((), (), "noising", "exact", _NONE, _NONE, np.empty((0, 0)), _NONE, np.empty((0, 0)))


@dataclass(frozen=True)
class AnalysisPlan:
    """What a loaded analysis reports to the process that directs the work, which may not be able to run the model."""

    model: ModelFacts
    source: ContrastSource
    patches: int
    settings: Mapping[str, Any]
    guide: Guide | None
    place: Mapping[str, Any]
    """Where the model runs."""


@dataclass(frozen=True)
class EffectsTask:
    """A shard: the contrasts of a request from `first` to before `last`, and the file for their effects."""

    request: AnalysisRequest
    fingerprint: str
    """The fingerprint that the model must have."""
    first: int
    last: int
    file: Path


@lru_cache(maxsize=1)
def _loaded(request: AnalysisRequest) -> LoadedAnalysis:
    """The analysis that this process works on; its model is loaded once and kept for all shards."""
    return load_analysis(request)


def run_analysis(request: AnalysisRequest, out: Path, reporter: Reporter, engine: Engine | None = None) -> Artifact:
    """Compute the effects of all shards that are not finished yet, and figures over them, into the folder `out`."""
    engine = engine or LocalEngine()
    try:
        sent, plan = _plan(request, engine)
        with claim(out, _origin(request, plan), FILES, separate=SEPARATE, note=reporter.note) as space:
            return space.finished or _run(sent, plan, space, reporter, engine)
    finally:
        _loaded.cache_clear()


def write_shard(task: EffectsTask, isolation: RecordIsolation) -> WorkCounts:
    """Write the effects of a shard, computed in one call; contrasts that break the model are left out."""
    with machine_in_errors():
        analysis = _loaded(task.request)
        refuse_other_model(analysis.model.name, analysis.model.fingerprint, task.fingerprint)

    def effects(contrasts: Sequence[TokenContrast | None]) -> list[list[Grid]]:
        """For each contrast the grids of all, since the batch decides their last bits; None means no contrast."""
        try:
            return [analysis.effects([one for one in contrasts if one is not None])] * len(contrasts)
        except OutOfMemory as error:
            raise UserError(
                f"The device has no memory left ({error}). Run the command again with a smaller --memory: it resumes."
            ) from None

    def name(one: TokenContrast | None) -> str:
        return one.contrast.id if one is not None else ""

    made = isolation.map_shard(analysis.contrasts[task.first : task.last], name, effects, None)
    return WorkCounts({"rows": write_effects(task.file, next((grids for grids in made if grids), [_NO_ROWS]))})


def _plan(request: AnalysisRequest, engine: Engine) -> tuple[AnalysisRequest, AnalysisPlan]:
    """The request as workers get it, and the plan; workers on other machines make the plan there."""
    if isinstance(engine, LocalEngine):
        return request, _plan_here(request)
    # Workers start in another folder.
    sent = map_paths(replace(request, model=with_absolute_paths(request.model)), Path.absolute)
    (plan,) = require_results(engine.map(_plan_there, [(sent, mirrors_in(sent))]))
    return sent, replace(plan, model=replace(plan.model, name=request.model))


def _plan_there(sent: tuple[AnalysisRequest, Mapping[Path, str]]) -> AnalysisPlan:
    """Plan a request that was sent together with the mirrors of object stores in which its paths are."""
    request = localize(*sent)
    for path in paths_in(request):
        pull_path(path)
    with machine_in_errors():
        return _plan_here(request)


def _plan_here(request: AnalysisRequest) -> AnalysisPlan:
    analysis = _loaded(request)
    model, model_type = analysis.model, str(analysis.model.module.config.model_type)
    shape = (model.layers, model.heads, model.pooling)
    facts = ModelFacts(model.name, model_type, *shape, model.fingerprint, model.invariants)
    place = {"device": describe_device(model.device), "tokens": asdict(analysis.budget)}
    return AnalysisPlan(facts, analysis.source, len(analysis.patches), analysis.settings, analysis.guide, place)


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
        "writer": parquet_writer(),
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
    broken = _write_all_effects(request, plan, space, engine, reporter)
    rows = read_effects(out)
    if not len(rows):
        raise UserError(f"{out}: none of the patches could change anything in any contrast. Name other --roles.")
    left_out = {each.record for each in broken}
    asked = [one for one in plan.source.contrasts if one.id not in left_out]
    write_jsonl(out / CONTRASTS, asked)
    write_json(out / SUBJECT, plan.model)
    write_json(out / SUMMARY, summarise_effects(rows, asked, space.origin.seed))
    if guide is not None:
        agreement = compare_estimates(guide.estimates, rows_by_side(rows, asked), guide.choice)
        write_json(out / COMPARISON, AttributionCheck(guide.choice, tuple(agreement)))
    counts = {"contrasts": len(asked), "patches": plan.patches, "rows": len(rows)}
    rejects = {**plan.source.rejects, **({UNWORKABLE: len(left_out)} if left_out else {})}
    events = tuple(f"left out {each.record}: {each.reason}" for each in broken)
    place = dict(plan.place)
    if isinstance(engine, LocalEngine):
        place["peak_mib"] = round(peak_mib(_loaded(request).model.device))
    return space.finish(counts, rejects, events, place)


def _write_all_effects(
    request: AnalysisRequest, plan: AnalysisPlan, space: Workspace, engine: Engine, reporter: Reporter
) -> list[PoisonRecord]:
    """Write one file of effects per shard, and return the contrasts that break the model; finished shards are kept."""
    out, folder = space.out, space.stages
    folder.mkdir(exist_ok=True)
    count, size = len(plan.source.contrasts), plan.settings["shard"]
    tasks = {}
    for number, first in enumerate(range(0, count, size)):
        file = folder / part_file(out, number).name
        tasks[file.stem] = EffectsTask(request, plan.model.fingerprint, first, min(count, first + size), file)
    done = sum(task.last - task.first for name, task in tasks.items() if _outcome(folder, name).is_file())
    if done:
        reporter.note(f"{out}: resumes after {done:,} of {count:,} contrasts")
    spread(request.analysis, write_shard, tasks, folder, engine, reporter)
    poison = {name: read_poison(folder, name) for name in tasks}
    broken = [each for some in poison.values() for each in some]
    # A shard may be a single contrast, so the broken contrasts of all shards are counted together.
    if not are_few(len(broken), count) or len(broken) == count:
        _refuse_many(poison, broken, count, folder)
    for number, task in enumerate(tasks.values()):
        target = part_file(out, number)
        target.parent.mkdir(exist_ok=True)
        if task.file.is_file():  # else an earlier process, stopped since, has moved it
            task.file.replace(target)
    return broken


def _refuse_many(
    poison: Mapping[str, Sequence[PoisonRecord]], broken: Sequence[PoisonRecord], count: int, folder: Path
) -> None:
    """Raise a UserError: so many broken contrasts have another cause. Their shards will run again the next time."""
    for name in (name for name, some in poison.items() if some):
        for file in (_outcome(folder, name), *note_files(folder, name)):
            file.unlink(missing_ok=True)
            remove_from_store(file)
    raise UserError(
        f"The model breaks at {len(broken):,} of {count:,} contrasts, among them {broken[0].record!r} ({broken[0].reason}). Is "
        "something wrong with the installation? What was finished is kept: run the same command again."
    )


def _outcome(folder: Path, shard: str) -> Path:
    return folder / f"{shard}.outcome.json"
