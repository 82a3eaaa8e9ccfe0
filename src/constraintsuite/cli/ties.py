"""The options `--ties` and `--tie-eps`, the same for every command that shows figures of runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import click

from constraintsuite.metrics.ties import TIE_POLICIES, TiePolicy, TieRule


def tie_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command an argument `rule` in place of the two options."""

    @click.option("--ties", type=click.Choice(TIE_POLICIES), default="strict", show_default=True, help=_TIES)
    @click.option(
        "--tie-eps", type=click.FloatRange(min=0), default=0.0, help="Scores at most this far apart are equal."
    )
    @wraps(command)
    def wrapped(*arguments: object, ties: TiePolicy, tie_eps: float, **options: object) -> None:
        command(*arguments, rule=TieRule(ties, tie_eps), **options)

    return wrapped


_TIES = "What equal scores count, from the stored scores: nothing, a half, a keyed coin, or as mteb has it."
