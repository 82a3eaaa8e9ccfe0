"""What holds for the whole package: who may import whom, what a fresh process loads, and what every name leads to."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

import constraintsuite
from constraintsuite.build.export import EXPORTERS
from constraintsuite.build.filters import FILTERS
from constraintsuite.catalogue import Catalogue
from constraintsuite.cli.main import COMMANDS, cli
from constraintsuite.corpora import SOURCES
from constraintsuite.errors import UserError
from constraintsuite.models import SCORERS
from constraintsuite.text import ANALYSERS

ROOT = Path(constraintsuite.__file__).parent
LAYERS = (
    "errors catalogue",
    "records",
    "store",
    "execution",
    "metrics",
    "text",
    "corpora",
    "models",
    "retrieval",
    "build",
    "annotate",
    "evaluate",
    "vectors memory mechanism tuning",
    "reports",
    "cli web",
    "__init__ __main__",
)
RANK = {name: number for number, row in enumerate(LAYERS) for name in row.split()}
HEAVY = {"torch", "pandas", "spacy", "numpy", "sklearn"}
CATALOGUES: tuple[Catalogue[Any], ...] = (ANALYSERS, SOURCES, SCORERS, FILTERS, EXPORTERS)

modules = pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix()
)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_units(path: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level unit of every import from this package; `from constraintsuite import X` is the root itself."""
    for node in ast.walk(tree_of(path)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            package, _, rest = name.partition(".")
            if package == "constraintsuite" and isinstance(node, ast.Import | ast.ImportFrom):
                yield node.lineno, rest.split(".")[0] or "__init__"


@modules
def test_imports_point_down(path: Path) -> None:
    here = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for line, there in imported_units(path):
        # The version number is all that may be asked of the root, which imports nothing itself.
        allowed = there in (here, "__init__") or RANK[there] < RANK[here]
        assert allowed, f"{path}:{line}: {here} imports {there}"


def test_the_root_holds_no_imports() -> None:
    assert list(imported_units(ROOT / "__init__.py")) == []


@modules
def test_no_relative_imports(path: Path) -> None:
    relative = [node.lineno for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom) and node.level]
    assert relative == []


@modules
def test_only_the_command_line_prints(path: Path) -> None:
    if path.relative_to(ROOT).parts[0] == "cli":
        return
    assert "print" not in _called_names(path)


@modules
def test_yaml_is_read_safely_and_nothing_is_unpickled(path: Path) -> None:
    called = _called_names(path)
    assert not called & {"yaml.load", "yaml.load_all", "yaml.full_load", "yaml.unsafe_load"}
    imported = {alias.name for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def _called_names(path: Path) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)}


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {part for path in ROOT.rglob("*.py") for part in path.relative_to(ROOT).with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_every_folder_has_a_layer() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= RANK.keys()


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import constraintsuite", id="import"),
        pytest.param("from constraintsuite.cli.main import main; main()", id="csuite --help"),
    ],
)
def test_starting_loads_no_heavy_library(code: str) -> None:
    check = f"import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules)); {code}"
    result = subprocess.run(
        [sys.executable, "-c", check, "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    ("catalogue", "name"),
    [
        pytest.param(catalogue, name, id=f"{catalogue.kind}: {name}")
        for catalogue in CATALOGUES
        for name in catalogue.names()
    ],
)
def test_every_catalogue_name_loads(catalogue: Catalogue[Any], name: str) -> None:
    assert callable(catalogue.load(name))


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"No analyser named 'rule'\. Did you mean 'rules'\?"):
        ANALYSERS.load("rule")


def test_a_name_unlike_all_others_is_answered_with_the_list() -> None:
    with pytest.raises(UserError, match=r"There are: parser, rules\."):
        ANALYSERS.load("xyz")


def commands_under(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from commands_under(command, f"{prefix} {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    below = list(commands_under(command, name)) if isinstance(command, click.Group) else []
    for full_name, each in [(name, command), *below]:
        assert each.help, f"csuite {full_name} has no help text"
        assert each.get_short_help_str(), full_name
