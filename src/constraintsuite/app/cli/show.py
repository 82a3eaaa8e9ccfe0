"""`csuite show` prints what a folder of any kind holds; `csuite verify` checks it."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from constraintsuite.app.cli.options import guide_option, json_option
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FOLDER
from constraintsuite.core.catalogue import Catalogue
from constraintsuite.core.errors import UserError, first_of

if TYPE_CHECKING:
    from constraintsuite.core.store.artifact import Manifest

SHOWN_FAULTS = 50


class FolderView(NamedTuple):
    """What `csuite show` prints: a record for `--json`, and lines for people."""

    record: object
    lines: Iterable[str]


ViewFolder = Callable[[Path, str | None], FolderView]
"""Views a folder, or the part of it that a user named."""

VIEWS: Catalogue[ViewFolder] = Catalogue(
    "kind to show",
    {
        "suite": "constraintsuite.app.cli.suite:view_suite",
        "bundle": "constraintsuite.app.cli.bundle:view_bundle",
        "graph": "constraintsuite.app.cli.memory.modes:view_memory",
    },
)
"""The kinds that show more than their manifest."""
VERIFIERS: Catalogue[Callable[[Path], list[str]]] = Catalogue(
    "kind to verify",
    {
        "suite": "constraintsuite.suites.verification:verify_suite",
        "bundle": "constraintsuite.vectors.verify:verify_folder",
        "graph": "constraintsuite.memory.folder:verify_memory",
    },
)
"""The kinds, in addition to `explain`, with checks beyond the hashes of files. A check returns one line per fault."""


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("part", required=False)
@json_option
def show(folder: Path, part: str | None, as_json: bool) -> None:
    """Show what FOLDER is and what it holds: a suite, run, bundle, memory, or anything else that a command wrote.

    PART is one thing inside: an example of a suite by its id, or a unit, a document or entity:NAME of a memory.
    """
    from constraintsuite.core.store.artifact import Artifact

    kind = Artifact.open_unverified(folder).manifest.kind
    view = VIEWS.load(kind) if kind in VIEWS.names() else _view_manifest
    found = view(folder, part)
    emit(found.record, as_json, found.lines)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--again",
    type=click.IntRange(min=0),
    help="For a folder of `csuite explain`: repeat this many exact patches, one by one, starting from the tokens.",
)
@guide_option
@json_option
def verify(folder: Path, again: int | None, guide: Path | None, as_json: bool) -> None:
    """Check the hashes of FOLDER, and everything that must hold for its kind. Exit code 1 if something is wrong.

    For a suite: ids, couples, splits, controls and labels. For a bundle: ids, vectors and truths. For a folder of `csuite
    explain`: rows, figures, circuits and, with --guide, what it says about that attribution.
    """
    from constraintsuite.core.store.artifact import MANIFEST, Artifact
    from constraintsuite.core.store.mirror import shown

    try:
        manifest = Artifact.open_unverified(folder).manifest
    except UserError as error:
        if not (folder / MANIFEST).is_file():  # unfinished: there is nothing to check
            raise
        kind, faults = "", [str(error)]
    else:
        kind, faults = manifest.kind, _faults(folder, manifest, again, guide)
    lines = first_of(faults, SHOWN_FAULTS, "; --json lists all") or [f"{shown(folder)}: all checks passed."]
    emit({"folder": shown(folder), "kind": kind, "faults": faults}, as_json, lines)
    if faults:
        raise click.exceptions.Exit(1)


def _faults(folder: Path, manifest: Manifest, again: int | None, guide: Path | None) -> list[str]:
    """Run the checks of a folder's kind. Raises UserError for options of another kind."""
    from constraintsuite.core.store.artifact import MANIFEST, Artifact
    from constraintsuite.core.store.revisions import REVISIONS

    kind = manifest.kind
    if kind == "explain":
        from constraintsuite.mechanism.explain.verify import verify as verify_explained

        if again and manifest.settings.get("analysis") != "patch":
            raise UserError(f"{folder}: there are no exact patches here to repeat. Leave --again out.")
        return verify_explained(folder, again=again or 0, guide=guide)
    if again is not None or guide is not None:
        option = "--guide" if again is None else "--again"
        raise UserError(
            f"{folder}: this is of the kind {kind}. {option} is only for folders of `csuite explain`: leave it out."
        )
    if kind in VERIFIERS.names():
        return VERIFIERS.load(kind)(folder)
    known = [] if kind in (*REVISIONS, "stage") else [f"{MANIFEST}: {kind!r} is not a known kind of folder"]
    return [*known, *Artifact.open_unverified(folder).faults()]


def refuse_part(folder: Path, kind: str, part: str | None) -> None:
    """Refuse a part of a folder that is shown only as a whole."""
    if part is not None:
        raise UserError(f"{folder}: a folder of this kind ({kind}) is shown only as a whole. Leave {part!r} out.")


def _view_manifest(folder: Path, part: str | None) -> FolderView:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.core.store.mirror import shown

    manifest = Artifact.open(folder).manifest
    refuse_part(folder, manifest.kind, part)
    lines = [
        f"{shown(folder)}: {manifest.kind} {manifest.name!r}",
        *count_lines({name.replace("_", " "): count for name, count in manifest.counts.items()}),
        *(
            f"settings   {name}: {value}"
            for name, value in manifest.settings.items()
            if value not in (None, "", [], {})
        ),
        f"files      {len(manifest.files):,}, {sum(one.bytes for one in manifest.files.values()):,} bytes",
    ]
    return FolderView(manifest, lines)
