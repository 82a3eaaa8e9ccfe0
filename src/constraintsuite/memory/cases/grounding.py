"""The cases that come with the package: documents and questions written for it, one dataset a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from constraintsuite.errors import UserError, hint_for
from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.memory.cases.model import BenchmarkCase, Dataset
from constraintsuite.memory.cases.reading import CaseFile, refuse_faults
from constraintsuite.memory.graph import ENTITY, MemoryGraph
from constraintsuite.memory.graph_update import build_graph
from constraintsuite.memory.ingest.collection import collection_version, ingest
from constraintsuite.memory.records import MemoryDocument

FIXTURES = (
    "contract",
    "runbook",
    "exception_override",
    "multi_hop_chain",
    "negation",
    "priming_help",
    "priming_harm",
)


def fixture_path(name: str) -> Path:
    """The benchmark file of a bundled dataset; its documents lie in the folder of that name beside it."""
    if name not in FIXTURES:
        raise UserError(f"No bundled dataset is called {name!r}. There are: {', '.join(FIXTURES)}.")
    return Path(str(resources.files("constraintsuite.memory.cases") / "fixtures" / f"{name}.json"))


@dataclass(frozen=True)
class Grounded:
    """A dataset with the parts of its documents; every node id is one of theirs."""

    file: CaseFile
    parts: tuple[MemoryDocument, ...]

    @property
    def dataset(self) -> Dataset:
        """Its cases."""
        return self.file.dataset

    @property
    def version(self) -> str:
        """The fingerprint of its documents as they were read."""
        return collection_version(self.parts)


def ground(file: CaseFile, *, engine: LocalEngine | None = None, reporter: Reporter | None = None) -> Grounded:
    """Ingest the Markdown files of the dataset's folder; a node id that is not among their units is a UserError, or, where
    the file was read leniently, leaves its case out: with other evidence it would be another question."""
    parts = tuple(ingest(_documents(file), engine=engine, reporter=reporter))
    graph = build_graph(parts)
    faults = {case.case_id: list(_dangling(case, graph)) for case in file.dataset.cases}
    told = [fault for each in faults.values() for fault in each]
    kept = tuple(case for case in file.dataset.cases if not faults[case.case_id])
    if told and not (file.lenient and kept):
        refuse_faults(file.path, told)
    notes = (*file.notes, *(f"{fault} The case is left out." for fault in told))
    return Grounded(replace(file, dataset=file.dataset.model_copy(update={"cases": kept}), notes=notes), parts)


def _documents(file: CaseFile) -> list[Path]:
    found = sorted(file.documents.glob("*.md")) if file.documents.is_dir() else []
    if not found:
        raise UserError(
            f"{file.path}: document_directory: no Markdown file in {file.documents}. The folder is sought from the "
            "place of this file."
        )
    return found


def _dangling(case: BenchmarkCase, graph: MemoryGraph) -> Iterator[str]:
    for place, node in case.node_ids():
        walked = place in ("path", "activation_trace", "activation_snapshot")
        if node not in graph.unit_numbers and not (walked and _is_entity(node, graph)):
            hint = hint_for(node, graph.unit_numbers, "")
            yield f"case {case.case_id!r}: {place}: no unit of the documents has the id {node!r}. {hint}".rstrip()


def _is_entity(node: str, graph: MemoryGraph) -> bool:
    return node.startswith(ENTITY) and node.removeprefix(ENTITY) in graph.entities
