"""The first page: everything in the folder, or the work that waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.app.web.access import Person
from constraintsuite.app.web.annotator_session import count_waiting
from constraintsuite.app.web.artifact_index import BATCH, DAMAGED, PROPOSALS, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import quickstart_command
from constraintsuite.app.web.origins import batches_on, fault_of
from constraintsuite.app.web.pages import ALL, Page
from constraintsuite.app.web.renderer import render
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.kinds.written_queries import NAME as WRITING

TITLES = {
    "suite": "Suites",
    "run": "Runs",
    "report": "Reports",
    BATCH: "To judge",
    PROPOSALS: "Proposals",
    "ranking": "Rankings",
    "explain": "Analyses of models",
    "circuit": "Circuits",
    "drift": "Drift",
    "tune": "Trainings",
    "graph": "Memories",
    "memory_run": "Memory runs",
    "bundle": "Bundles",
    "ann": "Vector search",
    DAMAGED: "Cannot be read",
}
_TO_RULE = "To rule on"


@dataclass(frozen=True)
class HomeEntry:
    """One line of the first page."""

    label: str
    address: str
    """Empty if there is no page."""
    about: str
    fault: str = ""


def home(request: Request, artifacts: ArtifactIndex) -> Response:
    """Show an owner everything by kind, and annotators and adjudicators what waits for them."""
    person: Person = request.state.person
    return render(
        request,
        "home.html.jinja",
        title="ConstraintSuite",
        groups=list(_groups(artifacts) if person.role == "owner" else _waiting(artifacts, person)),
        writing=_writing(artifacts, person),
        command=quickstart_command(artifacts) if person.role == "owner" else "",
    )


def _groups(artifacts: ArtifactIndex) -> Iterator[tuple[str, str, list[HomeEntry]]]:
    written = {artifact.place for artifact, _ in batches_on(artifacts, WRITING)}
    listed = [artifact for artifact in artifacts.all() if artifact.place not in written]
    for kind, title in TITLES.items():
        if entries := [_entry(artifacts, artifact) for artifact in listed if artifact.kind == kind]:
            yield kind, title, entries


def _entry(artifacts: ArtifactIndex, artifact: ServedArtifact) -> HomeEntry:
    address = "" if artifact.kind == DAMAGED else artifact.address
    counts = (f"{count:,} {name.replace('_', ' ')}" for name, count in artifact.counts)
    fault = fault_of(artifacts, artifact)
    return HomeEntry(artifact.label, address, "" if fault else _joined((artifact.other_name, *counts)), fault)


def _waiting(artifacts: ArtifactIndex, person: Person) -> Iterator[tuple[str, str, list[HomeEntry]]]:
    """The batches that a person judges or rules on, with how much is left."""
    found = [batch for batch, head in batches_on(artifacts) if head.kind not in (WRITING, PROPOSALS)]
    if found:
        title = _TO_RULE if person.role == "adjudicator" else TITLES[BATCH]
        left = [(batch, _left(artifacts, batch, person)) for batch in found]
        yield BATCH, title, [HomeEntry(batch.label, batch.address, *words) for batch, words in left]


def _left(artifacts: ArtifactIndex, artifact: ServedArtifact, person: Person) -> tuple[str, str]:
    """How much work is left for a person, or why that is not known."""
    try:
        left, total = count_waiting(artifacts, artifact, person)
    except UserError as error:
        return "", artifacts.describe_error(error)
    if person.role == "adjudicator":
        return f"{f'{left:,}' if left else 'no'} open {'disagreement' if left == 1 else 'disagreements'}", ""
    return (f"{left:,} of {total:,} left" if left else f"all {total:,} done"), ""


def _writing(artifacts: ArtifactIndex, person: Person) -> str | None:
    """A line about the queries to write; None if there is nothing to write for this person."""
    batches = [batch for batch, _ in batches_on(artifacts, WRITING)]
    if person.role == "adjudicator" or not (batches or (person.role == "owner" and artifacts.of_kind("suite"))):
        return None
    parts = [f"{len(batches):,} {'batch' if len(batches) == 1 else 'batches'}"] if batches else []
    if person.role == "annotator":
        parts += [words for batch in batches if (words := _left(artifacts, batch, person)[0])]
    return _joined(("two queries for two passages, as in NevIR", *parts))


def _joined(parts: Sequence[str]) -> str:
    return ", ".join(part for part in parts if part)


PAGES = (Page("/", home, ALL),)
