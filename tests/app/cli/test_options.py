"""Every option name means one thing: the same type and help in all commands, declared in one place, or with a reason why not."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import click
import pytest

import constraintsuite.app.cli
from constraintsuite.app.cli import options
from constraintsuite.app.cli.main import cli
from constraintsuite.core.statistics.ties import TIE_POLICIES
from constraintsuite.models.backends import Similarity
from constraintsuite.text import ANALYSERS

ROOT = Path(constraintsuite.app.cli.__file__).parent
REPEATABLE = "; repeatable."

_RUNS = "the folder of all runs, of which the command takes its own"
_FILE = "writes one file"
_HERE = "people judge in this folder, which must be on this machine"
_BUNDLE = "chooses among the encoders whose vectors a bundle holds"
EXCEPTIONS: Mapping[str, Mapping[str, str]] = {
    "--out": {
        **dict.fromkeys(("eval", "retrieve-eval", "answers"), _RUNS),
        **dict.fromkeys(("propose", "memory snapshot", "gold sheet", "compare"), _FILE),
        **dict.fromkeys(("gold sample", "gold export", "memory private init"), _HERE),
    },
    "--seed": {"subset": "any text, which enters the keys of the documents"},
    "--limit": {
        "explain circuit": "each half of the contrasts needs two",
        "drift": "fewer than eight contrasts show nothing",
    },
    "--workers": {"plan": "describes machines that are not here"},
    "--encoder": dict.fromkeys(("bundle truth", "bundle export"), _BUNDLE),
    "--analyser": dict.fromkeys(("text audit", "text explain"), "can also show both analysers beside each other"),
    "--metric": {"eval": "a figure of a run", "compare": "a figure of a run"},
    "--by": {"gold adjudicate": "names the person who rules"},
    "--suite": {"drift": "the suites that checkpoints are asked, of which there may be several"},
    "--repeats": {"gold sample": "a share of items, not a number of passes"},
    "--split": {
        **dict.fromkeys(
            ("corpus", "propose", "build", "subset", "bundle import", "import"),
            "a split of a source, which has names of its own",
        ),
        "retrieve-eval": "a collection may have other splits than a suite",
    },
}
"""Options of `app/cli/options.py` that mean something else in some command, and why."""

OWN_MEANINGS: Mapping[str, str] = {
    "-n": "how many of what the command draws or prints",
    "--against": "what is compared with: another system, or other texts",
    "--corpus": "a source to build from, to search in, or the articles of HoVer",
    "--depth": "documents or neighbours per query",
    "--example": "a policy to start from, or an example of a suite",
    "--format": "the layout of what is read, or of what is written",
    "--from": "the stage, the place or the file to begin with",
    "--mode": "how documents are drawn, or how a memory is searched",
    "--name": "the name of what the command makes",
    "--qrels": "judgments of a source, or of a run of TREC",
    "--require": "what an item needs, or that a set is accepted",
    "--run": "a run of TREC to draw from, or a run on a suite",
    "--sample": "documents or examples",
    "--sheet": "questions for people, or disagreements for one",
    "--size": "examples, documents or sites",
    "--top": "how many, or which share, of what the command ranks",
}
"""Options that no two areas share but in name, and what they have in common."""


def walk(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, click.Command]]:
    """Every command below, by its path without `csuite`."""
    context = click.Context(command, info_name=name, parent=parent)
    yield context.command_path.removeprefix("csuite").strip(), command
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            child = command.get_command(context, below)
            assert child is not None
            yield from walk(child, below, context)


COMMANDS = dict(walk(cli, "csuite"))


def options_of(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    for option in command.params:
        if isinstance(option, click.Option):
            yield option.opts[0], option


def meaning(option: click.Option) -> tuple[str, object, str]:
    """What must be the same: the name of the parameter, the type, and the help, whether there is one value or several."""
    name = option.name or ""
    return (name.removesuffix("s") if option.multiple else name), type_of(option.type), words(option)


def words(option: click.Option) -> str:
    return (option.help or "").replace(REPEATABLE, ".")


def type_of(kind: click.ParamType[Any]) -> object:
    facts = {name: value for name, value in vars(kind).items() if name not in ("type", "coerce_path")}
    return type(kind).__name__, tuple(sorted((name, str(value)) for name, value in facts.items()))


USES: dict[str, dict[str, click.Option]] = defaultdict(dict)
for _path, _command in COMMANDS.items():
    for _name, _option in options_of(_command):
        USES[_name][_path] = _option


def declared(path: Path) -> set[str]:
    """The option names that a file declares by `click.option`."""
    calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return {
        str(argument.value)
        for call in calls
        if ast.unparse(call.func) == "click.option"
        for argument in call.args[:1]
        if isinstance(argument, ast.Constant)
    }


SHARED = declared(ROOT / "options.py")


def file_of(command: click.Command) -> Path:
    module = str(getattr(command.callback, "__module__", ""))
    return ROOT.joinpath(*module.removeprefix("constraintsuite.app.cli.").split(".")).with_suffix(".py")


@pytest.mark.parametrize("name", sorted(name for name, uses in USES.items() if len(uses) > 1))
def test_an_option_means_the_same_everywhere(name: str) -> None:
    if name in OWN_MEANINGS:
        assert name not in SHARED, f"{name} is declared in options.py, and so has one meaning"
        return
    excepted = EXCEPTIONS.get(name, {})
    found = {meaning(option) for path, option in USES[name].items() if path not in excepted}
    assert len(found) <= 1, f"{name} differs: {found}"


def test_every_exception_is_one() -> None:
    for name, excepted in EXCEPTIONS.items():
        usual = {meaning(option) for path, option in USES[name].items() if path not in excepted}
        for path in excepted:
            assert meaning(USES[name][path]) not in usual, f"{name} of {path} means the usual: strike the exception"
    for name in OWN_MEANINGS:
        assert len({meaning(option) for option in USES[name].values()}) > 1, f"{name} has one meaning: strike it"


def test_shared_options_are_declared_once() -> None:
    apart = {(file_of(COMMANDS[path]), name) for name, excepted in EXCEPTIONS.items() for path in excepted}
    places: dict[str, set[str]] = defaultdict(set)
    for file in ROOT.rglob("*.py"):
        for name in declared(file):
            if (file, name) not in apart and name not in OWN_MEANINGS:
                places[name].add(file.relative_to(ROOT).as_posix())
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert not twice, f"declared in several files, and not in options.py alone: {twice}"


def test_every_option_says_what_it_does_and_whether_it_repeats() -> None:
    listed = [(path, *each) for path, command in COMMANDS.items() for each in options_of(command)]
    assert [f"{path} {name}" for path, name, option in listed if not option.help] == []
    unclear = [(path, name) for path, name, o in listed if o.multiple != (o.help or "").endswith(REPEATABLE)]
    assert unclear == []


def test_choices_are_those_of_the_code() -> None:
    """The lists stand in options.py as text, so that --help imports nothing heavy."""
    choices = {
        name: set(option.type.choices)
        for path in ("eval", "bundle truth", "build")
        for name, option in options_of(COMMANDS[path])
        if isinstance(option.type, click.Choice)
    }
    assert choices["--ties"] == set(TIE_POLICIES)
    assert choices["--metric"] == set(get_args(Similarity))
    assert choices["--analyser"] == {"auto", *ANALYSERS.names()}


def test_combined_options_keep_their_order() -> None:
    @click.command()
    @options.combine(options.json_option, options.seed_option, options.out_option())
    def command() -> None:
        """Do nothing."""

    assert [name for name, _ in options_of(command)] == ["--json", "--seed", "--out"]
