"""Options that say what is looked at and on what, and the scope that they give."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.options import (
    combine,
    independent_option,
    limit_option,
    memory_option,
    model_option,
    out_option,
    seed_option,
    sides_option,
    splits_option,
)
from constraintsuite.cli.places import FolderParameter

if TYPE_CHECKING:
    from constraintsuite.mechanism.explain.settings import AnalysisScope

_BOTH = "both"
_NAMES = ("sites", "roles", "directions", "splits", "sides", "no_controls", "independent", "limit", "seed", "memory")
_DIRECTIONS = click.option(
    "--directions",
    type=click.Choice([_BOTH, "denoising", "noising"]),
    default=_BOTH,
    show_default=True,
    help="Which run is patched: the corrupt one (denoising), or the clean one (noising).",
)
_OPTIONS = combine(
    click.argument("source", type=FolderParameter()),
    model_option,
    out_option(),
    click.option(
        "--sites",
        default="embeddings,residual,attention,mlp,heads",
        show_default=True,
        help="Kinds of sites, separated by commas; also query, key, value, pattern.",
    ),
    click.option(
        "--roles",
        show_default="every for attribute, else all",
        help="Roles, separated by commas: all (positions at once), every (that, and each role alone), q_cue, d_y, ..., "
        "positions (each token).",
    ),
    splits_option,
    sides_option(),
    click.option("--no-controls", is_flag=True, help="Leave out the control contrasts, such as idioms and non-flips."),
    independent_option,
    limit_option("CONTRASTS"),
    seed_option,
    memory_option,
)


def scoped(roles: str, *, direction: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command these options as `source`, `model`, `out` and `scope`; `roles` is what it takes if none are named, and
    `direction` the only one that it has."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def gathered(source: Path, model: str, out: Path, **given: Any) -> None:  # noqa: ANN401 - click's
            own = {"directions": direction, **{name: given.pop(name) for name in _NAMES if name in given}}
            command(source, model, out, make_scope({**own, "roles": own["roles"] or roles}), **given)

        return _OPTIONS(gathered if direction else _DIRECTIONS(gathered))

    return decorate


def make_scope(written: Mapping[str, Any]) -> AnalysisScope:
    """The scope of options as they were written, by name; what is wrong with one is a UserError."""
    from pydantic import ValidationError

    from constraintsuite.errors import UserError
    from constraintsuite.mechanism.explain.settings import AnalysisScope, parse_kinds
    from constraintsuite.store.jsonl import describe

    # An option that was not given is empty: the scope knows what is meant then.
    options = {name: value for name, value in written.items() if value not in (None, ())}
    options |= {"sites": parse_kinds(_parted(written["sites"])), "roles": _roles(written["roles"])}
    if options.pop("no_controls"):
        options["controls"] = ("",)
    direction = options.pop("directions")
    if direction != _BOTH:
        options["directions"] = (direction,)
    try:
        return AnalysisScope.model_validate(options)
    except ValidationError as error:
        raise UserError(describe(error)) from None


def _roles(written: str) -> tuple[str, ...]:
    from constraintsuite.mechanism.contrasts.records import ROLES
    from constraintsuite.mechanism.effects.records import ALL
    from constraintsuite.mechanism.explain.settings import EVERY_ROLE

    named = [(ALL, *ROLES) if role == EVERY_ROLE else (role,) for role in _parted(written)]
    return tuple(dict.fromkeys(role for roles in named for role in roles))


def _parted(written: str) -> list[str]:
    """Names separated by commas, with or without blanks."""
    return [name.strip() for name in written.split(",") if name.strip()]
