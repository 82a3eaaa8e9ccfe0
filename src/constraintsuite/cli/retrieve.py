"""`csuite retrieve-eval`: whole rankings of a suite's collection, or of a run that another system wrote."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.places import FOLDER, RUNS, taken
from constraintsuite.errors import UserError
from constraintsuite.retrieval import RETRIEVERS
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.experiments.ranking.run import RankingPlan
    from constraintsuite.experiments.ranking.summary import RankingSummary

_RETRIEVER = (
    f"FAMILY or FAMILY:ARGUMENT, options after commas. Families: {', '.join(RETRIEVERS.names())}; rrf:A+B fuses others."
)
_MEASURE = "Besides the usual ones, repeatable: any of ir-measures (nDCG@20, 'P(rel=2)@5') or of ours (violation@5, right_rank@10)."
_file = click.Path(path_type=Path, dir_okay=False)
_positive = click.IntRange(min=1)
_OF_A_GIVEN_RUN = ("qrels", "violations")
_OF_A_SEARCH = ("retriever", "rerank", "depth", "rerank_depth", "corpus", "out")


@click.command("retrieve-eval")
@click.argument("suite", type=FOLDER, required=False)
@click.option("--retriever", metavar="R", help=_RETRIEVER)
@click.option("--rerank", metavar="M", help="A model that puts what was found in order, named as for `csuite eval`.")
@click.option("--depth", type=_positive, default=100, show_default=True, help="Documents a query.")
@click.option("--rerank-depth", type=_positive, default=100, show_default=True, help="How many of them are reranked.")
@click.option("--corpus", metavar="SOURCE", help="A corpus whose passages are put between the judged documents.")
@click.option("--split", help="Only the queries of this split.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help=_MEASURE)
@click.option("--out", type=RUNS, default=Path("runs"), show_default=True, help="Folder of all runs.")
@click.option("--from-trec", "trec", type=_file, help="Measure this TREC run instead of searching.")
@click.option("--qrels", type=_file, help="Judgments for --from-trec, if not those of SUITE.")
@click.option(
    "--violations", type=_file, help="Violating documents for --from-trec, in a file like qrels; grades mean nothing."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resampling for intervals."
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.pass_context
def retrieve_eval(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    suite: Path | None,
    retriever: str | None,
    rerank: str | None,
    depth: int,
    rerank_depth: int,
    corpus: str | None,
    split: str | None,
    measures: tuple[str, ...],
    out: Path,
    trec: Path | None,
    qrels: Path | None,
    violations: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Search the collection of SUITE for all its queries, into OUT/SUITE.ranking/SYSTEM, and measure the rankings.

    With --from-trec, measure a run that another system wrote; nothing is written.
    """
    from constraintsuite.experiments.ranking.given import GivenRun, measure_given
    from constraintsuite.experiments.ranking.run import RankingPlan

    _refuse_foreign(context, _OF_A_SEARCH if trec else _OF_A_GIVEN_RUN, given=trec is not None)
    folder = None
    if trec is not None:
        if suite is not None and (qrels or violations):
            raise UserError("Judgments come from SUITE or from --qrels and --violations, not from both.")
        summary = measure_given(GivenRun(trec, qrels, violations, suite, split), measures, seed)
    elif suite is None or retriever is None:
        raise UserError("Say what to search and how: csuite retrieve-eval SUITE --retriever bm25")
    else:
        plan = RankingPlan(retriever, rerank, depth, rerank_depth, split, corpus, measures, seed)
        folder, summary = _search(suite, plan, out)
    click.echo(_in_json(summary, folder) if as_json else "\n".join(_lines(summary, folder)))


def _search(suite: Path, plan: RankingPlan, out: Path) -> tuple[Path, RankingSummary]:
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.experiments.ranking.run import evaluate_retrieval, load_ranking, ranking_folder

    folder = evaluate_retrieval(suite, plan, taken(ranking_folder(out, suite, plan)), Terminal()).path
    return folder, load_ranking(folder)


def _refuse_foreign(context: click.Context, names: tuple[str, ...], *, given: bool) -> None:
    """Name every option that means nothing here, instead of passing over it."""
    default = click.core.ParameterSource.DEFAULT
    stray = [name for name in names if context.get_parameter_source(name) is not default]
    if stray:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in stray)
        raise UserError(f"{options}: {'not with' if given else 'only with'} --from-trec.")


def _in_json(summary: RankingSummary, folder: Path | None) -> str:
    from constraintsuite.experiments.ranking.summary import RankingSummary
    from constraintsuite.store.jsonl import adapter

    figures = adapter(RankingSummary).dump_python(summary)
    found = {"ranking": None if folder is None else shown(folder), "summary": figures}
    return json.dumps(found, indent=2, ensure_ascii=False)


def _lines(summary: RankingSummary, folder: Path | None) -> Iterator[str]:
    """The same as the site's page says."""
    from constraintsuite.showing.rankings import describe_ranking, measure_table, ranking_remarks

    yield f"{summary.system}: {describe_ranking(summary)}"
    yield ""
    yield str(measure_table(summary))
    yield ""
    yield from ranking_remarks(summary)
    if folder is not None:
        yield f"Ranking: {shown(folder)}"
