"""`csuite`: the group of all commands, loaded on demand, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping, Sequence

import click

from constraintsuite import __version__
from constraintsuite.app.cli.lazy import LazyGroup
from constraintsuite.core.errors import UserError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "quickstart": (
        "constraintsuite.app.cli.quickstart:quickstart",
        "Try it all on the bundled corpus: build, eval, report.",
    ),
    "build": ("constraintsuite.app.cli.build:build", "Build a suite of tests from a corpus."),
    "eval": ("constraintsuite.app.cli.evaluate:eval_command", "Score a suite with models."),
    "compare": ("constraintsuite.app.cli.compare:compare", "Compare systems on the same items, with tests."),
    "report": ("constraintsuite.app.cli.report:report", "Write an HTML report of any result folders."),
    "gate": ("constraintsuite.app.cli.gate:gate", "Pass or fail a run in CI, by policy or baseline."),
    "corpus": ("constraintsuite.app.cli.corpus:corpus", "Count and print what a corpus holds."),
    "propose": ("constraintsuite.app.cli.build:propose", "List what could be built from a corpus, with evidence."),
    "import": (
        "constraintsuite.app.cli.import_suite:import_command",
        "Read an existing test set, such as NevIR, as a suite.",
    ),
    "suite": ("constraintsuite.app.cli.suite:suite", "Count, sample, audit and export a suite."),
    "text": ("constraintsuite.app.cli.text:text", "Explain how a text is read: mentions, cues, scope."),
    "plan": ("constraintsuite.app.cli.plan:plan", "Estimate time, memory, storage and money of a build."),
    "retrieve-eval": ("constraintsuite.app.cli.retrieve:retrieve_eval", "Measure whole rankings of a retriever."),
    "show": ("constraintsuite.app.cli.show:show", "Show what any folder is and what it holds."),
    "verify": ("constraintsuite.app.cli.show:verify", "Check the hashes and the content of any folder."),
    "baseline": ("constraintsuite.app.cli.gate:baseline", "Store runs under names, to compare with later."),
    "models": ("constraintsuite.app.cli.models:models", "List the families of models, and known weights."),
    "serve": ("constraintsuite.app.cli.serve:serve", "Open folders in the browser: browse, judge, approve, write."),
    "gold": ("constraintsuite.app.cli.gold:gold", "Have people judge examples blind, and measure agreement."),
    "answers": ("constraintsuite.app.cli.answers:answers", "Turn people's answers into a run."),
    "explain": ("constraintsuite.app.cli.explain:explain", "Find where inside a reranker a behaviour lives."),
    "tune": ("constraintsuite.app.cli.tune:tune", "Train a model and watch what it gains and loses."),
    "drift": ("constraintsuite.app.cli.drift:drift", "Measure what changed between checkpoints."),
    "subset": ("constraintsuite.app.cli.subset:subset", "Draw a subset of a corpus and keep its judgments valid."),
    "embed": ("constraintsuite.app.cli.embed:embed", "Encode the texts of a bundle."),
    "bundle": ("constraintsuite.app.cli.bundle:bundle", "Make ground truths for bundles, compare and convert them."),
    "ann": ("constraintsuite.app.cli.ann:ann", "Measure vector search: how exact, how fast, how large."),
    "memory": ("constraintsuite.app.cli.memory.group:memory", "Build a graph memory, search it, measure it."),
    "doctor": ("constraintsuite.app.cli.doctor:doctor", "List what is installed and how to get what is missing."),
    "fetch": ("constraintsuite.app.cli.fetch:fetch", "Download the parser, model weights and benchmark files."),
}
SECTIONS: Mapping[str, Sequence[str]] = {
    "Start here": ("quickstart", "build", "eval", "compare", "report", "gate"),
    "Build tests": ("corpus", "propose", "import", "suite", "text", "plan"),
    "Evaluate": ("models", "retrieve-eval", "baseline"),
    "Any folder": ("show", "verify"),
    "People": ("serve", "gold", "answers"),
    "Inside a model": ("explain", "tune", "drift"),
    "Vectors": ("subset", "embed", "bundle", "ann"),
    "Memory": ("memory",),
    "This machine": ("doctor", "fetch"),
}
"""The commands in the order of the help text: the main job first, then by task."""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="csuite")
def cli() -> None:
    """Does a retrieval system do what it was asked? Build, run and audit constraint tests for search.

    New here? `csuite quickstart` takes two minutes. It uses the network only for the parser and one small model.
    """


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
        click.echo("csuite: stopped. What was finished is kept; the same command resumes from there.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, which is its right
    except OSError as error:
        click.echo(f"csuite: {_with_urls(in_words(error))}", err=True)
        sys.exit(2)


def _with_urls(message: str) -> str:
    """A message in which the local copy of an object store's folder is named by the URL that the user gave."""
    from constraintsuite.core.store.mirror import with_urls  # noqa: PLC0415 - so that --help stays quick

    return with_urls(message)


def in_words(error: OSError) -> str:
    """A message for an error of the operating system: the file, what was refused, and what helps."""
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
