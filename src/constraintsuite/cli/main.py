"""`csuite`: the group of all commands, loaded on demand, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping

import click

from constraintsuite import __version__
from constraintsuite.cli.lazy import LazyGroup
from constraintsuite.errors import UserError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "quickstart": (
        "constraintsuite.cli.quickstart:quickstart",
        "Build a suite from the bundled corpus, evaluate it, write a report.",
    ),
    "doctor": ("constraintsuite.cli.doctor:doctor", "Say what is installed, what is missing, and how to get it."),
    "corpus": ("constraintsuite.cli.corpus:corpus", "Look at where text comes from."),
    "propose": ("constraintsuite.cli.build:propose", "Say what could be built from a corpus, with evidence."),
    "build": ("constraintsuite.cli.build:build", "Build a suite."),
    "plan": (
        "constraintsuite.cli.plan:plan",
        "Say what a recipe will take on N machines: time, memory, storage, money.",
    ),
    "suite": ("constraintsuite.cli.suite:suite", "Look at a suite: show, stats, sample, verify, audit, export."),
    "text": ("constraintsuite.cli.text:text", "Say what a text says of Y, and why."),
    "import": ("constraintsuite.cli.importing:import_command", "Read other people's test sets as suites."),
    "models": ("constraintsuite.cli.models:models", "Name models, and get their weights."),
    "eval": ("constraintsuite.cli.evaluate:eval_command", "Score a suite with models."),
    "retrieve-eval": ("constraintsuite.cli.retrieve:retrieve_eval", "Measure whole rankings of a retriever."),
    "answers": (
        "constraintsuite.cli.answers:answers",
        "Turn people's answers into a run, or write a blank sheet for them.",
    ),
    "report": ("constraintsuite.cli.report:report", "Write an HTML report of runs."),
    "compare": ("constraintsuite.cli.compare:compare", "Compare systems on the same items, with tests."),
    "gate": (
        "constraintsuite.cli.gate:gate",
        "Check a run against a policy or a baseline; exit code 1 if it may not pass.",
    ),
    "baseline": ("constraintsuite.cli.gate:baseline", "Keep runs under names, to compare with."),
    "subset": ("constraintsuite.cli.subset:subset", "Take a part of a corpus and keep its judgments right."),
    "embed": ("constraintsuite.cli.embed:embed", "Encode the texts of a bundle."),
    "truth": ("constraintsuite.cli.truth:truth", "Write the two truths of a bundle."),
    "bundle": ("constraintsuite.cli.bundle:bundle", "Look at bundles, check and convert them."),
    "ann": ("constraintsuite.cli.ann:ann", "Measure vector search: how exact, how fast, how large."),
    "memory": ("constraintsuite.cli.memory.group:memory", "Memory as a graph: ingest, search, explain, measure."),
    "tune": ("constraintsuite.cli.tune:tune", "Train a reranker or an encoder, and watch what it gains and loses."),
    "explain": ("constraintsuite.cli.explain:explain", "Find where inside a reranker a behaviour lives."),
    "drift": ("constraintsuite.cli.drift:drift", "Say what changed between checkpoints, outside and inside."),
    "serve": ("constraintsuite.cli.serve:serve", "Look at folders in a browser, and judge, approve and write there."),
    "gold": ("constraintsuite.cli.gold:gold", "Have people judge examples or proposals, blind, with agreement."),
    "fetch": ("constraintsuite.cli.doctor:fetch", "Fetch the English parser, checked against its hash."),
}


@click.group(
    cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="csuite")
def cli() -> None:
    """Does a retrieval system do what it was asked? Build, run and audit constraint tests for search."""


def main() -> None:
    """Run the command line; a UserError is shown without traceback and exits with 2."""
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
        click.echo("csuite: stopped; what was finished is kept, the same command goes on from there.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, which is its right
    except OSError as error:
        click.echo(f"csuite: {_with_urls(in_words(error))}", err=True)
        sys.exit(2)


def _with_urls(message: str) -> str:
    """What a user gave as a URL is called so, whatever the folder here in which the work was done."""
    from constraintsuite.store.mirror import with_urls  # noqa: PLC0415 - so that --help stays quick

    return with_urls(message)


def in_words(error: OSError) -> str:
    """What the system refuses to do, with which file, and what helps."""
    where = error.filename2 or error.filename
    said = f"{where}: {error.strerror}." if where and error.strerror else f"{error}."
    return f"{said} {_ADVICE.get(error.errno or 0, 'Is the path right, and is its disk there?')}"


_OTHER_PLACE = "Choose another place, or give yourself the right to it (ls -ld shows who has it)."
_ADVICE = {
    errno.EACCES: _OTHER_PLACE,
    errno.EPERM: _OTHER_PLACE,
    errno.EROFS: "Nothing can be written to this disk. Choose another place.",
    errno.ENOTDIR: "A part of this path is a file, not a folder. Choose another place.",
    errno.EEXIST: "Something else lies there. Choose another place.",
    errno.EISDIR: "This is a folder, not a file.",
    errno.ENOSPC: "The disk is full. Free some space; the same command goes on from what was finished.",
    errno.EDQUOT: "Your share of the disk is full. Free some space; the same command goes on from what was finished.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.EMFILE: "Too many files are open at once. Use fewer --workers, or raise the limit (ulimit -n).",
}
