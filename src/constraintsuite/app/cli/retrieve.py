"""`csuite retrieve-eval`: rank the collection of a suite, or measure a TREC run of another system."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import suite_argument
from constraintsuite.app.cli.options import by_option, json_option, runs_option, seed_option, small_split_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE, take_folder
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import shown
from constraintsuite.models.retrieval import RETRIEVERS

if TYPE_CHECKING:
    from constraintsuite.experiments.ranking.summary import RankingSummary

_RETRIEVER = (
    f"FAMILY or FAMILY:ARGUMENT, options after commas. Families: {', '.join(RETRIEVERS.names())}; rrf:A+B fuses others."
)
_MEASURE = (
    "Additional measure of ir-measures (nDCG@20, 'P(rel=2)@5') or of csuite (violation@5, right_rank@10); repeatable."
)
_USUAL = "100, or as many as SUITE lists"
_positive = click.IntRange(min=1)
_TREC_OPTIONS = ("qrels", "violations")
_SEARCH_OPTIONS = ("retriever", "rerank", "depth", "rerank_depth", "corpus", "out")


@click.command("retrieve-eval")
@suite_argument(required=False)
@click.option("--retriever", metavar="R", help=_RETRIEVER)
@click.option("--rerank", metavar="M", help="Model that reranks the results, named as for `csuite eval`.")
@click.option("--depth", type=_positive, show_default=_USUAL, help="Documents to retrieve per query.")
@click.option("--rerank-depth", type=_positive, show_default=_USUAL, help="Documents per query to rerank.")
@click.option("--corpus", metavar="SOURCE", help="Corpus whose passages are added to the judged documents.")
@click.option("--split", help="Use only the queries of this split.")
@small_split_option
@click.option("--measure", "measures", multiple=True, metavar="NAME", help=_MEASURE)
@by_option
@runs_option
@click.option("--from-trec", "trec", type=FILE, help="Measure this TREC run instead of searching.")
@click.option("--qrels", type=FILE, help="File of judgments for --from-trec, instead of SUITE.")
@click.option(
    "--violations",
    type=FILE,
    help="File of violating documents for --from-trec, in the format of qrels; its grades are ignored.",
)
@seed_option
@json_option
@click.pass_context
def retrieve_eval(  # noqa: PLR0913, PLR0917 - one parameter per option
    context: click.Context,
    suite: Path | None,
    retriever: str | None,
    rerank: str | None,
    depth: int | None,
    rerank_depth: int | None,
    corpus: str | None,
    split: str | None,
    allow_small_split: bool,
    measures: tuple[str, ...],
    by: str,
    out: Path,
    trec: Path | None,
    qrels: Path | None,
    violations: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Search the collection of SUITE for all its queries, and measure the rankings.

    They are written to OUT/SUITE.ranking/SYSTEM. --from-trec measures a run of another system instead, and writes nothing.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.experiments.ranking.run import (
        RankingPlan,
        evaluate_retrieval,
        load_ranking,
        measure_trec_run,
        ranking_folder,
    )
    from constraintsuite.suites.small_splits import refuse_small_splits

    _refuse_options(context, _SEARCH_OPTIONS if trec else _TREC_OPTIONS, "not allowed" if trec else "only allowed")
    if suite is not None and split is not None and not allow_small_split:
        refuse_small_splits(suite, [split])
    folder = None
    if trec is not None:
        if suite is not None and (qrels or violations):
            raise UserError("Judgments come either from SUITE or from --qrels and --violations. Leave one of them out.")
        summary = measure_trec_run(
            trec, measures, qrels=qrels, violations=violations, suite=suite, split=split, seed=seed
        )
    elif suite is None or retriever is None:
        raise UserError(
            "SUITE or --retriever is missing. Give both, for example: csuite retrieve-eval SUITE --retriever bm25"
        )
    else:
        plan = RankingPlan(retriever, rerank, depth, rerank_depth, split, corpus, measures, seed)
        folder = take_folder(ranking_folder(out, suite, plan))
        evaluate_retrieval(suite, plan, folder, Terminal())
        summary = load_ranking(folder)
    emit({"ranking": folder and shown(folder), "summary": summary}, as_json, _lines(summary, folder, by, measures))


def _refuse_options(context: click.Context, names: tuple[str, ...], words: str) -> None:
    """Refuse options that would be ignored."""
    default = click.core.ParameterSource.DEFAULT
    given = [name.replace("_", "-") for name in names if context.get_parameter_source(name) is not default]
    if given:
        raise UserError(f"{', '.join(f'--{name}' for name in given)}: {words} with --from-trec.")


def _lines(summary: RankingSummary, folder: Path | None, by: str, measures: Sequence[str]) -> Iterator[str]:
    """The figures and remarks that the page of a ranking also shows."""
    from constraintsuite.app.views.rankings import describe_ranking, group_table, measure_table, ranking_remarks
    from constraintsuite.experiments.ranking.measures import parse_measures

    yield f"{summary.system}: {describe_ranking(summary)}"
    yield ""
    yield str(measure_table(summary))
    yield ""
    if by:
        yield str(group_table(summary, by, [str(measure) for measure in parse_measures(measures)]))
        yield ""
    yield from ranking_remarks(summary)
    if folder is not None:
        yield f"Ranking: {shown(folder)}"
