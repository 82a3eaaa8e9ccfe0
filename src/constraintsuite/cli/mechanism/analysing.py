"""`csuite explain attribute`, `patch` and `ablate`: contrasts and a model give an explain folder."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.mechanism.scoping import scoped
from constraintsuite.cli.options import dry_run_option, engine_options, guide_option, json_option
from constraintsuite.cli.output import count_lines, emit
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.execution.engine import Engine
    from constraintsuite.mechanism.effects.records import AblationKind
    from constraintsuite.mechanism.explain.folder import Explained
    from constraintsuite.mechanism.explain.forecast import AnalysisForecast
    from constraintsuite.mechanism.explain.settings import AnalysisScope
    from constraintsuite.mechanism.explain.work import AnalysisWork
    from constraintsuite.store.artifact import Artifact


@click.command()
@scoped("every")
@click.option(
    "--steps",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Steps of integrated gradients; with 0, attribution patching.",
)
@dry_run_option
@json_option
@engine_options(models=True)
def attribute(
    source: Path, model: str, out: Path, scope: AnalysisScope, steps: int, dry_run: bool, as_json: bool, engine: Engine
) -> None:
    """Estimate what every site and role of a reranker (cross:FOLDER) does to the contrasts of SOURCE: a suite, or a file of contrasts.

    Attribution patching takes a few passes, however many sites there are; `csuite explain patch --guide` says how far the
    estimates can be trusted.
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.explain.forecast import forecast_attribution
    from constraintsuite.mechanism.explain.run import attribute as work
    from constraintsuite.mechanism.explain.work import prepare

    if dry_run:
        begun = prepare(source, model, scope)
        _tell_forecast(forecast_attribution(begun, len(scope.directions), steps), begun, as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), steps=steps, engine=engine), as_json)


@click.command()
@scoped("all")
@guide_option
@click.option(
    "--top",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="With --guide: patch this share of the sites, the strongest.",
)
@click.option(
    "--random",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="With --guide: also patch this share, chosen at random.",
)
@dry_run_option
@json_option
@engine_options(models=True)
def patch(  # noqa: PLR0913, PLR0917 - one parameter an option
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
    guide: Path | None,
    top: float,
    random: float,
    dry_run: bool,
    as_json: bool,
    engine: Engine,
) -> None:
    """Put activations of one run of each contrast of SOURCE into the other, site by site, and see what it does.

    Denoising puts clean values into the corrupt run (are they sufficient?), noising corrupt ones into the clean run (are they
    necessary?).
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.explain.forecast import forecast_patches
    from constraintsuite.mechanism.explain.plan import plan_patches
    from constraintsuite.mechanism.explain.run import patch as work

    if dry_run:
        begun, _ = plan_patches(source, model, scope, guide, top, random)
        _tell_forecast(forecast_patches(begun, len(scope.directions)), begun, as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), guide=guide, top=top, random=random, engine=engine), as_json)


@click.command()
@scoped("all", direction="noising")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["resample", "mean", "zero"]),
    show_default="all three",
    help="What takes the place of the removed values; repeatable.",
)
@dry_run_option
@json_option
@engine_options(models=True)
def ablate(
    source: Path,
    model: str,
    out: Path,
    scope: AnalysisScope,
    kinds: tuple[AblationKind, ...],
    dry_run: bool,
    as_json: bool,
    engine: Engine,
) -> None:
    """Take sites away from the clean runs of SOURCE: is the margin still there?

    In their place stands what they say about another Y (resample), their mean over the role (mean), or nothing (zero).
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.effects.records import ABLATIONS
    from constraintsuite.mechanism.explain.forecast import forecast_ablation
    from constraintsuite.mechanism.explain.plan import plan_ablation
    from constraintsuite.mechanism.explain.run import ablate as work

    chosen = kinds or ABLATIONS
    if dry_run:
        plan = plan_ablation(source, model, scope, chosen)
        _tell_forecast(forecast_ablation(plan), plan.work, as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), kinds=chosen, engine=engine), as_json)


def _tell_forecast(forecast: AnalysisForecast, begun: AnalysisWork, as_json: bool) -> None:
    from constraintsuite.mechanism.patching.capacity import passes_a_second

    speed = passes_a_second(begun.subject, begun.contrasts, begun.budget)
    record = {**asdict(forecast), "passes_a_second": speed, "seconds": forecast.passes / speed}
    emit(record, as_json, _forecast_lines(forecast, speed))


def _forecast_lines(forecast: AnalysisForecast, speed: float) -> Iterator[str]:
    from constraintsuite.forecast.amounts import in_time

    yield f"{forecast.contrasts:,} contrasts of {forecast.rows:,} rows, {forecast.patches:,} patches"
    counts = {"forward passes of one row": forecast.forwards}
    if forecast.backwards:
        counts["backward passes, each as long as two"] = forecast.backwards
    yield from count_lines({**counts, "tokens at most in one pass": forecast.tokens})
    duration = in_time(forecast.passes / speed)
    yield f"About {duration}: a trial of one second made {speed:,.0f} passes a second here."


def _tell(artifact: Artifact, as_json: bool) -> None:
    from constraintsuite.mechanism.explain.folder import load_explained

    explained = load_explained(artifact.path)
    record = {
        "explain": shown(artifact.path),
        "content": artifact.manifest.content,
        "counts": artifact.manifest.counts,
        "rejects": artifact.manifest.rejects,
        "baselines": explained.summary.baselines,
    }
    emit(record, as_json, _lines(explained, artifact))


def _lines(explained: Explained, artifact: Artifact) -> Iterator[str]:
    yield "\n\n".join([*_tables(explained), *_too_few(artifact)])
    yield f"\nAll of it: {shown(artifact.path)}"
    yield f"A page: csuite report {shown(artifact.path)} --out FOLDER"


def _tables(explained: Explained) -> Iterator[str]:
    from textwrap import fill

    from constraintsuite.mechanism.effects.groups import studied_items
    from constraintsuite.records.formats.text import WIDTH, text_parts
    from constraintsuite.showing.mechanism import explain_tables as tables
    from constraintsuite.showing.mechanism.explain_remarks import trust_lines

    yield from text_parts(tables.baseline_table(explained))
    yield from (fill(line, WIDTH) for line in trust_lines(explained))
    for items in studied_items(explained.contrasts):
        for kind in tables.kinds_of(explained):
            yield from text_parts(tables.strongest_table(explained, *kind, items=items))
            heads = tables.heads_table(explained, *kind, items=items)
            yield from text_parts(heads) if heads.rows else ()
    agreement = tables.agreement_table(explained)
    if agreement is not None:
        yield from text_parts(agreement)


def _too_few(artifact: Artifact) -> Iterator[str]:
    """Why there are not as many contrasts as --limit asks for."""
    from constraintsuite.mechanism.contrasts.selection import in_words

    limit, found = artifact.manifest.settings.get("limit"), artifact.manifest.counts["contrasts"]
    if limit is None or found >= limit:
        return
    left = [f"  {count:,} {in_words(reason)}" for reason, count in artifact.manifest.rejects.items()]
    told = "Left out:" if left else "There are no more of these sides, splits and controls."
    yield "\n".join([f"{found:,} contrasts, and not {limit:,} as --limit says. {told}", *left])
