"""Arguments that several commands share, each with one name and one type."""

from __future__ import annotations

from collections.abc import Callable

import click

from constraintsuite.app.cli.options import Command
from constraintsuite.app.cli.places import FILE, FOLDER, OUT

folders_argument = click.argument("folders", nargs=-1, required=True, type=FOLDER)
bundle_argument = click.argument("folder", metavar="BUNDLE", type=OUT)
bench_argument = click.argument("bench", type=FILE)
cases_argument = click.argument("cases", nargs=-1)
graph_argument = click.argument("graph", type=FOLDER)


def suite_argument(*, required: bool = True) -> Callable[[Command], Command]:
    """The folder of a suite, to read."""
    return click.argument("suite", type=FOLDER, required=required)


def recipe_argument(*, required: bool = True) -> Callable[[Command], Command]:
    """The file of a recipe, which the command receives as `recipe_file`."""
    return click.argument("recipe_file", metavar="RECIPE" if required else "[RECIPE]", type=FILE, required=required)
