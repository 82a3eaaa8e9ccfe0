"""What holds for the whole package: who may import whom, what a fresh process loads, and what every name leads to."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import constraintsuite
from constraintsuite.app.cli.main import COMMANDS, cli
from constraintsuite.core.catalogue import Catalogue
from constraintsuite.core.errors import UserError
from constraintsuite.text import ANALYSERS

ROOT = Path(constraintsuite.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
LAYERS = (
    "core.errors",
    "core.catalogue",
    "core.records",
    "core.store",
    "core.execution",
    "core.statistics",
    "text",
    "corpora",
    "models",
    "models.retrieval",
    "suites",
    "suites.annotation",
    "experiments",
    "vectors memory mechanism tuning forecast",
    "app.pages",
    "app.views",
    "app.api",
    "app.web",
    "app.cli",
    "__init__ __main__",
)
"""What may import what: a unit imports only from rows above its own. A unit is a folder or module, less the units inside."""
RANK = {name: number for number, row in enumerate(LAYERS) for name in row.split()}
HEAVY = {"torch", "pandas", "spacy", "numpy", "sklearn", "httpx2"}
POINTS_UP = {"core.records.constraints.CONSTRAINTS": "suites"}
"""The one catalogue that points at a layer above its own, and that layer.

Examples are records, and the field `constraint` of an example is read as the dataclass of its type. So the records must be
able to find every type, while all that is known of a type, its dataclass too, stands in one file of `suites/constraints`. The
name in the catalogue is followed when an example is read, never when a module is imported.
"""
WRAPPED = {
    "Comparison": {"experiments/compare.py", "app/api/comparison.py"},
    "Example": {"core/records/examples.py", "app/api/suite.py"},
    "GateResult": {"experiments/gate.py", "app/api/comparison.py"},
    "Run": {"experiments/load.py", "app/api/run.py"},
    "Suite": {"experiments/load.py", "app/api/suite.py"},
}
"""Names that stand twice: a class of `app/api/` shows the record of the same name, and is what a user knows by it."""


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file imports, also inside functions."""
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def imported_names(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a file imports, with a dot at its end, so that a prefix is a whole name."""
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}.") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, f"{alias.name}.") for alias in node.names)


def unit_of(module: str) -> str:
    """The unit of LAYERS that a module of this package is in; the root is `__init__`, and what is in no unit is itself."""
    parts = module.split(".")[1:] or ["__init__"]
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in RANK), module)


def module_of(path: Path) -> str:
    """The full name of the module in a file."""
    return ".".join(("constraintsuite", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def longest_known(name: str, modules: Mapping[str, Path]) -> str | None:
    """The module that an imported name is, or is in."""
    parts = name.rstrip(".").split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((one for one in names if one in modules), None)


def names_needed(path: Path) -> set[str]:
    """Full names of what a file imports when it runs, so not of what it imports only for types."""
    for_types = {
        id(child)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    return {
        f"{node.module}.{alias.name}"
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and id(node) not in for_types
        for alias in node.names
    }


def own_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and unit of what a file imports from this package; `from constraintsuite import X` is the root."""
    for line, name in imported_modules(path):
        if name.partition(".")[0] == "constraintsuite":
            yield line, unit_of(name)


def public_types(path: Path) -> Iterator[tuple[str, str]]:
    """Name and meaning of every public class and type alias of a file: a class means itself, an alias what it stands for."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            name, meaning = node.name, path.relative_to(ROOT).as_posix()
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name, meaning = ast.unparse(target), ast.unparse(node.value)
        else:
            continue
        # Constants are in capitals, and a type variable means nothing outside its own file.
        if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) and not meaning.startswith("TypeVar("):
            yield name, meaning


def calls_outside(*units: str) -> Iterator[tuple[str, str]]:
    """Place and callee of every call in the package, less those in `units`."""
    for path in MODULES:
        name = path.relative_to(ROOT)
        if unit_of(module_of(path)) not in units:
            for node in nodes_of(path):
                if isinstance(node, ast.Call):
                    yield f"{name}:{node.lineno}", ast.unparse(node.func)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    here = unit_of(module_of(path))
    for line, there in own_imports(path):
        # All may ask the root for the version number: it loads nothing itself, as the next test says.
        assert there in (here, "__init__") or RANK[there] < RANK[here], f"{path}:{line}: {here} imports {there}"


def test_the_root_loads_nothing_of_the_package() -> None:
    listing = (
        "import sys, constraintsuite; print(*(name for name in sys.modules if name.startswith('constraintsuite')))"
    )
    result = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.split() == ["constraintsuite"]


def test_the_root_asks_only_the_layer_that_is_made_for_it() -> None:
    assert {there for _, there in own_imports(ROOT / "__init__.py")} == {"app.api"}


def test_every_module_has_a_layer() -> None:
    empty = {"constraintsuite.core", "constraintsuite.app"}  # a docstring each
    assert [name for name in map(module_of, MODULES) if name not in empty and unit_of(name) not in RANK] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count. Those for types alone do not: a catalogue is typed by what its modules hold."""
    modules = {module_of(path): path for path in MODULES}
    imports = {
        name: {found for full in names_needed(path) if (found := longest_known(full, modules)) not in (None, name)}
        for name, path in modules.items()
    }
    while leaves := {name for name, found in imports.items() if not found & imports.keys()}:
        imports = {name: found for name, found in imports.items() if name not in leaves}
    while roots := imports.keys() - set().union(*imports.values()):  # what only leads into a circle
        imports = {name: found for name, found in imports.items() if name not in roots}
    assert sorted(imports) == []


def test_no_relative_imports() -> None:
    relative = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_only_the_command_line_prints() -> None:
    assert [place for place, callee in calls_outside("app.cli") if callee == "print"] == []


def test_yaml_is_read_by_one_loader() -> None:
    importers = {
        path.relative_to(ROOT).as_posix()
        for path in MODULES
        for _, name in imported_names(path)
        if name.startswith(("yaml.", "ruamel."))
    }
    writer = "suites/export/huggingface.py"
    calls = {callee for place, callee in calls_outside() if place.startswith(f"{writer}:") and "yaml" in callee}
    assert importers == {"core/store/yaml_files.py", writer}
    assert calls == {"yaml.safe_dump"}


def test_the_network_is_reached_through_one_client() -> None:
    clients = ("http.client", "urllib.request", "httpx", "httpx2", "requests", "urllib3", "aiohttp")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in MODULES
        for _, name in imported_names(path)
        if name.startswith(tuple(f"{client}." for client in clients))
    }
    assert {name.rpartition("/")[0] for name in found} == {"core/store/http"}


def test_nothing_is_pickled() -> None:
    picklers = {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in MODULES
        for line, name in imported_modules(path)
        if name.partition(".")[0] in picklers
    ]
    assert found == []


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {part for path in MODULES for part in path.relative_to(ROOT).with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_every_public_class_name_has_one_meaning() -> None:
    meanings: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for name, meaning in public_types(path):
            meanings[name].append(meaning)
    classes = {name: places for name, found in meanings.items() if len(places := set(found)) > 1}
    unexplained = {name: sorted(places) for name, places in classes.items() if places != WRAPPED.get(name)}
    assert unexplained == {}, (
        "These names mean more than one thing. Call each class by what it is, so that nobody has to open its file "
        "(AnnotationQuestion, HotpotQuestion; not Question twice)."
    )
    assert classes.keys() == WRAPPED.keys(), "WRAPPED names what is no longer there twice: take it out."


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import constraintsuite", id="import constraintsuite"),
        pytest.param("from constraintsuite.app.cli.main import main; main()", id="csuite --help"),
    ],
)
def test_starting_loads_no_heavy_library(code: str) -> None:
    listing = f"import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules)); {code}"
    result = subprocess.run(
        [sys.executable, "-c", listing, "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite" in loaded
    assert not loaded & HEAVY


def catalogues() -> Iterator[tuple[str, Catalogue[Any]]]:
    """Every catalogue of the package with the place where it is assigned, such as `text.ANALYSERS`."""
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("Catalogue["):
                module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                name = ast.unparse(node.target)
                yield f"{module}.{name}", getattr(import_module(f"constraintsuite.{module}"), name)


CATALOGUES = dict(catalogues())


def test_every_catalogue_is_found() -> None:
    made = [place for place, callee in calls_outside() if callee == "Catalogue"]
    assert len(made) == len(CATALOGUES), (
        f"One of {made} is not assigned at the top of its module, as {CATALOGUES.keys()} are."
    )


@pytest.mark.parametrize(
    ("place", "name"), [(place, name) for place, catalogue in CATALOGUES.items() for name in catalogue.names()]
)
def test_every_catalogue_name_loads(place: str, name: str) -> None:
    loaded = CATALOGUES[place].load(name)
    things = loaded if isinstance(loaded, tuple) else (loaded,)  # a page of the site has several addresses
    assert things
    assert all(callable(thing) or is_dataclass(thing) for thing in things)


def test_catalogues_point_down() -> None:
    higher = {
        (place, there)
        for place, catalogue in CATALOGUES.items()
        for there in {unit_of(module.partition(":")[0]) for module in catalogue.places.values()}
        if (here := unit_of(f"constraintsuite.{place}")) != there and RANK[there] >= RANK[here]
    }
    assert higher == set(POINTS_UP.items())


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"No analyser named 'rule'\. Did you mean 'rules'\?"):
        ANALYSERS.load("rule")


def test_a_name_unlike_all_others_is_answered_with_the_list() -> None:
    with pytest.raises(UserError, match=r"No analyser named 'xyz'\. There are: parser, rules\."):
        ANALYSERS.load("xyz")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    silent = [full_name for full_name, each in with_subcommands(name, command) if not each.help]
    assert silent == []


def with_subcommands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for below, each in command.commands.items():
            yield from with_subcommands(f"{name} {below}", each)
