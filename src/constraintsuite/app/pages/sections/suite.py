"""Sections on the suite itself: its contents, its audit, and how similar its documents are to models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from constraintsuite.app.pages.drawings.heatmap import heat_map
from constraintsuite.app.pages.drawings.histograms import Bins, histogram
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.group_tables import split_tables
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import SPLITS
from constraintsuite.core.records.sections import Charts, Remarks, Section, VerbatimText
from constraintsuite.core.records.tables import Column, ItemColumns, Table, TableRows, columns, tabulate
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.experiments.load import Suite
from constraintsuite.suites.audit.results import ALL_MAIN, AuditRow, OverlapRow, TargetVerdict
from constraintsuite.suites.views.dataset import DatasetView, length_table, view_dataset

_ABOUT_SUITE = (
    "Every example has two documents: the satisfying one meets the constraint of the query, the violating one does not."
)


def dataset(view: ReportView) -> Section:
    """Counts, lengths, differences between texts, and the card of the suite."""
    found = view_dataset(view.suite.examples)
    charts, card = Charts(tuple(difference_charts(found))), view.card()
    cards = (VerbatimText(card, "Card"),) if card else ()
    blocks = (*_count_tables(view.suite), length_table(found), charts, *cards)
    return Section("suite", "The suite", _ABOUT_SUITE, blocks)


def difference_charts(found: DatasetView) -> Iterator[Drawing]:
    """How many words differ between the two queries, and between the two documents."""
    parts = {"queries": found.query_differences, "documents": found.document_differences}
    for name, counts in parts.items():
        if counts:
            yield _difference_chart(name, counts)


def _difference_chart(name: str, counts: Mapping[int, int]) -> Drawing:
    values = np.repeat(np.array(list(counts), dtype=np.float64), list(counts.values()))
    most = max(10, int(np.percentile(values, 98)))
    width = -(-(most + 1) // 40)  # a bin for each number of words, or wider where there would be too many bins
    edges = tuple(float(edge) for edge in range(0, most + 1 + width, width))
    bins = Bins(edges, ((0.0, "0"), (edges[-1], f"{edges[-1] - width:g} or more words")))
    description = f"Median {np.median(values):g}, from {values.min():g} to {values.max():g} words"
    title = f"Words in only one of the two {name}"
    return histogram(f"chart-words-{name}", title, bins, {name: bins.count(values)}, description, f"n={len(values):,}")


def _count_tables(suite: Suite) -> Iterator[Table]:
    everything = [*suite.examples, *suite.controls]
    by_split = Counter((example.slice, example.split) for example in everything)
    names = dict.fromkeys(example.slice for example in everything)
    rows: TableRows = tuple((n, *(by_split[n, s] for s in SPLITS), sum(by_split[n, s] for s in SPLITS)) for n in names)
    heads = (Column("slice"), *columns("count", *SPLITS, "all"))
    yield Table("examples_by_slice", "Examples by slice and split; controls come last.", heads, rows)
    domains = Counter(example.domain for example in suite.examples if example.domain)
    kinds = Counter(example.control.kind for example in suite.controls if example.control)
    for title, caption, found in (
        ("domain", "Main examples by domain.", domains),
        ("control", "Controls by kind of change.", kinds),
    ):
        if len(found) > 1:
            heads = (Column(title), Column("examples", "count"))
            yield Table(f"examples_by_{title}", caption, heads, tuple(sorted(found.items())))


_ABOUT_AUDIT = (
    "How often a solver that does not understand the query picks the satisfying document, a tie counted as half; it should be half of "
    "the examples. Paired accuracy gives nothing to a solver that picks the same document for a query and its opposite."
)
_AUDIT: ItemColumns[AuditRow] = {
    "solver": ("text", lambda row: row.solver),
    "slice": ("text", lambda row: row.slice),
    "picks the satisfying one": ("share", lambda row: row.accuracy),
    "ties": ("share", lambda row: row.tie_rate),
    "pairs won": ("share", lambda row: row.paired),
    "target": (
        "text",
        lambda row: row.verdict.replace("_", " ") + (f", by definition: {row.reason}" if row.reason else ""),
    ),
}
_OVERLAPS: ItemColumns[OverlapRow] = {
    "part": ("text", lambda row: row.part),
    "texts": ("text", lambda row: row.kind),
    "in": ("text", lambda row: row.elsewhere),
    "words": ("count", lambda row: row.size),
    "found": ("share", lambda row: row.share),
    "verbatim": ("share", lambda row: row.verbatim),
}
_ORDER: tuple[TargetVerdict, ...] = ("not_met", "too_few", "undefined", "met")


def audit(view: ReportView) -> Section | None:
    """Whether to trust the suite, then the audit from its folder; None without an audit."""
    found = view.audit()
    if found is None:
        return None
    rows = sorted(found.rows, key=lambda row: (_ORDER.index(row.verdict), row.slice != ALL_MAIN))
    caption = f"Audit of the suite, with 95 % interval (seed {found.seed})."
    shared = "Texts that share this many words in a row, or all their words, with texts elsewhere."
    tables = split_tables(
        [tabulate("audit", caption, rows, _AUDIT), tabulate("overlaps", shared, found.overlaps, _OVERLAPS)]
    )
    about = f"{found.conclusion.sentence} {_ABOUT_AUDIT}"
    return Section("audit", "Audit of the suite", about, (*tables.shown, Remarks(found.warnings)), tables.files)


_BINS = 40
_ABOUT_LIKENESS = (
    "Cosine of the vectors of the satisfying and the violating document of each main example. If nearly all are close to 1, the "
    "model puts both documents in the same place, and no query can prefer one for the right reason."
)


def likeness(view: ReportView) -> Section | None:
    """One histogram per bi-encoder, all on one axis."""
    if not view.likenesses:
        return None
    bins = _bins(np.concatenate(list(view.likenesses.values())))
    charts = tuple(_chart(label, found, bins, i) for i, (label, found) in enumerate(view.likenesses.items()))
    heads = (Column("model"), Column("examples", "count"), *columns("number", *_QUANTILES))
    rows: TableRows = tuple(
        (label, len(found), *(float(np.quantile(found, share)) for share in _QUANTILES.values()))
        for label, found in view.likenesses.items()
    )
    table = Table("likeness", "Cosine of the two documents of an example.", heads, rows)
    return Section("likeness", "Likeness of the two documents", _ABOUT_LIKENESS, (Charts(charts), table))


_QUANTILES = {"lowest": 0.0, "5 %": 0.05, "median": 0.5, "95 %": 0.95, "highest": 1.0}


def _bins(found: FloatArray) -> Bins:
    low = float(np.floor(10 * min(0.9, found.min())) / 10)
    return Bins(tuple(np.linspace(low, 1.0, _BINS + 1).tolist()), ((low, f"{low:.1f}"), (1.0, "1.0")))


def _chart(label: str, found: FloatArray, bins: Bins, number: int) -> Drawing:
    words = f"Median {float(np.median(found)):.3f}, from {found.min():.3f} to {found.max():.3f}"
    return histogram(f"chart-likeness-{number}", label, bins, {"cosine": bins.count(found)}, words, f"n={len(found):,}")


_ABOUT_TOKENS = (
    "Columns are tokens of the query, rows are tokens of a document; darker cells are more similar. A frame marks the best match of "
    "each query token; the score is the sum of these. If a word of the constraint matches some other word, the model misses it."
)


def tokens(view: ReportView) -> Section | None:
    """One heat map for each query and document; None unless `--maxsim` asked for them."""
    if not view.matches:
        return None
    charts = tuple(
        heat_map(
            f"chart-tokens-{number}",
            f"{match.model}, {match.example}: {match.document} document",
            match.query_tokens,
            match.text_tokens,
            match.matrix,
        )
        for number, match in enumerate(view.matches)
    )
    rows = tuple(
        (match.example, match.model, match.document, token, match.text_tokens[place], float(match.matrix[i, place]))
        for match in view.matches
        for i, (token, place) in enumerate(zip(match.query_tokens, match.matrix.argmax(axis=1).tolist(), strict=True))
    )
    titles = ("example", "model", "document", "query token", "best match")
    heads = (*columns("text", *titles), Column("similarity", "number"))
    caption = "The best match of each token of the query."
    table = Table("tokens", caption, heads, rows, fold="Best matches as a table")
    return Section("tokens", "Token by token", _ABOUT_TOKENS, (Charts(charts), table))
