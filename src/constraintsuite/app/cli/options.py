"""Options that several commands share. Each is declared once, with one name, one type and one help text.

An option whose default or unit differs between commands is a function. The option of a command that takes several values has a
plural name, and its help ends in "; repeatable.".
"""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from constraintsuite.app.cli.engines import make_engine
from constraintsuite.app.cli.places import FILE, FOLDER, OUT, RUNS
from constraintsuite.core.records.examples import SPLITS

if TYPE_CHECKING:
    from constraintsuite.core.statistics.ties import TiePolicy

C = TypeVar("C", bound=Callable[..., Any])
Command = Callable[..., None]
_MODEL = "FAMILY or FAMILY:ARGUMENT, such as dense:all-MiniLM-L6-v2. `csuite models` lists the families"
_ANNOTATOR = "Name of an annotator"
_BUDGET = "Maximum number of units that a search may return"
_SIDE = "Where the two texts of a contrast differ"
_SIDES = click.Choice(["query", "document"])
_COUNT = click.IntRange(min=1)
_PROCESSES = click.IntRange(1, 4_096)


def combine(*options: Callable[[Any], Any]) -> Callable[[C], C]:
    """Combine several options, in the order of the help, into one decorator."""

    def decorate(command: C) -> C:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def valued_option(
    flag: str, kind: click.ParamType[Any], default: object, words: str, *, shown: str = ""
) -> Callable[[C], C]:
    """An option with a value. The help shows its default or, if there is none, the words `shown`."""
    show = shown or default is not None
    return click.option(flag, type=kind, default=default, show_default=show, help=words)


# Output

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done, and write nothing.")
force_option = click.option(
    "--force", is_flag=True, help="Replace a different bundle at --out, with its vectors and truths."
)
page_option = click.option("--page", type=OUT, help="Also write an HTML page with tables to this folder.")
runs_option = click.option(
    "--out",
    type=RUNS,
    default=Path("runs"),
    show_default=True,
    help="Folder for all runs; each run gets its own folder inside.",
)


def out_option(
    default: Path | None = None, *, otherwise: str = "", folder: click.Path = OUT
) -> Callable[[Command], Command]:
    """The folder that a command writes. It is required without a `default` or words on what happens `otherwise`."""
    return click.option(
        "--out",
        type=folder,
        default=default,
        required=not (default or otherwise),
        show_default=otherwise or default is not None,
        help="File to write." if folder is FILE else "Folder to write.",
    )


def out_file_option(default: Path | None = None, *, otherwise: str = "") -> Callable[[Command], Command]:
    """The one file that a command writes; otherwise as `out_option`."""
    return out_option(default, otherwise=otherwise, folder=FILE)


# Input

model_option = click.option("--model", required=True, metavar="M", help=f"{_MODEL}.")
models_option = click.option(
    "--model", "models", multiple=True, required=True, metavar="M", help=f"{_MODEL}; repeatable."
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all random choices."
)
splits_option = click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice(SPLITS),
    help="Use only this split. If the model was trained on the suite, use test alone; repeatable.",
)
small_split_option = click.option(
    "--allow-small-split", is_flag=True, help="Use a split even if it has too few examples of a slice."
)
by_option = click.option("--by", default="", metavar="GROUPING", help="Also show figures for each group.")
suite_option = click.option("--suite", type=FOLDER, help="Folder of the suite, if it was moved since the run.")
baseline_option = click.option(
    "--baseline", metavar="NAME|FOLDER", help="Run to compare with: a folder, or a name stored by `csuite baseline`."
)
store_option = click.option(
    "--store", type=OUT, show_default="$CSUITE_BASELINES, or .csuite/baselines", help="Folder of the baselines."
)
annotator_option = click.option("--annotator", required=True, metavar="NAME", help=f"{_ANNOTATOR}.")


def annotators_option(*, required: bool) -> Callable[[Command], Command]:
    """One or more annotators."""
    words = f"{_ANNOTATOR}; repeatable."
    return click.option("--annotator", "annotators", multiple=True, required=required, metavar="NAME", help=words)


def limit_option(unit: str, *, least: int = 1, default: int | None = None) -> Callable[[C], C]:
    """The maximum number of items, called `unit` in the help."""
    return click.option(
        "--limit",
        type=click.IntRange(min=least),
        metavar=unit,
        default=default,
        show_default=default is not None,
        help="Use at most this many.",
    )


def analyser_option(default: str = "auto", *, others: Sequence[str] = ()) -> Callable[[Command], Command]:
    """The analyser of texts; `others` are additional choices."""
    kinds = click.Choice(["auto", "rules", "parser", *others])
    return click.option(
        "--analyser",
        type=kinds,
        default=default,
        show_default=True,
        help="How texts are analysed; auto is the parser if it is installed, else the rules.",
    )


# Vectors

bundle_encoder_option = click.option(
    "--encoder",
    help="Encoder of the vectors, if the bundle has several: its name, or the beginning of its folder's name.",
)


def similarity_option(default: str | None = None) -> Callable[[Command], Command]:
    """The similarity of vectors; by default the similarity of their encoder."""
    return click.option(
        "--metric",
        type=click.Choice(["cosine", "dot", "euclidean", "manhattan"]),
        default=default,
        show_default=default or "the metric of the encoder",
        help="How vectors are compared.",
    )


# Memory

encoder_option = click.option(
    "--encoder", metavar="MODEL", help="Encoder for modes with vectors, such as dense:all-MiniLM-L6-v2."
)
budget_option = click.option("--budget", type=_COUNT, default=10, show_default=True, help=f"{_BUDGET}.")
budgets_option = click.option(
    "--budget",
    "budgets",
    multiple=True,
    type=_COUNT,
    default=(10,),
    show_default=True,
    help=f"{_BUDGET}; repeatable.",
)
repeats_option = click.option(
    "--repeats",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Repeats of each search, to measure warm times. With 0, a gate has no times to check.",
)
state_option = click.option(
    "--state", "state_file", type=FILE, show_default="GRAPH.state.jsonl", help="File of the state."
)


def modes_option(default: str = "all") -> Callable[[C], C]:
    """The modes of search, to be parsed with `named_modes`."""
    return click.option(
        "--modes",
        multiple=True,
        default=(default,),
        show_default=True,
        help="Modes, separated by commas; `csuite memory modes` lists them; repeatable.",
    )


def at_option(*, required: bool = False, otherwise: str | None = None) -> Callable[[Command], Command]:
    """The point in time at which a memory is searched or changed."""
    return click.option(
        "--at",
        "now",
        required=required,
        metavar="TIME",
        show_default=otherwise,
        callback=lambda context, option, text: datetime.now(UTC).isoformat() if text == "now" else text,
        help="Point in time, such as 2026-03-01T09:30, or `now`.",
    )


# Mechanism

memory_option = click.option(
    "--memory", type=_COUNT, metavar="MIB", help="Maximum memory for activations, in addition to the weights."
)
guide_option = click.option(
    "--guide", type=FOLDER, help="Folder of the attribution that chooses which sites are patched."
)
side_option = click.option("--side", type=_SIDES, default="query", show_default=True, help=f"{_SIDE}.")
independent_option = click.option(
    "--independent",
    is_flag=True,
    help="Use only contrasts that share no document with another of the same side and kind: fewer, but independent.",
)


def sides_option(*default: str) -> Callable[[Command], Command]:
    """The sides whose contrasts are used; by default both."""
    return click.option(
        "--side",
        "sides",
        multiple=True,
        type=_SIDES,
        default=default,
        show_default=True if default else "both",
        help=f"{_SIDE}; repeatable.",
    )


# Ties


def tie_options(command: Command) -> Command:
    """Turn the options `--ties` and `--tie-eps` into one argument `rule`."""

    @click.option(
        "--ties",
        type=click.Choice(["strict", "half", "random", "mteb"]),
        default="strict",
        show_default=True,
        help="How equal scores count: as failures, as one half, by a reproducible coin toss, or as in mteb.",
    )
    @click.option(
        "--tie-eps",
        type=click.FloatRange(min=0),
        default=0.0,
        help="Scores that differ by at most this count as equal.",
    )
    @wraps(command)
    def wrapped(*arguments: object, ties: TiePolicy, tie_eps: float, **options: object) -> None:
        from constraintsuite.core.statistics.ties import TieRule

        command(*arguments, rule=TieRule(ties, tie_eps), **options)

    return wrapped


# Workers

_WORKERS = "Worker processes. The result does not depend on their number."
workers_option = click.option("--workers", type=_PROCESSES, default=1, show_default=True, help=_WORKERS)


def engine_options(*, models: bool) -> Callable[[Command], Command]:
    """Turn the options of workers into one argument `engine`. A worker with `models` gets all processors by default."""

    def decorate(command: Command) -> Command:
        @click.option(
            "--engine",
            "where",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="Where the work is done: on this machine, or on a Ray cluster. The result does not depend on it.",
        )
        @click.option(
            "--address",
            metavar="HOST:PORT",
            help="Address of the Ray cluster, or auto for the one that this machine belongs to. Without it, Ray starts on "
            "this machine alone.",
        )
        @click.option(
            "--workers",
            type=_PROCESSES,
            show_default="1; on Ray, as many as the cluster has room for",
            help=_WORKERS,
        )
        @click.option(
            "--worker-cpus",
            type=_PROCESSES,
            show_default="as many as this command would use" if models else "1",
            help="CPU cores reserved for each worker on Ray, and the number of threads that it uses.",
        )
        @click.option(
            "--worker-gpus",
            type=click.FloatRange(min=0),
            default=0.0,
            help="GPUs reserved for each worker on Ray; 0.5 is half a GPU.",
        )
        @wraps(command)
        def wrapped(
            *arguments: object,
            where: str,
            address: str | None,
            workers: int | None,
            worker_cpus: int | None,
            worker_gpus: float,
            **options: object,
        ) -> None:
            engine = make_engine(where, address, workers, worker_cpus, worker_gpus, models=models)
            command(*arguments, engine=engine, **options)

        return wrapped

    return decorate
