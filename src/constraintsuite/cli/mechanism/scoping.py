"""Options that say what is looked at and on what, and the scope that they give."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.mechanism.options import independent_option, memory_option, seed_option, split_option

if TYPE_CHECKING:
    from constraintsuite.mechanism.explain.settings import Scope

_BOTH = "both"
_EVERY = "every"
_OPTIONS = (
    click.argument("source", type=click.Path(path_type=Path)),
    click.option("--model", required=True, metavar="M", help="The reranker to look into: cross:FOLDER."),
    click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to create."),
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
    click.option("--directions", type=click.Choice([_BOTH, "denoising", "noising"]), default=_BOTH, show_default=True),
    split_option,
    click.option(
        "--side", "sides", multiple=True, type=click.Choice(["query", "document"]), help="Where twins differ."
    ),
    click.option("--no-controls", is_flag=True, help="Leave idioms, non-flips and other things asked for out."),
    independent_option,
    click.option("--limit", type=click.IntRange(min=1), help="Most contrasts."),
    seed_option,
    memory_option,
)


def scoped(roles: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command these options as `source`, `model`, `out` and `scope`; `roles` is what it takes if none are named."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def gathered(source: Path, model: str, out: Path, **given: Any) -> None:  # noqa: ANN401 - click's
            names = (
                "sites",
                "roles",
                "directions",
                "splits",
                "sides",
                "no_controls",
                "independent",
                "limit",
                "seed",
                "memory",
            )
            own = {name: given.pop(name) for name in names}
            command(source, model, out, make_scope(**{**own, "roles": own["roles"] or roles}), **given)

        decorated = gathered
        for option in reversed(_OPTIONS):
            decorated = option(decorated)
        return decorated

    return decorate


def make_scope(  # noqa: PLR0913, PLR0917 - one parameter an option
    sites: str,
    roles: str,
    directions: str,
    splits: tuple[str, ...],
    sides: tuple[str, ...],
    no_controls: bool,
    independent: bool,
    limit: int | None,
    seed: int,
    memory: int | None,
) -> Scope:
    """The scope of what was written; what is wrong with it is a UserError."""
    from pydantic import ValidationError

    from constraintsuite.errors import UserError
    from constraintsuite.mechanism.contrasts.records import ROLES
    from constraintsuite.mechanism.explain.settings import Scope, parse_kinds
    from constraintsuite.store.jsonl import describe

    named = [role for role in roles.split(",") if role]
    chosen: dict[str, object] = {
        "sites": parse_kinds([name.strip() for name in sites.split(",") if name.strip()]),
        "roles": tuple(
            dict.fromkeys(r for role in named for r in (("all", *ROLES) if role == _EVERY else (role.strip(),)))
        ),
        "independent": independent,
        "limit": limit,
        "seed": seed,
        "memory": memory,
    }
    if directions != _BOTH:
        chosen["directions"] = (directions,)
    if splits:
        chosen["splits"] = splits
    if sides:
        chosen["sides"] = sides
    if no_controls:
        chosen["controls"] = ("",)
    try:
        return Scope.model_validate(chosen)
    except ValidationError as error:
        raise UserError(describe(error)) from None
