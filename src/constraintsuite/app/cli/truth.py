"""`csuite truth`: what people judged, and which vectors are nearest; two truths that never mix."""

from __future__ import annotations

from pathlib import Path

import click

from constraintsuite.app.cli.arguments import bundle_argument
from constraintsuite.app.cli.options import bundle_encoder_option, engine_options, json_option, similarity_option
from constraintsuite.app.cli.output import emit
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.mirror import shown
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors.bundle import reading
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance


@click.command()
@bundle_argument
@click.option("--knn", type=click.IntRange(1, 100_000), help="Also find this many exact neighbours of each query.")
@bundle_encoder_option
@similarity_option()
@json_option
@engine_options(models=False)
def truth(
    folder: Path, knn: int | None, encoder: str | None, metric: Similarity | None, as_json: bool, engine: Engine
) -> None:
    """Write the ground truth of BUNDLE: relevance (rel.*), and with --knn exact neighbours (ann.*)."""
    with reading(folder) as bundle:
        made = [make_relevance(folder)]
        if knn is not None:
            made.append(make_neighbours(folder, knn, Terminal(), encoder=encoder, metric=metric, engine=engine))
        name = bundle.id
    truths = [{"truth": shown(a.path), "content": a.manifest.content, "counts": a.manifest.counts} for a in made]
    emit({"bundle_id": name, "truths": truths}, as_json, [*map(_line, made), f"Bundle: {name}"])


def _line(artifact: Artifact) -> str:
    counts = artifact.manifest.counts
    if "neighbours" not in counts:
        missing = counts["judgments"] - counts["in_subset"]
        return (
            f"{shown(artifact.path)}: {counts['judgments']:,} judgments of {counts['queries']:,} queries, {missing:,} of them for "
            "documents outside the subset"
        )
    tied = counts["queries_tied_beyond_k"]
    ties = f"for {tied:,} queries, more documents are as near as the last" if tied else "none of them tied with others"
    return f"{shown(artifact.path)}: {counts['neighbours']:,} neighbours of {counts['queries']:,} queries; {ties}"
