"""Docs that cannot drift: the command reference is the program's own, and what the README names exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from constraintsuite.cli.main import COMMANDS

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
