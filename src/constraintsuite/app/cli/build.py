"""`csuite build` builds a suite from a corpus; `csuite propose` lists what could be built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from click.core import ParameterSource

from constraintsuite.app.cli.arguments import recipe_argument
from constraintsuite.app.cli.corpus import source_options, source_settings
from constraintsuite.app.cli.options import (
    analyser_option,
    dry_run_option,
    engine_options,
    json_option,
    out_file_option,
    out_option,
    seed_option,
)
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.store.mirror import shown
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import PIPELINE, Built, build_suite
from constraintsuite.suites.constraints.base import BUILDERS
from constraintsuite.suites.dry_run import plan_build
from constraintsuite.suites.proposals import propose_queries
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings

_corpus = click.option(
    "--corpus", "corpus", help="Corpus to use instead of a recipe: file, folder, irds:ID, hf:OWNER/NAME or sample."
)
_domains = click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="FILE",
    type=FILE,
    help="Your own domain file (class nouns, relations, templates); repeatable.",
)
_constraints = click.option(
    "--constraints",
    metavar="TYPE,...",
    default=",".join(BUILDERS.names()),
    show_default="all types",
    callback=lambda _context, _option, names: tuple(name.strip() for name in names.split(",") if name.strip()),
    help=f"Constraint types to try, with commas between them: {', '.join(BUILDERS.names())}.",
)
_EXISTING = click.Path(path_type=Path, exists=True, dir_okay=False)
_STAGES = f"One of: {', '.join(PIPELINE.names())}."


@click.command()
@recipe_argument(required=False)
@_corpus
@source_options
@_domains
@_constraints
@out_option(otherwise="suites/RECIPE; with --corpus, none")
@click.option(
    "--approved",
    type=_EXISTING,
    help="File of proposals that a person judged: accepted ones are built too, rejected ones are left out.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="FILE",
    type=_EXISTING,
    help="Examples to leave out, in a file that `csuite gold export` wrote; repeatable.",
)
@click.option(
    "--size",
    type=click.IntRange(1, 100_000),
    default=SizeSettings().main,
    show_default=True,
    help="Maximum number of main examples of each constraint type.",
)
@analyser_option()
@seed_option
@engine_options(models=False)
@click.option("--from", "redo_from", metavar="STAGE", help=f"Redo this stage and all later ones. {_STAGES}")
@click.option("--until", metavar="STAGE", help="Stop after this stage; the names are the same as for --from.")
@dry_run_option
@json_option
def build(  # noqa: PLR0913, PLR0917 - one parameter per option
    recipe_file: Path | None,
    corpus: str | None,
    options: Mapping[str, object],
    domains: tuple[Path, ...],
    constraints: tuple[str, ...],
    out: Path | None,
    approved: Path | None,
    drop: tuple[Path, ...],
    size: int,
    analyser: str,
    seed: int,
    engine: Engine,
    redo_from: str | None,
    until: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Build a suite from RECIPE, or from --corpus with all defaults.

    The same command resumes an interrupted build. --dry-run reads a sample, and estimates what would be built and how long
    that would take.
    """
    PIPELINE.check_names(redo_from, until)
    recipe = _read_recipe(recipe_file, corpus, options, analyser, domains, constraints, seed)
    changes = {"approved": approved, "drop": drop, "sizes": SizeSettings(main=size) if recipe_file is None else None}
    recipe = recipe.model_copy(update={name: value for name, value in changes.items() if value})
    if recipe_file is not None:
        out = out or Path("suites") / recipe_file.stem
    if dry_run:
        plan = plan_build(recipe)
        emit(plan, as_json, plan.in_words())
        return
    if out is None:
        raise UserError("There is no --out. Say where the suite should go, for example: --out suites/ours")
    built = build_suite(recipe, out, engine=engine, reporter=Terminal(), redo_from=redo_from, until=until)
    manifest = built.suite.manifest if built.suite else None
    record = {"counts": manifest.counts if manifest else {}, "content": manifest.content if manifest else None}
    emit({"suite": shown(built.path), "finished": manifest is not None, **record}, as_json, _lines(built))


@click.command()
@recipe_argument(required=False)
@_corpus
@source_options
@_domains
@_constraints
@out_file_option(Path("proposals.jsonl"))
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Number of proposals to print.")
@analyser_option()
@seed_option
@engine_options(models=False)
@json_option
def propose(  # noqa: PLR0913, PLR0917 - one parameter per option
    recipe_file: Path | None,
    corpus: str | None,
    options: Mapping[str, object],
    domains: tuple[Path, ...],
    constraints: tuple[str, ...],
    out: Path,
    top: int,
    analyser: str,
    seed: int,
    engine: Engine,
    as_json: bool,
) -> None:
    """List what could be built from RECIPE or --corpus: coverage, and ranked pairs of topic and constraint, with evidence.

    To choose what is built, set "status" to "accepted" or "rejected" in the file that it writes. You may also change the topic,
    the query, the opposite, and the value or forms of the constraint. Then build the same RECIPE or --corpus with --approved.
    """
    recipe = _read_recipe(recipe_file, corpus, options, analyser, domains, constraints, seed)
    found = propose_queries(recipe, out, engine=engine, reporter=Terminal())
    emit(found.as_record(top), as_json, found.in_words(top))


def _read_recipe(
    recipe_file: Path | None,
    corpus: str | None,
    options: Mapping[str, object],
    analyser: str,
    domains: tuple[Path, ...],
    constraints: tuple[str, ...],
    seed: int,
) -> Recipe:
    """Read the recipe file, or make a recipe with all defaults for the corpus.

    Raises UserError if both or neither are given.
    """
    if (recipe_file is None) == (corpus is None):
        command = click.get_current_context().command_path
        raise UserError(f"Give either a recipe file or --corpus, for example: {command} --corpus docs.jsonl")
    if recipe_file is not None:
        _refuse_settings()
        return Recipe.read(recipe_file)
    return Recipe(
        corpus=source_settings(corpus or "", options),
        constraints=constraints,
        analysis=AnalysisSettings.model_validate({"analyser": analyser, "domains": domains}),
        seed=seed,
    )


def _refuse_settings() -> None:
    """Refuse options that would be ignored, because a recipe holds these settings."""
    context = click.get_current_context()
    settings = {"domains", "constraints", "size", "analyser", "seed", *SourceSettings.model_fields} - {"source"}
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name in settings and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise UserError(f"{', '.join(given)}: not allowed together with a recipe. Set this in the recipe instead.")


def _lines(built: Built) -> Iterator[str]:
    if built.suite is None:
        yield f"Stopped as asked. The stages are in {shown(built.path / 'stages')}."
        return
    counts = built.suite.manifest.counts
    yield f"Suite: {shown(built.path)}"
    yield from count_lines(counts)
    if not counts["examples"]:
        yield "Nothing could be built; the card says why. `csuite propose` shows what this corpus allows."
    yield f"Card:  {shown(built.path / 'README.md')}"
