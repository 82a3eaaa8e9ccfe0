"""How alike bi-encoders find the two documents of an example (the NevIR paper's appendix C)."""

from __future__ import annotations

import numpy as np

from constraintsuite.metrics.intervals import FloatArray
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.histograms import Bins, histogram
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.view import ReportView

_BINS = 40
_ABOUT = (
    "Cosine of the vectors of the satisfying and the violating document of each main example. Where nearly all are close "
    "to 1, the model puts both documents in the same place, and no query can prefer one for the right reason."
)


def likeness(view: ReportView) -> Section | None:
    """One histogram a bi-encoder, all on the same axis."""
    if not view.likenesses:
        return None
    bins = _bins(np.concatenate(list(view.likenesses.values())))
    charts = tuple(_chart(label, found, bins, i) for i, (label, found) in enumerate(view.likenesses.items()))
    columns = tuple(Column(title, "count" if title == "examples" else "number") for title in ("examples", *_QUANTILES))
    rows = tuple((label, *_quantiles(found)) for label, found in view.likenesses.items())
    table = Table("likeness", "Cosine of the two documents of an example.", (Column("model"), *columns), rows)
    return Section("likeness", "Likeness of the two documents", _ABOUT, (Charts(charts), TableBlock(table)))


_QUANTILES = {"lowest": 0.0, "5 %": 0.05, "median": 0.5, "95 %": 0.95, "highest": 1.0}


def _quantiles(found: FloatArray) -> tuple[CellValue, ...]:
    return len(found), *(float(np.quantile(found, share)) for share in _QUANTILES.values())


def _bins(found: FloatArray) -> Bins:
    low = float(np.floor(10 * min(0.9, found.min())) / 10)
    return Bins(tuple(np.linspace(low, 1.0, _BINS + 1).tolist()), ((low, f"{low:.1f}"), (1.0, "1.0")))


def _chart(label: str, found: FloatArray, bins: Bins, number: int) -> Drawing:
    told = f"Median {float(np.median(found)):.3f}, from {found.min():.3f} to {found.max():.3f}"
    return histogram(f"chart-likeness-{number}", label, bins, {"cosine": bins.count(found)}, told, f"n={len(found):,}")
