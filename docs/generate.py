"""Writes docs/cli.md and docs/example.schema.json from the program itself; with --check only says whether they are so.

To be run as a process of its own: click remembers in a command how it was first called for help.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from constraintsuite.app.cli.main import COMMANDS, cli
from constraintsuite.suites.examples import example_schema

WIDTH = 100


def reference() -> str:
    """The help text of every command."""
    settings = {**cli.context_settings, "max_content_width": WIDTH, "terminal_width": WIDTH}
    context = click.Context(cli, info_name="csuite", **settings)
    parts = ["# All commands", "", "Made by `make docs`; do not edit.", ""]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += _sections(command, name, context)
    return "\n".join(parts).rstrip() + "\n"


def schema() -> str:
    """The JSON Schema of one example."""
    return json.dumps(example_schema(), indent=2, ensure_ascii=False) + "\n"


def _sections(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield from (f"## {context.command_path}", "", "```", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            child = command.get_command(context, below)
            if child is not None:
                yield from _sections(child, below, context)


PAGES: Mapping[str, Callable[[], str]] = {"cli.md": reference, "example.schema.json": schema}


def main() -> None:
    """Write the pages, or with --check compare them."""
    made = {Path(__file__).with_name(name): make() for name, make in PAGES.items()}
    stale = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{', '.join(stale)}: not what the program says. Run: make docs" if stale else 0)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
