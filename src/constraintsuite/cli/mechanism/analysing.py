"""`csuite explain attribute`, `patch` and `ablate`: contrasts and a model give an explain folder."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.mechanism.options import dry_run_option, folder_type, json_option
from constraintsuite.cli.mechanism.scoping import scoped

if TYPE_CHECKING:
    from constraintsuite.mechanism.effects.records import Ablation
    from constraintsuite.mechanism.explain.forecast import Forecast
    from constraintsuite.mechanism.explain.settings import Scope
    from constraintsuite.store.artifact import Artifact


@click.command()
@scoped("every")
@click.option("--steps", type=click.IntRange(min=0), default=0, show_default=True, help="Of integrated gradients.")
@dry_run_option
@json_option
def attribute(source: Path, model: str, out: Path, scope: Scope, steps: int, dry_run: bool, as_json: bool) -> None:
    """Estimate what every site and role of a reranker does to the contrasts of SOURCE: a suite, or a file of contrasts.

    Attribution patching takes a few passes, however many sites there are; `csuite explain patch --guide` says how far the
    estimates can be trusted.
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.explain.forecast import forecast_attribution
    from constraintsuite.mechanism.explain.run import attribute as work
    from constraintsuite.mechanism.explain.work import prepare

    if dry_run:
        _tell_forecast(forecast_attribution(prepare(source, model, scope), len(scope.directions), steps), as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), steps=steps), as_json)


@click.command()
@scoped("all")
@click.option("--guide", type=folder_type, help="An attribution: patch what it calls strongest, and a share by chance.")
@click.option("--top", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="With --guide: the strongest.")
@click.option("--random", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="With --guide: by chance.")
@dry_run_option
@json_option
def patch(  # noqa: PLR0913, PLR0917 - one parameter an option
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    guide: Path | None,
    top: float,
    random: float,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put activations of one run of each contrast of SOURCE into the other, site by site, and see what it does.

    Denoising puts clean values into the corrupt run (are they sufficient?), noising corrupt ones into the clean run (are they
    necessary?).
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.effects.agreement import choose
    from constraintsuite.mechanism.explain.folder import load_effects
    from constraintsuite.mechanism.explain.forecast import forecast_patches
    from constraintsuite.mechanism.explain.run import patch as work
    from constraintsuite.mechanism.explain.work import patches_at, prepare

    if dry_run:
        prepared = prepare(source, model, scope)
        if guide is not None:
            choice = choose(load_effects(guide)[0], top, random, scope.seed)
            prepared = prepared.of(patches_at([*choice.top, *choice.random]))
        _tell_forecast(forecast_patches(prepared, len(scope.directions)), as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), guide=guide, top=top, random=random), as_json)


@click.command()
@scoped("all")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["resample", "mean", "zero"]),
    help="What is put in the place of what is taken away, repeatable.  [default: all three]",
)
@dry_run_option
@json_option
def ablate(
    source: Path,
    model: str,
    out: Path,
    scope: Scope,
    kinds: tuple[Ablation, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take sites away from the clean runs of SOURCE: is the margin still there?

    In their place stands what they say about another Y (resample), their mean over the role (mean), or nothing (zero).
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.effects.records import ABLATIONS
    from constraintsuite.mechanism.explain.forecast import forecast_patches
    from constraintsuite.mechanism.explain.run import ablate as work
    from constraintsuite.mechanism.explain.work import prepare

    chosen = kinds or ABLATIONS
    if dry_run:
        _tell_forecast(forecast_patches(prepare(source, model, scope), len(chosen)), as_json)
        return
    _tell(work(source, model, out, scope, Terminal(), kinds=chosen), as_json)


def _tell_forecast(forecast: Forecast, as_json: bool) -> None:
    from constraintsuite.mechanism.explain.forecast import Forecast
    from constraintsuite.store.jsonl import adapter

    if as_json:
        click.echo(adapter(Forecast).dump_json(forecast, indent=2).decode())
        return
    click.echo(f"{forecast.contrasts:,} contrasts of {forecast.rows:,} rows, {forecast.patches:,} patches")
    click.echo(f"{forecast.forwards:>15,.0f} forward passes of one row")
    click.echo(f"{forecast.backwards:>15,.0f} backward passes")


def _tell(artifact: Artifact, as_json: bool) -> None:
    from constraintsuite.cli.mechanism import explain_tables as tables
    from constraintsuite.mechanism.effects.summary import EffectSummary
    from constraintsuite.mechanism.explain.folder import load_explained
    from constraintsuite.store.jsonl import adapter

    explained = load_explained(artifact.path)
    if as_json:
        record = {
            "explain": str(artifact.path),
            "content": artifact.manifest.content,
            "counts": artifact.manifest.counts,
            "rejects": artifact.manifest.rejects,
            "baselines": adapter(EffectSummary).dump_python(explained.summary, mode="json")["baselines"],
        }
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    parts = [str(tables.baseline_table(explained))]
    parts += [str(tables.strongest_table(explained, *kind)) for kind in tables.kinds_of(explained)]
    agreement = tables.agreement_table(explained)
    parts += [str(agreement)] if agreement is not None else []
    click.echo("\n\n".join(parts))
    click.echo(f"\nAll of it: {artifact.path}\nA page: csuite explain report {artifact.path} --out FOLDER")
