"""A benchmark file from disk, and its cases on their ground: everything that is wrong is said with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.files import sha256_of
from constraintsuite.memory.cases.model import BenchmarkCase, Dataset
from constraintsuite.memory.graph import ENTITY, MemoryGraph
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.ingest.collection import collection_version, ingest
from constraintsuite.memory.records import MemoryDocument

_MOST_FAULTS = 10
FIXTURES = ("contract", "runbook", "exception_override", "multi_hop_chain", "negation", "priming_help", "priming_harm")


@dataclass(frozen=True)
class CaseFile:
    """A dataset, and where it was read."""

    path: Path
    sha256: str
    dataset: Dataset
    notes: tuple[str, ...] = ()
    """Of a lenient reading: what was passed over, a line each."""
    lenient: bool = False
    """Whether its cases are also grounded so."""

    @property
    def documents(self) -> Path:
        """The folder of its documents."""
        return self.path.parent / self.dataset.document_directory


def read_cases(path: Path, *, lenient: bool = False) -> CaseFile:
    """The cases of a file. A field that is not of the format, a case id that stands twice and a folder of documents outside
    the file's own are UserErrors; with `lenient` the first two are passed over, the third is allowed, and all are noted."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such benchmark file.")
    data = _parse(path)
    notes = list(_without_unknown(data)) if lenient else []
    cases = data["cases"] if isinstance(data, dict) and isinstance(data.get("cases"), list) else []
    kept = _distinct(cases) if lenient else list(range(len(cases)))
    doubles = sorted(set(range(len(cases))) - set(kept))
    notes += [f"{_place(data, ('cases', at))}: a case with this id stands before it, passed over" for at in doubles]
    try:
        dataset = Dataset.model_validate({**data, "cases": [cases[at] for at in kept]} if doubles else data)
    except ValidationError as error:
        _refuse(path, data, error, kept)
    if _leads_out(path.parent, dataset.document_directory):
        outside = f"document_directory: {dataset.document_directory!r} lies outside the folder of this file"
        if not lenient:
            raise UserError(f"{path}: {outside}. Put the documents beside it (a lenient reading would go there).")
        notes.append(outside)
    return CaseFile(path, sha256_of(path), dataset, tuple(notes), lenient)


def refuse_faults(path: Path, faults: Sequence[str]) -> NoReturn:
    """The first faults of a file, each with its place, and how many more there are."""
    lines = [f"{path}: {fault}" for fault in faults[:_MOST_FAULTS]]
    if len(faults) > _MOST_FAULTS:
        lines.append(f"... and {len(faults) - _MOST_FAULTS} more.")
    raise UserError("\n".join(lines)) from None


def _leads_out(home: Path, folder: str) -> bool:
    """By its name, or by a link on the way."""
    if PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).anchor:
        return True
    depth = 0
    for step in PureWindowsPath(folder).parts:  # it parts at both kinds of slashes
        depth += -1 if step == ".." else 1
        if depth < 0:
            return True
    try:
        return not (home / folder).resolve().is_relative_to(home.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name that cannot be: it leads nowhere
        return False


def _without_unknown(data: Any) -> Iterator[str]:  # noqa: ANN401 - whatever the file holds
    """Take out the fields that are not of the format; a line for each."""
    try:
        Dataset.model_validate(data)
    except ValidationError as error:
        unknown = [fault["loc"] for fault in error.errors(include_url=False) if fault["type"] == "extra_forbidden"]
        yield from [f"{_place(data, loc)}: unknown field, passed over" for loc in unknown]
        for loc in unknown:
            _drop(data, loc)


def _distinct(cases: Sequence[object]) -> list[int]:
    """The numbers of the cases whose id no other case has before them."""
    first: dict[str, int] = {}
    names = enumerate(map(_case_id, cases))
    return [number for number, name in names if name is None or first.setdefault(name, number) == number]


def _case_id(case: object) -> str | None:
    name = case.get("case_id") if isinstance(case, dict) else None
    return name if isinstance(name, str) else None


def _parse(path: Path) -> Any:  # noqa: ANN401
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_unrepeated)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: not valid JSON: {error.msg}.") from None
    except _RepeatedKeyError as error:
        raise UserError(f"{path}: the key {error} stands twice in one object; the first would be lost.") from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply to be a benchmark file.") from None


class _RepeatedKeyError(Exception):
    pass


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(repr(key))
        found[key] = value
    return found


def _refuse(path: Path, data: Any, error: ValidationError, kept: Sequence[int]) -> NoReturn:  # noqa: ANN401
    """The faults by their place in the file, where the cases that were passed over count, too."""
    faults = []
    for fault in _own_faults(error.errors(include_url=False)):
        match fault["loc"]:
            case ("cases", int(at), *inner):
                place = _place(data, ("cases", kept[at], *inner))
            case loc:
                place = _place(data, loc)
        faults.append(f"{place}: {_said(fault)}.")
    refuse_faults(path, faults)


def _own_faults(faults: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Without lists that are too short only because what is wrong inside them was not counted."""
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
    """`cases.3 (late-rent).expectation.path`: by number, and by the case's own name where it has one."""
    words = ".".join(map(str, loc)) or "the file"
    if len(loc) > 1 and loc[0] == "cases" and isinstance(data, dict) and isinstance(loc[1], int):
        name = _case_id(data["cases"][loc[1]])
        if name is not None:
            words = ".".join([f"cases.{loc[1]} ({name})", *map(str, loc[2:])])
    return words


def _drop(data: Any, loc: tuple[int | str, ...]) -> None:  # noqa: ANN401
    for step in loc[:-1]:
        data = data[step]
    del data[loc[-1]]


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
        """The cases, with the folder of their documents."""
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
