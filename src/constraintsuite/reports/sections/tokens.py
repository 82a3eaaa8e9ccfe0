"""Which words a late-interaction model matches (the NevIR paper's appendix D)."""

from __future__ import annotations

from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.heatmap import heat_map
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "Columns are tokens of the query, rows those of a document; the darker, the more alike. A frame marks the best "
    "match of each query token: the score is their sum. A word of the constraint whose column matches some other word is not heard."
)


def tokens(view: ReportView) -> Section | None:
    """One heat map for each query and document that was asked for."""
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
    columns = (*(Column(title) for title in titles), Column("similarity", "number"))
    table = Table("tokens", "The best match of each token of the query.", columns, rows)
    return Section("tokens", "Token by token", _ABOUT, (Charts(charts), TableBlock(table, "Best matches as a table")))
