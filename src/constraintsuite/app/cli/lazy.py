"""Groups of commands that import a command only when it is called, so that help is instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import click


class LazyGroup(click.Group):
    """A group with a table of commands: the place of each, as `module:attribute`, and one line of help.

    `sections` gives the names under each heading of the help text. By default all commands are in one list.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - those of click.Group
        table: Mapping[str, tuple[str, str]],
        sections: Mapping[str, Sequence[str]] | None = None,
        **settings: Any,  # noqa: ANN401 - those of click.Group
    ) -> None:
        super().__init__(*args, **settings)
        self._table = table
        self._sections = sections or {"Commands": tuple(table)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the help text."""
        return [name for names in self._sections.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name; None if there is none."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        return cast(click.Command, getattr(import_module(module), attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of commands into the help text without importing any command."""
        width = max(map(len, self._table))
        for heading, names in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), self._table[name][1]) for name in names])
