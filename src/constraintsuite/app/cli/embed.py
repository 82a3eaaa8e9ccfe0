"""`csuite embed`: encode the texts of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from constraintsuite.app.cli.arguments import bundle_argument
from constraintsuite.app.cli.options import dry_run_option, engine_options, json_option, model_option
from constraintsuite.app.cli.output import artifact_record, count_lines, emit
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.execution.shard_runs import UNWORKABLE
from constraintsuite.core.records.figures import percent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.mirror import shown
from constraintsuite.models.dense import load_encoder
from constraintsuite.vectors.bundle import Bundle, reading
from constraintsuite.vectors.embed import SHARD_ROWS, embed_bundle, plan_shards
from constraintsuite.vectors.embedding_shard import PLURALS
from constraintsuite.vectors.matrices import zero_count


@click.command()
@bundle_argument
@model_option
@click.option(
    "--shard-rows",
    type=click.IntRange(1, 1_000_000),
    default=SHARD_ROWS,
    show_default=True,
    help="Texts per shard. A worker holds one shard in memory, and an interruption loses at most that shard.",
)
@click.option(
    "--reuse",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Bundle whose vectors are reused for equal texts; repeatable.",
)
@dry_run_option
@json_option
@engine_options(models=True)
def embed(
    folder: Path, model: str, shard_rows: int, reuse: tuple[Path, ...], dry_run: bool, as_json: bool, engine: Engine
) -> None:
    """Encode the documents and queries of BUNDLE with an encoder.

    The same command resumes interrupted work after the last finished shard.
    """
    with reading(folder) as bundle:
        if dry_run:
            record = _planned(bundle, model, shard_rows)
            emit(record, as_json, (f"{name:<10} {value}" for name, value in record.items()))
            return
        artifact = embed_bundle(folder, model, Terminal(), shard_rows=shard_rows, engine=engine, reuse=reuse)
        own = {"encoder": artifact.manifest.settings["encoder"], "bundle_id": bundle.id}
        emit({**artifact_record("vectors", artifact), **own}, as_json, _lines(bundle, artifact))


def _planned(bundle: Bundle, model: str, shard_rows: int) -> dict[str, object]:
    encoder = load_encoder(model)
    bundle.require_texts()
    return {
        "model": encoder.name,
        "encoder": encoder.fingerprint,
        "documents": bundle.documents,
        "queries": len(bundle.queries),
        "shards": len(plan_shards(bundle, encoder, bundle.path, shard_rows)),
    }


def _lines(bundle: Bundle, artifact: Artifact) -> Iterator[str]:
    counts = artifact.manifest.counts
    yield f"Vectors: {shown(artifact.path)}"
    texts = {}
    for role, plural in PLURALS.items():
        cut = counts.get(f"{plural}_truncated")
        words = plural
        if counts.get(f"{plural}_reused"):
            words += f", {counts[f'{plural}_reused']:,} of them reused"
        if cut is not None:
            share = counts[f"{role}_characters_unread"] / max(1, counts[f"{role}_characters"])
            words += f"; {cut:,} longer than the encoder reads ({percent(share)} of all characters are not read)"
        if counts.get(zero_count(plural)):
            words += f"; {counts[zero_count(plural)]:,} vectors are zero"
        texts[words] = counts[plural]
    if lost := artifact.manifest.rejects.get(UNWORKABLE):
        texts[
            "texts on which the encoder failed: their vectors are zero. environment.json in that folder names them."
        ] = lost
    yield from count_lines(texts)
    yield f"Bundle:  {bundle.id}"
    yield f"Next:    csuite bundle truth {shown(bundle.path)} --knn 100"
