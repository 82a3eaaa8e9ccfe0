"""A table as data, which can be written as a page, LaTeX, Markdown, CSV or JSON, or shown in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import CellValue, ColumnKind, PrintedFigure, plain, show
from constraintsuite.core.records.formats import FORMATS
from constraintsuite.core.records.scores import Interval

T = TypeVar("T")
TableRows = tuple[tuple[CellValue, ...], ...]
ItemColumns = Mapping[str, tuple[ColumnKind, Callable[[T], CellValue]]]
"""The columns of a table by title: how its values are shown, and a function that gives the value of an item."""
TableRecord = dict[str, Any]
"""A row by column title. An interval is `{"value", "low", "high", "n"}`; shares lie between 0 and 1."""


@dataclass(frozen=True)
class Column:
    """The title of a column, and how its values are shown."""

    title: str
    kind: ColumnKind = "text"

    @property
    def heading(self) -> str:
        """The title with its unit, for people. Files for programs have fractions under the bare title."""
        return self.title + {"share": ", %", "points": ", points"}.get(self.kind, "")


def columns(kind: ColumnKind, *titles: str) -> tuple[Column, ...]:
    """Several columns of one kind."""
    return tuple(Column(title, kind) for title in titles)


@dataclass(frozen=True)
class Table:
    """Rows under named columns; the first column names the row."""

    kind: ClassVar[str] = "table"
    name: str
    """The name of the files it is written to, without their ending."""
    caption: str
    columns: tuple[Column, ...]
    rows: TableRows
    long: bool = False
    """Whether it is too long to read. It is then written in the formats for programs only."""
    fold: str = ""
    """The title under which a page folds it away; empty if the page shows it at once."""

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return FORMATS.load("text")(self).rstrip("\n")

    def __html__(self) -> str:
        """HTML for a page whose stylesheet defines the classes."""
        return FORMATS.load("html")(self)

    _repr_html_ = __html__

    def to_csv(self) -> str:
        """Comma-separated values; an interval takes four columns."""
        return FORMATS.load("csv")(self)

    def to_markdown(self) -> str:
        """The table in Markdown, with pipes between columns."""
        return FORMATS.load("markdown")(self)

    def to_latex(self) -> str:
        """A table for the package booktabs."""
        return FORMATS.load("latex")(self)

    def to_json(self) -> str:
        """JSON with the caption and the kinds of columns."""
        return FORMATS.load("json")(self)

    def to_records(self) -> list[TableRecord]:
        """One dictionary per row, with plain numbers."""
        titles = [column.title for column in self.columns]
        return [dict(zip(titles, map(_record, row), strict=True)) for row in self.rows]

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is not a dependency, so its types are not there
        """A data frame with the columns of the CSV file."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise UserError("pandas is not installed: pip install pandas") from None
        return pandas.DataFrame(list(flat(self)))

    def figures(self) -> list[list[PrintedFigure]]:
        """The values of each row as text for people."""
        return [[show(value, c.kind) for value, c in zip(row, self.columns, strict=True)] for row in self.rows]

    def parts(self, most: int) -> Iterator[Table]:
        """The table cut into pieces that each have the first column and at most `most` others, so that each fits a page."""
        starts = range(1, max(2, len(self.columns)), most)
        for number, start in enumerate(starts, 1):
            chosen = slice(start, start + most)
            caption = f"{self.caption} Part {number} of {len(starts)}." if len(starts) > 1 else self.caption
            rows = tuple((row[0], *row[chosen]) for row in self.rows)
            yield replace(self, caption=caption, columns=(self.columns[0], *self.columns[chosen]), rows=rows)


def tabulate(name: str, caption: str, items: Iterable[T], columns: ItemColumns[T]) -> Table:
    """A table with one row per item."""
    shown = tuple(Column(title, kind) for title, (kind, _) in columns.items())
    rows = (tuple(value(item) for _, value in columns.values()) for item in items)
    return Table(name, caption, shown, tuple(rows))


def count_table(name: str, caption: str, counts: Mapping[str, int]) -> Table:
    """A table with one row per name and its count."""
    return Table(name, caption, (Column(name.replace("_", " ")), Column("count", "count")), tuple(counts.items()))


def counts_of(row: tuple[CellValue, ...]) -> list[int]:
    """The n of each interval in a row."""
    return [value.n for value in map(plain, row) if isinstance(value, Interval)]


def flat(table: Table) -> Iterator[dict[str, str | float | int | None]]:
    """Each row as plain values by title. A column of intervals becomes four columns: value, low, high and n."""
    spread = [any(isinstance(plain(row[i]), Interval) for row in table.rows) for i in range(len(table.columns))]
    for row in table.rows:
        fields: dict[str, str | float | int | None] = {}
        for column, value, is_spread in zip(table.columns, map(plain, row), spread, strict=True):
            if isinstance(value, Interval) or is_spread:
                found = value if isinstance(value, Interval) else Interval(None, None, None, 0)
                ends = {"low": found.low, "high": found.high, "n": found.n}
                fields[column.title] = found.value
                fields |= {f"{column.title} {end}": number for end, number in ends.items()}
            else:
                fields[column.title] = value
        yield fields


def _record(cell: CellValue) -> object:
    value = plain(cell)
    if isinstance(value, Interval):
        return {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
    return value
