"""Options that say what is looked at and on what, and the scope that they give."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.mechanism.options import independent_option, memory_option, seed_option, split_option
from constraintsuite.cli.places import OUT, FolderParameter
from constraintsuite.mechanism.contrasts.records import SIDES

if TYPE_CHECKING:
    from constraintsuite.mechanism.explain.settings import AnalysisScope

_BOTH = "both"
_NAMES = ("sites", "roles", "directions", "splits", "sides", "no_controls", "independent", "limit", "seed", "memory")
_DIRECTIONS = click.option(
    "--directions", type=click.Choice([_BOTH, "denoising", "noising"]), default=_BOTH, show_default=True
)
_OPTIONS = (
    click.argument("source", type=FolderParameter()),
    click.option("--model", required=True, metavar="M", help="The reranker to look into: cross:FOLDER."),
    click.option("--out", required=True, type=OUT, help="Folder to create."),
    click.option(
        "--sites",
        default="embeddings,residual,attention,mlp,heads",
        show_default=True,
        help="Kinds of sites, parted by commas; also query, key, value, pattern.",
    ),
    click.option(
        "--roles",
        help="Parted by commas: all (positions at once), every (that, and each role for itself), q_cue, d_y, ..., "
        "positions (each token).  [default: every of attribute, else all]",
    ),
    split_option,
    click.option(
        "--side",
        "sides",
        multiple=True,
        type=click.Choice(SIDES),
        help="Where twins differ, repeatable; figures are of each side for itself.  [default: both]",
    ),
    click.option("--no-controls", is_flag=True, help="Leave idioms, non-flips and other things asked for out."),
    independent_option,
    click.option("--limit", type=click.IntRange(min=1), help="So many contrasts, if the model can be asked as many."),
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

        decorated = gathered
        for option in reversed((*_OPTIONS, *(() if direction else (_DIRECTIONS,)))):
            decorated = option(decorated)
        return decorated

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
    """Names parted by commas, whatever blanks there are."""
    return [name.strip() for name in written.split(",") if name.strip()]
