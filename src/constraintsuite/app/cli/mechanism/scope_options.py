"""The options that the analyses of `csuite explain` share, and the scope that they give."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.options import (
    combine,
    independent_option,
    limit_option,
    memory_option,
    model_option,
    out_option,
    seed_option,
    sides_option,
    splits_option,
    valued_option,
)
from constraintsuite.app.cli.places import FolderParameter

if TYPE_CHECKING:
    from constraintsuite.mechanism.explain.request import AnalysisScope

_BOTH = "both"
_NAMES = ("splits", "sides", "independent", "limit", "seed", "memory")
directions_option = valued_option(
    "--directions",
    click.Choice([_BOTH, "denoising", "noising"]),
    _BOTH,
    "Which run is patched: the corrupt one (denoising), or the clean one (noising).",
)
scope_options = combine(
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
    sides_option(),
    click.option("--no-controls", is_flag=True, help="Leave out the control contrasts, such as idioms and non-flips."),
    independent_option,
    limit_option("CONTRASTS"),
    seed_option,
    memory_option,
)


def make_scope(given: Mapping[str, Any], roles: str, directions: str) -> AnalysisScope:
    """Make the scope of the options as click gives them; `roles` and `directions` stand in for those that are missing."""
    from pydantic import ValidationError

    from constraintsuite.core.errors import UserError
    from constraintsuite.core.store.jsonl import describe
    from constraintsuite.mechanism.contrasts.records import ROLES
    from constraintsuite.mechanism.effects.records import ALL
    from constraintsuite.mechanism.explain.request import EVERY_ROLE, AnalysisScope, parse_kinds

    # An option that was not given is empty: the scope has its own default for it.
    options = {name: given[name] for name in _NAMES if given[name] not in (None, ())}
    options["sites"] = parse_kinds(_names(given["sites"]))
    named = _names(given["roles"] or roles)
    options["roles"] = tuple(
        dict.fromkeys(role for name in named for role in ((ALL, *ROLES) if name == EVERY_ROLE else (name,)))
    )
    if given["no_controls"]:
        options["controls"] = ("",)
    direction = given.get("directions", directions)
    if direction != _BOTH:
        options["directions"] = (direction,)
    try:
        return AnalysisScope.model_validate(options)
    except ValidationError as error:
        raise UserError(describe(error)) from None


def _names(written: str) -> list[str]:
    """Names separated by commas, with or without blanks."""
    return [name.strip() for name in written.split(",") if name.strip()]
