"""Read a benchmark file and its documents. Everything that is wrong is reported with its place in the file."""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path, PureWindowsPath
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from constraintsuite.core.errors import UserError, hint_for, refuse_faults
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.files import sha256_of
from constraintsuite.memory.cases.model import BenchmarkCase, Dataset
from constraintsuite.memory.graph import ENTITY, MemoryGraph
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.ingest.collection import collection_version, ingest
from constraintsuite.memory.records import MemoryDocument

FIXTURES = ("contract", "runbook", "exception_override", "multi_hop_chain", "negation", "priming_help", "priming_harm")


@dataclass(frozen=True)
class CaseFile:
    """A benchmark file that was read."""

    path: Path
    sha256: str
    dataset: Dataset
    notes: tuple[str, ...] = ()
    """What a lenient reading ignored, one line each."""
    lenient: bool = False
    """Whether cases that name a missing node are left out instead of refused."""


def read_cases(path: Path, *, lenient: bool = False) -> CaseFile:
    """Read the cases of a file.

    Raises UserError for unknown fields, repeated case ids, and a folder of documents outside the file's own folder.
    With `lenient`, unknown fields and repeated cases are ignored, the folder is allowed, and each of these is noted.
    """
    if not path.is_file():
        raise UserError(f"{path}: there is no such benchmark file.")
    data = _parse(path)
    notes = _drop_unknown_fields(data) if lenient else []
    try:
        dataset = Dataset.model_validate(data)
    except ValidationError as error:
        faults = _own_faults(error.errors(include_url=False))
        refuse_faults([f"{path}: {_place(data, fault['loc'])}: {_said(fault)}." for fault in faults], most=10)
        raise
    first: dict[str, int] = {}
    kept = [case for number, case in enumerate(dataset.cases) if first.setdefault(case.case_id, number) == number]
    repeated = [number for number, case in enumerate(dataset.cases) if first[case.case_id] != number]
    outside = f"document_directory: {dataset.document_directory!r} is outside the folder of this file"
    is_outside = _leads_out(path.parent, dataset.document_directory)
    if repeated and not lenient:
        raise UserError(f"{path}: two cases have the id {dataset.cases[repeated[0]].case_id!r}.")
    if is_outside and not lenient:
        raise UserError(f"{path}: {outside}. Put the documents next to it, or read the file leniently.")
    notes += [f"{_place(data, ('cases', at))}: an earlier case has this id, skipped" for at in repeated]
    notes += [outside] if is_outside else []
    return CaseFile(path, sha256_of(path), dataset.model_copy(update={"cases": tuple(kept)}), tuple(notes), lenient)


def _leads_out(home: Path, folder: str) -> bool:
    """Whether a folder is outside `home`, by its name or through a link."""
    plain = posixpath.normpath(folder.replace("\\", "/"))
    if PureWindowsPath(folder).anchor or plain.split("/")[0] == "..":
        return True
    try:
        return not (home / folder).resolve().is_relative_to(home.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, or an impossible name
        return False


def _parse(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    def refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        for key, count in Counter(key for key, _ in pairs).items():
            if count > 1:
                raise UserError(f"{path}: duplicate key {key!r} in one object. Remove one of the two.")
        return dict(pairs)

    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=refuse_repeated)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: not valid JSON: {error.msg}.") from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply to be a benchmark file.") from None


def _drop_unknown_fields(data: Any) -> list[str]:  # noqa: ANN401
    """Delete the fields that the format does not have, and return a note for each."""
    try:
        Dataset.model_validate(data)
    except ValidationError as error:
        unknown = [fault["loc"] for fault in error.errors(include_url=False) if fault["type"] == "extra_forbidden"]
        notes = [f"{_place(data, loc)}: unknown field, passed over" for loc in unknown]
        for *parents, field in unknown:
            owner = data
            for step in parents:
                owner = owner[step]
            del owner[field]
        return notes
    return []


def _own_faults(faults: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Leave out lists that are too short only because a fault inside them was not counted."""
    outer = {fault["loc"][:depth] for fault in faults for depth in range(len(fault["loc"]))}
    return (fault for fault in faults if fault["type"] != "too_short" or fault["loc"] not in outer)


def _said(fault: ErrorDetails) -> str:
    if fault["type"] == "extra_forbidden":
        return "unknown field, perhaps misspelt (a lenient reading would pass over it)"
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    value = repr(fault["input"])
    return fault["msg"] + (f", got {value}" if len(value) <= 80 else "")


def _place(data: Any, loc: tuple[int | str, ...]) -> str:  # noqa: ANN401
    """A place in the file, such as `cases.3 (late-rent).expectation.path`: with the id of the case, if it has one."""
    match loc:
        case ("cases", int(number), *inner) if isinstance(data["cases"][number], dict):
            name = data["cases"][number].get("case_id")
            named = f"cases.{number} ({name})" if isinstance(name, str) else f"cases.{number}"
            return ".".join([named, *map(str, inner)])
    return ".".join(map(str, loc)) or "the file"


def fixture_path(name: str) -> Path:
    """The path of a bundled dataset; its documents are in the folder of that name next to it."""
    if name not in FIXTURES:
        raise UserError(f"No bundled dataset is called {name!r}. There are: {', '.join(FIXTURES)}.")
    return Path(str(resources.files("constraintsuite.memory.cases") / "fixtures" / f"{name}.json"))


@dataclass(frozen=True)
class Grounded:
    """A dataset with its documents. Every node id of the cases is one of theirs."""

    file: CaseFile
    parts: tuple[MemoryDocument, ...]

    @property
    def dataset(self) -> Dataset:
        """The cases, with the folder of their documents."""
        return self.file.dataset

    @property
    def version(self) -> str:
        """A hash of its documents."""
        return collection_version(self.parts)


def ground(file: CaseFile, *, engine: LocalEngine | None = None, reporter: Reporter | None = None) -> Grounded:
    """Read the Markdown files of the dataset's folder, and check every node id of the cases against their units.

    Raises UserError if an id is unknown. If the file was read leniently, its case is left out instead: with other
    evidence it would be another question.
    """
    parts = tuple(ingest(_documents(file), engine=engine, reporter=reporter))
    graph = build_graph(parts)
    faults = {case.case_id: list(_unknown_nodes(case, graph)) for case in file.dataset.cases}
    unknown = [fault for each in faults.values() for fault in each]
    kept = tuple(case for case in file.dataset.cases if not faults[case.case_id])
    if not (file.lenient and kept):
        refuse_faults([f"{file.path}: {fault}" for fault in unknown], most=10)
    notes = (*file.notes, *(f"{fault} The case is left out." for fault in unknown))
    return Grounded(replace(file, dataset=file.dataset.model_copy(update={"cases": kept}), notes=notes), parts)


def _documents(file: CaseFile) -> list[Path]:
    folder = file.path.parent / file.dataset.document_directory
    found = sorted(folder.glob("*.md")) if folder.is_dir() else []
    if not found:
        raise UserError(
            f"{file.path}: document_directory: no Markdown file in {folder}. The folder is sought from the "
            "place of this file."
        )
    return found


def _unknown_nodes(case: BenchmarkCase, graph: MemoryGraph) -> Iterator[str]:
    """A message for each node id that no document has. Paths and traces may also name entities."""
    for place, node in case.node_ids():
        may_be_entity = place in ("path", "activation_trace", "activation_snapshot") and node.startswith(ENTITY)
        if node in graph.unit_numbers or (may_be_entity and node.removeprefix(ENTITY) in graph.entities):
            continue
        hint = hint_for(node, graph.unit_numbers, "")
        yield f"case {case.case_id!r}: {place}: no unit of the documents has the id {node!r}. {hint}".rstrip()
