from __future__ import annotations

import csv
import io
import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import CellValue, ColumnKind, UnitValue, show
from constraintsuite.core.records.formats import EXPORTED, FORMATS
from constraintsuite.core.records.formats.latex import escape
from constraintsuite.core.records.formats.text import text_parts
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table

TABLE = Table(
    "scores_by_kind",
    "Scores & such, 50 %.",
    (Column("kind"), Column("share", "share"), Column("count", "count"), Column("p", "p")),
    (
        ("a_b|c", Interval(0.5, 0.25, 0.75, 8), 1_234, 0.0004),
        ("−2 → 3", Interval(None, None, None, 0), None, 0.25),
    ),
)


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (Interval(0.5123, 0.4, 1.0, 1_234), "share", ("51.2", "40.0–100.0", "n=1,234")),
        (Interval(-0.01234, -2.0, 3.456, 7), "number", ("−0.0123", "−2 to 3.46", "n=7")),
        (Interval(0.031, -0.002, 0.05, 9), "points", ("+3.1", "−0.2 to +5.0", "n=9")),
        (Interval(2.0, None, None, 1), "number", ("2", "", "n=1")),
        (Interval(None, None, None, 0), "share", ("–", "", "n=0")),
        (12_345, "count", ("12,345", "", "")),
        (0.00099, "p", ("<0.001", "", "")),
        (0.0476, "p", ("0.048", "", "")),
        (None, "number", ("–", "", "")),
        ("word", "text", ("word", "", "")),
    ],
)
def test_numbers_are_printed_with_their_uncertainty(
    value: CellValue, kind: ColumnKind, shown: tuple[str, str, str]
) -> None:
    assert show(value, kind) == shown


def test_csv_gives_an_interval_four_columns_and_plain_numbers() -> None:
    assert TABLE.to_csv().splitlines() == [
        "kind,share,share low,share high,share n,count,p",
        "a_b|c,0.5,0.25,0.75,8,1234,0.0004",
        "−2 → 3,,,,0,,0.25",
    ]


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False), st.text()), min_size=1))
def test_csv_keeps_every_text_and_number(rows: list[tuple[str, float, str]]) -> None:
    table = Table("t", "", (Column("a"), Column("b", "number"), Column("c")), tuple(rows))
    _, *found = csv.reader(io.StringIO(table.to_csv(), newline=""))
    for (first, number, last), (a, b, c) in zip(rows, found, strict=True):
        assert float(b) == number
        for text, read in ((first, a), (last, c)):
            kept = text.replace("\r\n", "\n").replace("\r", "\n")
            assert read in (kept, f"'{kept}")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_csv_leaves_a_spreadsheet_nothing_to_compute(text: str) -> None:
    assert Table("t", "", (Column("a"),), ((text,),)).to_csv() in (f"a\n'{text}\n", f'a\n"\'{text}"\n')


def test_a_table_without_rows_has_its_columns() -> None:
    assert Table("t", "", (Column("a"), Column("b", "share")), ()).to_csv() == "a,b\n"


def test_markdown_escapes_pipes_and_names_the_caption() -> None:
    assert TABLE.to_markdown().splitlines() == [
        "| kind | share, % | count | p |",
        "| :-- | --: | --: | --: |",
        "| a_b\\|c | 50.0 (25.0–75.0), n=8 | 1,234 | <0.001 |",
        "| −2 → 3 | –, n=0 | – | 0.250 |",
        "",
        "Scores & such, 50 %.",
    ]


def test_latex_is_booktabs_with_n_in_the_caption() -> None:
    assert TABLE.to_latex().splitlines()[1:] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Scores \& such, 50 \%. n = 8.}",
        r"\label{tab:scores-by-kind}",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"kind & share, \% & count & p \\",
        r"\midrule",
        r"a\_b|c & 50.0 {\scriptsize (25.0–75.0)} & 1,234 & \textless{}0.001 \\",
        r"$-$2 $\to$ 3 & – & – & 0.250 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_latex_says_the_range_of_n() -> None:
    rows = (("a", Interval(0.5, 0.4, 0.6, 20)), ("b", Interval(0.5, 0.4, 0.6, 1_000)))
    assert "Given. n from 20 to 1,000." in Table("t", "Given.", (Column("a"), Column("b", "share")), rows).to_latex()


@given(st.text(alphabet="\\{}&%$#_~^<>ab \n−→"))
def test_no_special_character_of_latex_stays_bare(text: str) -> None:
    known = r"\\textbackslash\{\}|\\textasciitilde\{\}|\\textasciicircum\{\}|\\textless\{\}|\\textgreater\{\}"
    rest = re.sub(rf"{known}|\$-\$|\$\\to\$|\\[{{}}&%$#_]", "", escape(text))
    assert not set(rest) & set("\\{}&%$#_~^<>\n−→")


def test_json_says_what_the_columns_are() -> None:
    content = json.loads(TABLE.to_json())
    assert content["columns"][1] == {"title": "share", "kind": "share"}
    assert content["rows"] == TABLE.to_records()
    assert content["rows"][0]["share"] == {"value": 0.5, "low": 0.25, "high": 0.75, "n": 8}


def test_html_has_a_heading_for_every_row_and_says_a_common_n_once() -> None:
    html = TABLE.__html__()
    assert html.count('<th scope="row"') == 2
    assert html.count('<th scope="col"') == 4
    assert "<caption>Scores &amp; such, 50 %.</caption>" in html
    assert '<td class="share" data-order="0.5">50.0<br><small>25.0–75.0</small></td>' in html
    assert "<br><small>n=8</small></th>" in html
    different = Table("t", "", (Column("a"), *(Column(c, "share") for c in "bc")),
                      (("x", Interval(0.5, 0.4, 0.6, 8), Interval(0.5, 0.4, 0.6, 9)),))  # fmt: skip
    assert re.findall(r"n=\d", different.__html__()) == ["n=8", "n=9"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("dense:all-MiniLM-L6-v2,precision=int8", "dense:<wbr>all-MiniLM-L6-v2,<wbr>precision=int8"),
        ("cross:models/tiny_1", "cross:<wbr>models/<wbr>tiny_1"),
    ],
)
def test_html_breaks_a_name_only_between_its_parts(name: str, shown: str) -> None:
    assert f">{shown}<" in Table("t", "", (Column("model"),), ((name,),)).__html__()


def test_text_is_aligned_under_its_titles() -> None:
    assert str(TABLE).splitlines() == [
        "Scores & such, 50 %.",
        "",
        "kind                share, %  count       p",
        "──────  ────────────────────  ─────  ──────",
        "a_b|c   50.0 [25.0–75.0] n=8  1,234  <0.001",
        "−2 → 3                 – n=0      –   0.250",
    ]


def test_a_wide_table_comes_in_parts_that_all_have_the_first_column() -> None:
    parts = list(TABLE.parts(2))
    assert [[column.title for column in part.columns] for part in parts] == [["kind", "share", "count"], ["kind", "p"]]
    assert [row[0] for part in parts for row in part.rows] == ["a_b|c", "−2 → 3"] * 2
    assert parts[1].caption == "Scores & such, 50 %. Part 2 of 2."
    assert list(TABLE.parts(8)) == [TABLE]


def test_pandas_gets_the_columns_of_the_csv_file() -> None:
    pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert list(frame.columns) == ["kind", "share", "share low", "share high", "share n", "count", "p"]
    assert frame["share n"].tolist() == [8, 0]


def test_without_pandas_the_command_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match="pip install pandas"):
        TABLE.to_pandas()


@pytest.mark.parametrize("name", EXPORTED)
def test_every_exported_format_is_there_and_always_the_same(name: str) -> None:
    assert FORMATS.load(name)(TABLE) == FORMATS.load(name)(TABLE)
    assert FORMATS.load(name)(TABLE).endswith("\n")


def test_a_share_is_headed_in_per_cent_for_people_and_a_fraction_for_programs() -> None:
    table = Table("shares", "", (Column("what"), Column("right", "share")), (("all", 0.3409),))
    for text in (str(table), table.to_markdown(), table.to_latex().replace("\\", ""), table._repr_html_()):
        assert "right, %" in text
        assert "34.1" in text
    assert table.to_csv() == "what,right\nall,0.3409\n"
    assert table.to_records() == [{"what": "all", "right": 0.3409}]


def test_rows_of_several_kinds_each_say_their_unit() -> None:
    cells = UnitValue(Interval(0.3409, 0.3, 0.4, 8), "share"), UnitValue(0.02, "points"), UnitValue(None, "share")
    table = Table("mixed", "", (Column("value", "number"),), tuple((cell,) for cell in cells))
    assert str(table).splitlines()[4:] == [
        "34.1 % [30.0–40.0] n=8",
        "           +2.0 points",
        "                     –",
    ]
    assert [row["value"] for row in table.to_records()][1:] == [0.02, None]


def test_text_says_an_n_once_where_all_figures_of_each_row_share_it() -> None:
    columns = (Column("what"), Column("right", "share"), Column("gap", "number"))
    first, second = Interval(0.5, None, None, 8), Interval(2.0, 1.0, 3.0, 8)
    table = Table("shared", "", columns, (("all", first, second), ("none", second, second)))
    assert [line.split()[:2] for line in str(table).splitlines()[2:]][::2] == [["what", "n"], ["all", "8"]]
    assert "n=" not in str(table)
    apart = Table("apart", "", columns, (("all", first, Interval(2.0, 1.0, 3.0, 7)),))
    assert str(apart).splitlines()[-1] == "all   50.0 n=8  2 [1 to 3] n=7"


def test_a_heading_names_the_unit_for_people_alone() -> None:
    headings = [Column("x", kind).heading for kind in ("share", "points", "number")]
    assert headings == ["x, %", "x, points", "x"]
    table = Table("t", "", (Column("row"), Column("x", "points")), (("a", 0.021),))
    assert table.to_records() == [{"row": "a", "x": 0.021}]


def test_a_stacked_table_is_stacked_only_where_it_is_too_wide_and_an_n_of_all_stands_once() -> None:
    figure = Interval(0.25, 0.1, 0.4, 12)
    columns = (Column("mode"), *(Column(f"metric {n}", "share") for n in range(5)))
    wide = Table("wide", "A caption.", columns, (("one:two,three", *[figure] * 5),))
    narrow = Table("narrow", "A caption.", columns[:2], (("one", figure),))
    assert list(text_parts(narrow, stacked=True)) == [str(narrow)]
    (part,) = text_parts(wide, stacked=True)
    *_, first, second = part.splitlines()
    assert first.split() == ["one:two,three", "12", *["25.0"] * 5]
    assert second.split() == ["10.0–40.0"] * 5
