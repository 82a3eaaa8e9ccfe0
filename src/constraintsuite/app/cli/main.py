"""`csuite`: the group of all commands, each imported when it is called, and the place where errors become exit codes."""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import click

from constraintsuite import __version__
from constraintsuite.core.errors import UserError

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Start here": {
        "quickstart": ("quickstart:quickstart", "Try it all on the bundled corpus: build, eval, report."),
        "build": ("build:build", "Build a suite of tests from a corpus."),
        "eval": ("evaluate:eval_command", "Score a suite with models."),
        "compare": ("compare:compare", "Compare systems on the same items, with tests."),
        "report": ("report:report", "Write an HTML report of any result folders."),
        "gate": ("gate:gate", "Pass or fail a run in CI, by policy or baseline."),
    },
    "Build tests": {
        "corpus": ("corpus:corpus", "Count and print what a corpus holds."),
        "propose": ("build:propose", "List what could be built from a corpus, with evidence."),
        "import": ("import_suite:import_command", "Read an existing test set, such as NevIR, as a suite."),
        "suite": ("suite:suite", "Count, sample, audit and export a suite."),
        "text": ("text:text", "Explain how a text is read: mentions, cues, scope."),
        "plan": ("plan:plan", "Estimate time, memory, storage and money of a build."),
    },
    "Evaluate": {
        "models": ("models:models", "List the families of models, and known weights."),
        "retrieve-eval": ("retrieve:retrieve_eval", "Measure the rankings of a retriever."),
        "baseline": ("gate:baseline", "Store runs under names, to compare with later."),
    },
    "Any folder": {
        "show": ("show:show", "Show what any folder is and what it holds."),
        "verify": ("show:verify", "Check the hashes and the content of any folder."),
    },
    "People": {
        "serve": ("serve:serve", "Open folders in the browser: browse, judge, approve, write."),
        "gold": ("gold:gold", "Have people judge examples blind, and measure agreement."),
        "answers": ("answers:answers", "Turn people's answers into a run."),
    },
    "Inside a model": {
        "explain": ("explain:explain", "Find where inside a reranker a behaviour lives."),
        "tune": ("tune:tune", "Train a model and watch what it gains and loses."),
        "drift": ("drift:drift", "Measure what changed between checkpoints."),
    },
    "Vectors": {
        "subset": ("subset:subset", "Draw a subset of a corpus and keep its judgments valid."),
        "embed": ("embed:embed", "Encode the texts of a bundle."),
        "bundle": ("bundle:bundle", "Make ground truths for bundles, compare and convert them."),
        "ann": ("ann:ann", "Measure vector search: how exact, how fast, how large."),
    },
    "Memory": {
        "memory": ("memory.group:memory", "Build a graph memory, search it, measure it."),
    },
    "This machine": {
        "doctor": ("doctor:doctor", "List what is installed and how to get what is missing."),
        "fetch": ("fetch:fetch", "Download the parser, model weights and benchmark files."),
    },
}
"""All commands in the order of the help text, each with its place below `app/cli` and one line of help."""
COMMANDS = {
    name: (f"constraintsuite.app.cli.{place}", words)
    for section in SECTIONS.values()
    for name, (place, words) in section.items()
}


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


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    sections={heading: list(commands) for heading, commands in SECTIONS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="csuite")
def cli() -> None:
    """Does a retrieval system do what it was asked? Build, run and audit constraint tests for search.

    New here? `csuite quickstart` takes two minutes. It uses the network only for the parser and one small model.
    """


def main() -> None:
    """Run the command line. A UserError is shown without traceback and exits with 2."""
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)  # click returns the code of an Exit
    except UserError as error:
        click.echo(f"csuite: {_with_urls(str(error))}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("csuite: stopped. What was finished is kept; the same command resumes from there.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the program that reads the output has ended, such as `head`
    except OSError as error:
        click.echo(f"csuite: {_with_urls(in_words(error))}", err=True)
        sys.exit(2)


def _with_urls(message: str) -> str:
    """The message with the URL that the user gave in place of the folder of its local mirror."""
    from constraintsuite.core.store.mirror import with_urls  # noqa: PLC0415 - so that --help stays under 0.3 s

    return with_urls(message)


def in_words(error: OSError) -> str:
    """A message for an error of the operating system: the file, the reason, and what to do."""
    where = error.filename2 or error.filename
    said = f"{where}: {error.strerror}." if where and error.strerror else f"{error}."
    return f"{said} {_ADVICE.get(error.errno or 0, 'Check the path, and that its disk is mounted.')}"


_OTHER_PLACE = "Choose another path, or get permission for this one (ls -ld shows its owner)."
_ADVICE = {
    errno.EACCES: _OTHER_PLACE,
    errno.EPERM: _OTHER_PLACE,
    errno.EROFS: "This disk is read-only. Choose another path.",
    errno.ENOTDIR: "A part of this path is a file, not a folder. Choose another path.",
    errno.EEXIST: "Something else is already there. Choose another path.",
    errno.EISDIR: "This is a folder, not a file. Give a file.",
    errno.ENOSPC: "The disk is full. Free some space; the same command resumes from what was finished.",
    errno.EDQUOT: "Your disk quota is used up. Free some space; the same command resumes from what was finished.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.EMFILE: "Too many files are open at once. Use fewer --workers, or raise the limit (ulimit -n).",
}
