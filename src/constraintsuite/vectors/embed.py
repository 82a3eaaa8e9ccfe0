"""Encode the texts of a bundle, shard by shard; a rerun resumes after the last finished shard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.record_isolation import list_left_out
from constraintsuite.core.execution.shard_runs import WorkCounts, spread
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.models.base import ModelFact, TextRole
from constraintsuite.models.dense import DenseScorer, load_encoder
from constraintsuite.models.worker_model import WorkerSpec, make_worker_spec, temporary_model_cache
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, reading
from constraintsuite.vectors.embedding_shard import ShardTask, embed_shard, folder_name, reading_known
from constraintsuite.vectors.matrices import ZERO, map_matrix, write_matrix

SHARD_ROWS = 10_000
_ALONE = LocalEngine()


def embed_bundle(
    path: Path,
    model: str,
    reporter: Reporter,
    *,
    shard_rows: int = SHARD_ROWS,
    engine: Engine = _ALONE,
    reuse: Sequence[Path] = (),
) -> Artifact:
    """Write the vectors of a bundle by an encoder; finished shards are not computed again."""
    with reading(path) as bundle, reading_known(reuse), temporary_model_cache():
        bundle.require_texts()
        encoder = load_encoder(model)
        sent = make_worker_spec(model, encoder, engine)
        out = bundle.path / files.VECTORS / folder_name(sent.fingerprint)
        inputs = {"texts": bundle.texts.manifest.content, **_reused(reuse, out.name)}
        settings = {"encoder": sent.fingerprint, "similarity": encoder.similarity, "shard_rows": shard_rows}
        origin = ArtifactOrigin("vectors", encoder.name, inputs, settings, 0, REVISIONS["vectors"])
        with claim(
            out,
            origin,
            files.OF_VECTORS,
            replace=Replace.SAME_KIND,
            work=str(REVISIONS["embedding shard"]),
            accept=bundle.owns,  # the name of the folder identifies the encoder
            note=reporter.note,
        ) as space:
            if space.finished is not None:
                return space.finished
            new = space.empty_new()
            tasks = plan_shards(bundle, sent, space.stages, shard_rows, tuple(reuse))
            outcome = spread("shards", embed_shard, tasks, space.stages, engine, reporter)
            _gather(bundle, new, tasks)
            reports = [json.loads(task.report.read_text(encoding="utf-8")) for task in tasks.values()]
            _describe(encoder, sent, reports[0]["facts"] if sent.away else encoder.describe(), new, outcome)
            events = [*(event for report in reports for event in report["events"]), *list_left_out(space.stages, tasks)]
            return space.finish(outcome.counts, outcome.rejects, events)


def plan_shards(
    bundle: Bundle, encoder: DenseScorer | WorkerSpec, folder: Path, shard_rows: int, known: tuple[Path, ...] = ()
) -> dict[str, ShardTask]:
    """The shards by name; they depend only on the texts, not on the number of workers."""
    tasks = {}
    roles: tuple[tuple[TextRole, int], ...] = (("document", bundle.documents), ("query", len(bundle.queries)))
    for role, rows in roles:
        for number, start in enumerate(range(0, rows, shard_rows)):
            name = f"{role}-{number:05}"
            stop = min(rows, start + shard_rows)
            file, report = folder / f"{name}.npy", folder / f"{name}.said.json"
            tasks[name] = ShardTask(
                bundle.path, encoder.name, encoder.fingerprint, role, start, stop, file, report, known
            )
    return tasks


def _reused(folders: Sequence[Path], encoder: str) -> dict[str, str]:
    """The hashes of the vectors to reuse. Raises UserError if the bundle has no vectors of this encoder."""
    contents = {}
    for number, folder in enumerate(folders):
        there = {artifact.path.name: artifact for artifact in Bundle.open(folder).parts(files.VECTORS)}
        if encoder not in there:
            raise UserError(f"--reuse {folder}: this bundle has no vectors of this encoder ({encoder}).")
        there[encoder].refuse_changed()
        contents[f"reuse {number}"] = there[encoder].manifest.content
    return contents


def _gather(bundle: Bundle, out: Path, tasks: Mapping[str, ShardTask]) -> None:
    """Join the shards of documents and of queries, with one shard in memory at a time."""
    for role, file, rows in (
        ("document", files.DOCUMENT_VECTORS, bundle.documents),
        ("query", files.QUERY_VECTORS, len(bundle.queries)),
    ):
        shards = [task.file for task in tasks.values() if task.role == role]
        blocks = (np.load(shard, allow_pickle=False) for shard in shards)
        write_matrix(out / file, blocks, rows, map_matrix(shards[0]).shape[1])


def _describe(
    encoder: DenseScorer, sent: WorkerSpec, facts: Mapping[str, ModelFact], out: Path, outcome: WorkCounts
) -> None:
    record = {
        "model": encoder.name,
        "fingerprint": sent.fingerprint,
        "similarity": encoder.similarity,
        "dimensions": map_matrix(out / files.DOCUMENT_VECTORS).shape[1],
        "dtype": "float32",
        **facts,
    }
    write_json(out / files.ENCODER, record)
    read = {name: count for name, count in outcome.counts.items() if not name.endswith(ZERO)}
    write_json(out / files.TRUNCATION, read)
