"""LaTeX with booktabs, for a paper."""

from __future__ import annotations

import re

from constraintsuite.core.records.figures import PrintedFigure
from constraintsuite.core.records.tables import Table, counts_of

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "→": r"$\to$",
    "✓": "yes",
    "✗": "no",
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPES)))


def latex_table(table: Table) -> str:
    """A floating table whose caption ends with the n of its figures."""
    kinds = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{escape(' '.join([table.caption, _counts(table)]).strip())}}}",
        f"\\label{{tab:{re.sub(r'[^A-Za-z0-9-]+', '-', table.name)}}}",
        f"\\begin{{tabular}}{{{kinds}}}",
        "\\toprule",
        _line([escape(column.heading) for column in table.columns]),
        "\\midrule",
        *(_line([_cell(figure) for figure in row]) for row in table.figures()),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """The text on one line, with the special characters of LaTeX escaped."""
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], " ".join(text.split()))


def _cell(figure: PrintedFigure) -> str:
    return escape(figure.value) + (f" {{\\scriptsize ({escape(figure.bounds)})}}" if figure.bounds else "")


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + " \\\\"


def _counts(table: Table) -> str:
    counts = sorted({n for row in table.rows for n in counts_of(row) if n})
    if not counts:
        return ""
    return f"n = {counts[0]:,}." if len(counts) == 1 else f"n from {counts[0]:,} to {counts[-1]:,}."
