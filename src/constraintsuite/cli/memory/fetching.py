"""`csuite memory fetch`: files of public benchmarks."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping

import click

from constraintsuite.cli.options import json_option
from constraintsuite.cli.output import emit
from constraintsuite.errors import UserError

_PARTIAL = 3


@click.command()
@click.argument("names", nargs=-1)
@json_option
def fetch(names: tuple[str, ...], as_json: bool) -> None:
    """Get the benchmark files NAMES, checked against their hashes; without any, list them.

    Where no hash is known, or there is no network, it says where to put the file. Exit code 2 if nothing could be had, 3 if
    only some of several.
    """
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.public.download import fetch_file, find_file

    if not names:
        _list(as_json)
        return
    wanted = {name: find_file(name) for name in dict.fromkeys(names)}
    got: dict[str, str] = {}
    faults: dict[str, str] = {}
    for name, file in wanted.items():
        try:
            got[name] = str(fetch_file(file, Terminal()))
        except UserError as error:
            faults[name] = str(error)
    lines = [f"{name}: {at}\n  Run it: csuite memory {wanted[name].benchmark} {at}" for name, at in got.items()]
    emit({"files": got, "faults": faults}, as_json, lines)
    if faults and not got:
        raise UserError("\n".join(faults.values()))
    if faults:
        click.echo("\n".join(faults.values()), err=True)
        raise click.exceptions.Exit(_PARTIAL)


def _list(as_json: bool) -> None:
    from constraintsuite.memory.public.download import place_of, public_files

    listed = {
        name: {
            "file": file.file,
            "here": place_of(file).is_file(),
            "place": str(place_of(file)),
            "licence": file.licence,
            "page": file.page,
            "sha256": file.sha256 or None,
        }
        for name, file in public_files().items()
    }
    lines = [
        f"{_state(entry)}  {name:<19} {entry['file']} ({entry['licence']}), {entry['page']}"
        for name, entry in listed.items()
    ]
    emit(listed, as_json, lines)


def _state(entry: Mapping[str, object]) -> str:
    return "here   " if entry["here"] else "by hand" if entry["sha256"] is None else "to get "
