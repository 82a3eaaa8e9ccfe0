"""Is a graph worth it on public benchmarks? Settings chosen without looking, attempts one by one, and every mode as it is.

python benchmarks/memory_public.py choose --data FOLDER [--pooled]
python benchmarks/memory_public.py attempts --data FOLDER [--pooled]
python benchmarks/memory_public.py modes --data FOLDER

FOLDER holds hotpotqa_100, musique_100 and longmemeval_oracle. Vectors are kept in --work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import click
import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.files import sha256_text
from constraintsuite.experiments.compare import PairedDifference, SystemPair, compare_systems
from constraintsuite.experiments.figures import group_figures
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.public.base import ReadOptions
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.table import MemoryTable
from growth import work_option
from memory_trials import MODEL, Asked, Trial, ask, linked, plain, titled
from tables import show

LEXICAL, PLAIN = "lexical_baseline", "BM25 without stop list and stems"
BASELINES = (Trial(LEXICAL, LEXICAL, linked), Trial(PLAIN, LEXICAL, plain))
AIMS = {"hotpotqa": "all_gold@10", "musique": "recall@5"}
"""What settings are chosen by, one question as good as another within a benchmark, both benchmarks alike."""
STARTS = (2, 3, 5, 10)
GRIDS: Mapping[str, Mapping[str, Sequence[object]]] = {
    "ppr": {
        "starts": STARTS,
        "damping": (0.3, 0.5, 0.7),
        "seeds": ("lexical", "dense", "hybrid"),
        "entities": (0, 0.2, 0.5),
    },
    "activation_spreading_static": {"starts": STARTS, "hops": (1, 2, 3, 4)},
    "structure_only": {"starts": STARTS, "hops": (1, 2, 3, 4)},
}
CHATS = ("session", "turn")
HAYSTACKS = ("hotpotqa", "hotpotqa_pooled", "musique", "musique_pooled", *CHATS)
data_option = click.option(
    "--data", type=click.Path(path_type=Path, exists=True, file_okay=False), envvar="CSUITE_TEST_DATA", required=True
)

pooled_option = click.option("--pooled", is_flag=True, help="Search the documents of all questions together.")


@click.group()
def cli() -> None:
    """Each command prints what it saw; nothing depends on it."""


@cli.command()
@data_option
@work_option
@pooled_option
def choose(data: Path, work: Path, pooled: bool) -> None:
    """Settings chosen on one half of the questions, figures of the other; then the halves exchanged."""
    settings = {
        mode: [_written(mode, grid, point) for point in product(*grid.values())] for mode, grid in GRIDS.items()
    }
    trials = [Trial(name, name, linked) for name in (*GRIDS, *(text for each in settings.values() for text in each))]
    found = {
        name: each.outcomes([*BASELINES, *trials], 10) for name, each in multihop(data, work, pooled=pooled).items()
    }
    halves = {
        outcome.item: half for each in found.values() for outcome, half in zip(each, halves_of(each), strict=True)
    }
    chosen = {}
    for half in (0, 1):
        for mode, texts in settings.items():
            ranked = sorted(
                ((aim(found, text, halves, half), -at, text) for at, text in enumerate(texts)), reverse=True
            )
            chosen[mode, half] = ranked[0][2]
            default = aim(found, mode, halves, half)
            show(f"{mode}, half {half}: defaults {default:.3f}", ("setting", "aim"), [(t, a) for a, _, t in ranked[:6]])
    for name, outcomes in found.items():
        kept = [*(trial.name for trial in BASELINES), *GRIDS]
        one = [*_only(outcomes, kept, halves, 1), *_renamed(outcomes, chosen, halves, 1)]
        report(f"{name}, half 1, chosen on half 0", one, AIMS[name])
        both = [
            *_only(outcomes, kept, halves),
            *(o for half in (0, 1) for o in _renamed(outcomes, chosen, halves, half)),
        ]
        report(f"{name}, each question with what was chosen on the other half", both, AIMS[name])
        for mode in GRIDS:
            pair = [o for o in both if o.mode in (mode, f"{mode} (chosen)")]
            report(f"{name}, chosen against defaults", pair, AIMS[name], baselines=(mode,))


@cli.command()
@data_option
@work_option
@pooled_option
def attempts(data: Path, work: Path, pooled: bool) -> None:
    """What links, seeds and reranking do, each alone, with all else at the defaults; ppr unless said."""
    tried = [
        Trial("no graph: hybrid", "hybrid", linked),
        Trial("ppr", "ppr", linked),
        Trial("no entities: ppr over next alone", "ppr,kinds=next", linked),
        Trial("begun at the query's entities too", "ppr,entities=0.2", linked),
        Trial("titles alone", "ppr", titled),
        Trial("synonyms too", "ppr,synonyms=0.8", linked),  # from which cosine on, as in HippoRAG 2
        *(Trial(f"seeds={seeds}", f"ppr,seeds={seeds}", linked) for seeds in ("lexical", "dense")),
        *(
            Trial(f"{mode}, depth {depth}", f"{mode}:{MODEL},depth={depth}", linked)
            for mode in ("hybrid_rerank", "ppr_rerank")
            for depth in (10, 20, 50)
        ),
    ]
    for name, each in multihop(data, work, names=True, pooled=pooled).items():
        metrics = {"hotpotqa": ("all_gold@10", "recall@10", "sp_f1@2"), "musique": ("recall@5", "all_gold@5")}[name]
        outcomes = each.outcomes([*BASELINES, *tried], 10)
        for metric in metrics:
            report(name, outcomes, metric, baselines=(LEXICAL, PLAIN, "ppr"))


@cli.command()
@data_option
@work_option
@click.option("--only", multiple=True, type=click.Choice(HAYSTACKS))
@click.option("--also", multiple=True, help="A mode with options; all are then compared with ppr, too.")
def modes(data: Path, work: Path, only: Sequence[str], also: Sequence[str]) -> None:
    """Every mode of the catalogue at its defaults."""
    others = [name for name in MODES.names() if name != LEXICAL]
    named = [(name, f"{name}:{MODEL}" if name.endswith("_rerank") else name) for name in others]
    trials = [*BASELINES, *(Trial(name, mode, linked) for name, mode in [*named, *zip(also, also, strict=True)])]
    for name in only or HAYSTACKS:
        each = asked(name, data, work)
        outcomes = each.outcomes(trials, 50 if name in CHATS else 20)
        for metric in _official(name):
            report(name, outcomes, metric, baselines=(LEXICAL, "ppr") if also else (LEXICAL,))


def _official(haystacks: str) -> list[str]:
    if haystacks in CHATS:
        levels = ("", "session_") if haystacks == "turn" else ("",)
        chats = product(levels, ("recall_any", "recall_all", "ndcg_any"), (5, 10))
        return [f"{level}{metric}@{k}" for level, metric, k in chats]
    found = ("all_gold", "recall", *(("sp_f1",) if haystacks.startswith("hotpotqa") else ()))
    return [f"{metric}@{k}" for metric, k in product(found, (2, 5, 10, 20))]


def multihop(data: Path, work: Path, *, names: bool = False, pooled: bool = False) -> dict[str, Asked]:
    """The two benchmarks of questions that need several passages."""
    return {name: asked(f"{name}_pooled" if pooled else name, data, work, names=names) for name in AIMS}


def asked(name: str, data: Path, work: Path, *, names: bool = False) -> Asked:
    """One of the haystacks, embedded."""
    if name in CHATS:
        path = data / "longmemeval_oracle" / "longmemeval_oracle.json"
        options = ReadOptions(pooled=True, granularity="turn" if name == "turn" else "session")
        return ask("longmemeval", path, options, work / "memory-vectors")
    benchmark, _, pooled = name.partition("_")
    path = data / f"{benchmark}_100" / "questions.json"
    return ask(benchmark, path, ReadOptions(pooled=bool(pooled)), work / "memory-vectors", names=names)


def halves_of(outcomes: Sequence[ItemResult]) -> list[int]:
    """0 or 1 by a hash of the item's id; of items that are not independent, by the first id."""
    first: dict[str, str] = {}
    for outcome in outcomes:
        first[outcome.cluster] = min(outcome.item, first.get(outcome.cluster, outcome.item))
    return [int(sha256_text(first[outcome.cluster])[0], 16) % 2 for outcome in outcomes]


def aim(found: Mapping[str, Sequence[ItemResult]], mode: str, halves: Mapping[str, int], half: int) -> float:
    """What a setting is chosen by."""
    means = []
    for name, outcomes in found.items():
        values = [o.values[AIMS[name]] for o in outcomes if o.mode == mode and halves[o.item] == half]
        means.append(np.mean([value for value in values if value is not None]))
    return float(np.mean(means))


def _written(mode: str, grid: Mapping[str, Sequence[object]], point: Sequence[object]) -> str:
    return ",".join([mode, *(f"{name}={value}" for name, value in zip(grid, point, strict=True))])


def _only(
    outcomes: Sequence[ItemResult], modes: Sequence[str], halves: Mapping[str, int], half: int | None = None
) -> list[ItemResult]:
    return [o for o in outcomes if o.mode in modes and half in (None, halves[o.item])]


def _renamed(
    outcomes: Sequence[ItemResult], chosen: Mapping[tuple[str, int], str], halves: Mapping[str, int], half: int
) -> list[ItemResult]:
    """Of the questions of one half, the outcomes of the settings that were chosen on the other."""
    names = {text: f"{mode} (chosen)" for (mode, on), text in chosen.items() if on != half}
    return [replace(o, mode=names[o.mode]) for o in outcomes if o.mode in names and halves[o.item] == half]


def report(
    title: str, outcomes: Sequence[ItemResult], metric: str, *, baselines: Sequence[str] = (LEXICAL, PLAIN)
) -> None:
    """Each mode's figure, and its difference to each baseline with p, corrected for the modes of the table."""
    table = MemoryTable(title, outcomes)
    figures = {mode: group_figures(table, mode, table.main, metrics=[metric]).metrics[metric] for mode in table.systems}
    columns = [_tests(table, metric, baseline) for baseline in baselines]
    rows = [
        (mode, figure.n, _shown(figure), *(text for column in columns for text in _compared(column.get(mode))))
        for mode, figure in figures.items()
    ]
    against = [text for baseline in baselines for text in (f"- {baseline}", "p", "Holm")]
    show(f"{title}: {metric}", ("mode", "n", metric, *against), rows)


def _tests(table: MemoryTable, metric: str, baseline: str) -> dict[str, PairedDifference]:
    """Against one baseline; the others are no modes that are tried."""
    others = {trial.name for trial in BASELINES} | {baseline}
    pairs = [SystemPair(baseline, mode) for mode in table.systems if mode not in others]
    return {test.second: test for test in compare_systems(table, pairs, [metric], table.parts())}


def _compared(test: PairedDifference | None) -> tuple[str, str, str]:
    if test is None or test.p is None or test.holm is None:
        return "", "", ""
    return _shown(test.difference, sign="+"), f"{test.p:.4f}", f"{test.holm:.4f}"


def _shown(figure: Interval, sign: str = "") -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "-"
    return f"{figure.value:{sign}.3f} [{figure.low:{sign}.3f}, {figure.high:{sign}.3f}]"


if __name__ == "__main__":
    cli()
