"""`csuite explain report`: one page of analyses, their circuits, and drifts."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.options import json_option
from constraintsuite.cli.places import FOLDER, OUT
from constraintsuite.errors import UserError
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.mechanism.attending import Look
    from constraintsuite.mechanism.drift.records import CheckpointDrift
    from constraintsuite.mechanism.explain.records import Explained
    from constraintsuite.records.sections import Section
    from constraintsuite.showing.mechanism.explain_sections import ShownAnalysis

_LOOKED_AT = 64


@click.command()
@click.argument("folders", nargs=-1, required=True, type=FOLDER)
@click.option("--out", required=True, type=OUT, help="Folder to create: index.html, tables/ and plots/.")
@click.option(
    "--attention",
    is_flag=True,
    help=f"Also show where heads look from the cue and to it, over {_LOOKED_AT} contrasts; loads the model.",
)
@json_option
def report(folders: tuple[Path, ...], out: Path, attention: bool, as_json: bool) -> None:
    """Write one page of FOLDERS of `csuite explain` and `csuite drift`, which opens offline, with tables and pictures as files."""
    from constraintsuite.reports.page import Masthead
    from constraintsuite.showing.mechanism.folders import ABOUT
    from constraintsuite.showing.mechanism.pages import write_page

    parts = [_open(folder) for folder in dict.fromkeys(folders)]
    title = ", ".join(dict.fromkeys(part.title for part in parts))
    head = Masthead(title, "mechanism", ABOUT)
    inputs = {
        f"{number} {name}": content for number, part in enumerate(parts) for name, content in part.contents.items()
    }
    settings = {"attention": str(attention)}
    page = write_page(out, head, {**inputs, **settings}, lambda: _sections(parts, attention=attention))
    click.echo(json.dumps({"page": shown(page)}) if as_json else shown(page))


@dataclass(frozen=True)
class _Part:
    """A folder, read."""

    name: str
    title: str
    contents: dict[str, str]
    shown: ShownAnalysis | CheckpointDrift


def _open(folder: Path) -> _Part:
    from constraintsuite.mechanism.circuits.finding import FOLDER, read_circuits
    from constraintsuite.mechanism.drift.folder import KIND, load_drift
    from constraintsuite.mechanism.explain.folder import load_explained
    from constraintsuite.showing.mechanism.explain_sections import ShownAnalysis
    from constraintsuite.store.artifact import Artifact, read_manifest

    name = folder.resolve().name
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        return _Part(name, manifest.name, {name: manifest.content}, load_drift(folder))
    explained = load_explained(folder)
    circuits = read_circuits(folder)
    contents = {name: explained.artifact.manifest.content}
    contents |= {f"{name} {one}": Artifact.open(folder / FOLDER / one).manifest.content for one in circuits}
    return _Part(name, explained.subject.name, contents, ShownAnalysis(explained, circuits))


def _sections(parts: Sequence[_Part], *, attention: bool) -> Iterator[Section]:
    from constraintsuite.showing.mechanism.drift_sections import drift_sections
    from constraintsuite.showing.mechanism.explain_sections import ShownAnalysis, explain_sections
    from constraintsuite.showing.mechanism.pages import marked

    looked: set[str] = set()
    for number, part in enumerate(parts, 1):
        shown = part.shown
        if isinstance(shown, ShownAnalysis):
            subject = shown.explained.subject.fingerprint
            if attention and subject not in looked:  # of several analyses of one model, in the first
                shown = replace(shown, looks=_look(shown.explained))
            looked.add(subject)
            sections = explain_sections(shown)
        else:
            sections = drift_sections(shown)
        for section in sections:
            yield marked(section, f"{number}-", part.name) if len(parts) > 1 else section


def _look(explained: Explained) -> list[Look]:
    from constraintsuite.mechanism.attending import measure_attention
    from constraintsuite.mechanism.contrasts.selection import choose
    from constraintsuite.mechanism.contrasts.tokens import tokenise
    from constraintsuite.mechanism.subject import load_subject

    subject = load_subject(explained.subject.name)
    if subject.fingerprint != explained.subject.fingerprint:
        raise UserError(
            f"{explained.artifact.path}: it is of {subject.name} as it was, or with other versions of its libraries. Run "
            "`csuite explain` again, or leave --attention out."
        )
    seed = explained.artifact.manifest.seed
    main = choose([one for one in explained.contrasts if not one.control], _LOOKED_AT, seed)
    return measure_attention(subject, tokenise(main, subject.classifier.tokenization).contrasts, seed=seed)
