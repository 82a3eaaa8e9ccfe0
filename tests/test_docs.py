"""Docs that cannot drift: the command reference is the program's own, and what the README names exists."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from constraintsuite.app.cli.main import COMMANDS
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.suites.constraints.base import ConstraintType

ROOT = Path(__file__).parent.parent


def test_generated_pages_are_what_the_program_says() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr


def test_the_readme_is_short_and_shows_both_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    assert "make quickstart" in text
    assert "make test" in text


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"], ids=lambda path: path.name)
def test_links_lead_somewhere_and_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / link).exists(), f"{page.name}: {link}"
    for command in re.findall(r"^\$? ?csuite ([a-z-]+)", text, re.MULTILINE):
        assert command in COMMANDS, f"{page.name}: csuite {command}"


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"], ids=lambda path: path.name)
def test_imports_resolve(page: Path) -> None:
    found = re.findall(r"^ *from (constraintsuite[\w.]*) import (\([^)]+\)|.+)$", page.read_text("utf-8"), re.MULTILINE)
    for module, names in found:
        for name in re.findall(r"(?:^|[,(])\s*(\w+)", names):
            assert hasattr(import_module(module), name), f"{page.name}: {module} has no {name}"


def block(page: str, language: str) -> str:
    """The first block of code in this language on a page."""
    found = re.search(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_of_the_record_has_every_field_and_a_real_example() -> None:
    page = (ROOT / "docs" / "suite.md").read_text(encoding="utf-8")
    example = adapter(Example).validate_json(block(page, "json"))
    assert example.is_paired
    rows = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    for record in (Example, ExampleDocument, Constraint):
        assert {field.name for field in dataclasses.fields(record)} <= rows


def test_the_constraint_type_on_the_page_of_the_record_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("shorter_of_the_docs")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up
    exec(block((ROOT / "docs" / "suite.md").read_text(encoding="utf-8"), "python"), vars(module))
    made: ConstraintType = module.SHORTER
    assert made.record(value="10 words", cue="under", forms=(), words=10).type == "shorter"  # type: ignore[call-arg]
    assert made.solvers == ()
    assert list(made.faults([])) == []


def test_every_path_in_the_page_of_the_architecture_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", page))
    missing = sorted(
        name for name in named if not any((ROOT / base / name).exists() for base in ("src/constraintsuite", "."))
    )
    assert len(named) > 40
    assert missing == []


def test_the_layers_on_the_page_are_those_of_the_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\b([a-z]+)/", page.split("```")[1]))
    package = ROOT / "src" / "constraintsuite"
    folders = {path.parent.name for top in ("", "core", "app") for path in (package / top).glob("*/__init__.py")}
    assert shown == folders
