"""The suite in figures: counts, lengths (the NevIR paper's Table 1) and word differences (its Figure 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.experiments.load import Suite
from constraintsuite.records.examples import SPLITS
from constraintsuite.records.sections import Charts, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.histograms import Bins, histogram
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.view import ReportView
from constraintsuite.suites.views.dataset import DatasetView, length_table, view_dataset

_ABOUT = (
    "Every example has two documents. The satisfying document meets the constraint of the query, the violating one does "
    "not."
)


def dataset(view: ReportView) -> Section:
    """Counts, lengths, differences, and the suite's card."""
    found = view_dataset(view.suite.examples)
    blocks: list[SectionBlock] = [TableBlock(table) for table in (*_count_tables(view.suite), length_table(found))]
    blocks.append(Charts(tuple(difference_charts(found))))
    card = view.card()
    return Section("suite", "The suite", _ABOUT, (*blocks, *((VerbatimText(card, "Card"),) if card else ())))


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
    told = f"Median {np.median(values):g}, from {values.min():g} to {values.max():g} words"
    title = f"Words in only one of the two {name}"
    return histogram(f"chart-words-{name}", title, bins, {name: bins.count(values)}, told, f"n={len(values):,}")


def _count_tables(suite: Suite) -> Iterator[Table]:
    everything = [*suite.examples, *suite.controls]
    by_split = Counter((example.slice, example.split) for example in everything)
    names = dict.fromkeys(example.slice for example in everything)
    rows: list[tuple[str | int, ...]] = [
        (n, *(by_split[n, s] for s in SPLITS), sum(by_split[n, s] for s in SPLITS)) for n in names
    ]
    yield _counts(
        "examples_by_slice", "Examples by slice and split; controls come last.", "slice", (*SPLITS, "all"), rows
    )
    for title, found in (
        ("domain", Counter(example.domain for example in suite.examples if example.domain)),
        ("control", Counter(example.control.kind for example in suite.controls if example.control)),
    ):
        if len(found) > 1:
            caption = "Main examples by domain." if title == "domain" else "Controls by what they change."
            yield _counts(f"examples_by_{title}", caption, title, ("examples",), sorted(found.items()))


def _counts(
    name: str, caption: str, corner: str, titles: Sequence[str], rows: Sequence[tuple[str | int, ...]]
) -> Table:
    columns = (Column(corner), *(Column(title, "count") for title in titles))
    return Table(name, caption, columns, tuple(rows))
