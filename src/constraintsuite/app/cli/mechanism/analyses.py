"""`csuite explain attribute`, `patch` and `ablate`: contrasts and a model give an explain folder."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.options import (
    combine,
    dry_run_option,
    engine_options,
    guide_option,
    independent_option,
    json_option,
    limit_option,
    memory_option,
    model_option,
    out_option,
    seed_option,
    sides_option,
    small_split_option,
    splits_option,
    valued_option,
)
from constraintsuite.app.cli.output import artifact_record, count_lines, emit
from constraintsuite.app.cli.places import FolderParameter
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.mechanism.effects.records import AblationKind
    from constraintsuite.mechanism.explain.analysis import AnalysisForecast
    from constraintsuite.mechanism.explain.folder import Explained
    from constraintsuite.mechanism.explain.request import AnalysisKind, AnalysisRequest, AnalysisScope

_BOTH = "both"
_scope_options = combine(
    click.argument("source", type=FolderParameter()),
    model_option,
    out_option(),
    click.option(
        "--sites",
        default="embeddings,residual,attention,mlp,heads",
        show_default=True,
        help="Kinds of sites, separated by commas; there are also query, key, value and pattern.",
    ),
    click.option(
        "--roles",
        show_default="every for attribute, else all",
        help="Roles, separated by commas: all (all positions at once), every (all, and each role alone), positions (each "
        "token), or names such as q_cue and d_y.",
    ),
    splits_option,
    small_split_option,
    click.option(
        "--constraint",
        "constraints",
        multiple=True,
        metavar="TYPE",
        help="Use only contrasts of this constraint type, such as number; repeatable.",
    ),
    sides_option(),
    click.option("--no-controls", is_flag=True, help="Leave out the control contrasts, such as idioms and non-flips."),
    independent_option,
    limit_option("CONTRASTS"),
    seed_option,
    memory_option,
)
_directions_option = valued_option(
    "--directions",
    click.Choice([_BOTH, "denoising", "noising"]),
    _BOTH,
    "Which run is patched: the corrupt one (denoising), or the clean one (noising).",
)
_run_options = combine(dry_run_option, json_option, engine_options(models=True))


@click.command()
@_scope_options
@_directions_option
@valued_option("--steps", click.IntRange(min=0), 0, "Steps of integrated gradients; with 0, attribution patching.")
@_run_options
def attribute(steps: int, **given: Any) -> None:  # noqa: ANN401 - options of every analysis
    """Estimate what every site and role of a reranker (cross:FOLDER) does to the contrasts of SOURCE.

    SOURCE is a suite, or a file of contrasts. Attribution patching takes a few passes, however many sites there are. `csuite
    explain patch --guide` shows how far the estimates can be trusted.
    """
    _explain("attribute", given, roles="every", steps=steps)


@click.command()
@_scope_options
@_directions_option
@guide_option
@valued_option("--top", click.FloatRange(0, 1), 0.2, "With --guide: patch this share of the sites, strongest first.")
@valued_option("--random", click.FloatRange(0, 1), 0.1, "With --guide: also patch this share, chosen at random.")
@_run_options
def patch(guide: Path | None, top: float, random: float, **given: Any) -> None:  # noqa: ANN401 - options of every analysis
    """Patch activations from one run of each contrast of SOURCE into the other, site by site, and measure the effect.

    Denoising puts clean values into the corrupt run (are they sufficient?). Noising puts corrupt values into the clean run (are
    they necessary?).
    """
    _explain("patch", given, guide=guide, top=top, random=random)


@click.command()
@_scope_options
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["resample", "mean", "zero"]),
    show_default="all three",
    help="What replaces the removed values; repeatable.",
)
@_run_options
def ablate(kinds: tuple[AblationKind, ...], **given: Any) -> None:  # noqa: ANN401 - options of every analysis
    """Remove sites from the clean runs of SOURCE, and measure whether the margin is still there.

    Removed values are replaced by those for another Y (resample), by their mean over the role (mean), or by zero (zero).
    """
    from constraintsuite.mechanism.effects.records import ABLATIONS

    _explain("ablate", {**given, "directions": "noising"}, kinds=kinds or ABLATIONS)


def _explain(analysis: AnalysisKind, given: dict[str, Any], *, roles: str = "all", **own: Any) -> None:  # noqa: ANN401
    """Run an analysis, or print its cost; `given` are options of all analyses, `own` the options of this one."""
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.mechanism.explain.request import AnalysisRequest
    from constraintsuite.mechanism.explain.run import run_analysis
    from constraintsuite.suites.small_splits import refuse_small_splits

    if not given["allow_small_split"]:
        refuse_small_splits(given["source"], given["splits"])
    request = AnalysisRequest(analysis, given["source"], given["model"], _scope(given, roles), **own)
    if given["dry_run"]:
        _print_forecast(request, given["as_json"])
    else:
        _print_result(run_analysis(request, given["out"], Terminal(), given["engine"]), given["as_json"])


def _scope(given: Mapping[str, Any], roles: str) -> AnalysisScope:
    """The scope that the options ask for; `roles` are the default of the analysis if the option is missing."""
    from pydantic import ValidationError

    from constraintsuite.core.errors import UserError
    from constraintsuite.core.store.jsonl import describe
    from constraintsuite.mechanism.explain.request import AnalysisScope

    # A missing option is empty: the scope has its own default for it.
    names = ("splits", "constraints", "sides", "independent", "limit", "seed", "memory")
    options = {name: given[name] for name in names if given[name] not in (None, ())}
    options["sites"], options["roles"] = _split(given["sites"]), _split(given["roles"] or roles)
    if given["no_controls"]:
        options["controls"] = ("",)
    if given["directions"] != _BOTH:
        options["directions"] = (given["directions"],)
    try:
        return AnalysisScope.model_validate(options)
    except ValidationError as error:
        raise UserError(describe(error)) from None


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _print_forecast(request: AnalysisRequest, as_json: bool) -> None:
    from constraintsuite.mechanism.explain.analysis import load_analysis
    from constraintsuite.mechanism.patching.capacity import passes_a_second

    analysis = load_analysis(request)
    forecast, speed = analysis.forecast(), passes_a_second(analysis.model, analysis.contrasts, analysis.budget)
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
    yield f"About {duration}: a short trial made {speed:,.0f} passes per second here."


def _print_result(artifact: Artifact, as_json: bool) -> None:
    from constraintsuite.mechanism.explain.folder import load_explained

    explained = load_explained(artifact.path)
    record = {**artifact_record("explain", artifact), "baselines": explained.summary.baselines}
    emit(record, as_json, _lines(explained, artifact))


def _lines(explained: Explained, artifact: Artifact) -> Iterator[str]:
    yield "\n\n".join([*_tables(explained), *_too_few(artifact)])
    yield f"\nAll results: {shown(artifact.path)}"
    yield f"A page: csuite report {shown(artifact.path)} --out FOLDER"


def _tables(explained: Explained) -> Iterator[str]:
    from textwrap import fill

    from constraintsuite.app.views.mechanism import explain_tables as tables
    from constraintsuite.app.views.mechanism.explain_remarks import trust_lines
    from constraintsuite.core.records.formats.text import WIDTH, text_parts
    from constraintsuite.mechanism.effects.summary import studied_items

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
    """Why there are fewer contrasts than --limit asks for."""
    from constraintsuite.mechanism.contrasts.selection import in_words

    limit, found = artifact.manifest.settings.get("limit"), artifact.manifest.counts["contrasts"]
    if limit is None or found >= limit:
        return
    left = [f"  {count:,} {in_words(reason)}" for reason, count in artifact.manifest.rejects.items()]
    why = "Left out:" if left else "There are no more with these sides, splits and controls."
    yield "\n".join([f"{found:,} contrasts instead of the {limit:,} of --limit. {why}", *left])
