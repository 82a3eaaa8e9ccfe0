"""`csuite corpus`: look at a source of texts; and the options of every command that reads a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from constraintsuite.app.cli.options import json_option, limit_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.records.text import clip
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import find_format, open_source
from constraintsuite.corpora.summary import SourceSummary, summarise

T = TypeVar("T")

_OPTIONS: Mapping[str, FieldInfo] = {
    name: field for name, field in SourceSettings.model_fields.items() if name != "source"
}
_KINDS: Mapping[Any, click.ParamType[Any]] = {int: click.INT, float: click.FLOAT, Path: FILE}


def field_option(name: str, field: FieldInfo) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """The option for a field of settings, with its type, default and description."""
    flag = f"--{name.replace('_', '-')}"
    if name == "limit":
        return limit_option("DOCUMENTS")
    if field.annotation is bool:
        return click.option(flag, name, is_flag=True, help=field.description)
    choices = get_args(field.annotation)
    kind: click.ParamType[Any] = next(
        (_KINDS[each] for each in (field.annotation, *choices) if each in _KINDS), click.STRING
    )
    if get_origin(field.annotation) is Literal:
        kind = click.Choice(choices)
    shown = field.default is not None
    return click.option(flag, name, type=kind, default=field.default, show_default=shown, help=field.description)


def source_options(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command the options of a source, which it receives together as `options`.

    There is one option per field of SourceSettings.
    """

    @wraps(command)
    def with_options(*args: object, **given: object) -> T:
        options = {name: given.pop(name) for name in _OPTIONS}
        return command(*args, options=options, **given)

    decorated: Callable[..., T] = with_options
    for name in reversed(list(_OPTIONS)):  # click lists the outermost first
        decorated = field_option(name, _OPTIONS[name])(decorated)
    return decorated


def source_settings(source: str, options: Mapping[str, object]) -> SourceSettings:
    """The settings of a source, from its name and the `options` of `source_options`."""
    try:
        return SourceSettings.model_validate({"source": source, **options})
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        where = f"--{name.replace('_', '-')}" if name in _OPTIONS else "The source"
        raise UserError(f"{where}: {fault['msg'].lower()}, got {fault['input']!r}.") from None


@click.command()
@click.argument("source")
@source_options
@click.option("-n", "first", type=click.IntRange(min=0), default=3, show_default=True, help="Documents to print.")
@json_option
def corpus(source: str, options: Mapping[str, object], first: int, as_json: bool) -> None:
    """Count what SOURCE holds and print its first documents.

    SOURCE is a file, a folder, irds:ID, hf:OWNER/NAME[:CONFIG], or `sample`, the bundled corpus. Broken rows are counted;
    they are not an error.
    """
    settings = source_settings(source, options)
    with Terminal().track("documents", None) as advance:
        summary = summarise(open_source(settings), first, advance)
    kind = find_format(settings)
    emit({"source": source, "format": kind, **asdict(summary)}, as_json, _lines(summary, kind))


def _lines(summary: SourceSummary, kind: str) -> Iterator[str]:
    words = summary.words
    faults = ", ".join(f"{reason} {number:,}" for reason, number in summary.faults.items())
    table = {
        "name": summary.name,
        "format": kind,
        "licence": summary.licence or "not known",
        "fingerprint": summary.fingerprint,
        "documents": f"{summary.documents:,}",
        "words": f"mean {words.mean:.1f}, 10th percentile {words.p10:,}, 90th {words.p90:,}" if words else "none",
        "queries": f"{summary.queries:,}",
        "qrels": f"{summary.qrels:,}",
        "faults": faults or "none",
    }
    yield from (f"{label:<12} {value}" for label, value in table.items())
    for document in summary.first:
        yield f"\n[{clip(document.id)}] {clip(document.title)}\n  {clip(document.text)}"
    if summary.first_faults:
        yield "\nThe first faults:"
    for fault in summary.first_faults:
        yield f"  {fault.where}: {fault.reason}: {clip(fault.row)}"
