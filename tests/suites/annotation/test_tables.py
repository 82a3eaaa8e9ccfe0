"""Tables for spreadsheets."""

from __future__ import annotations

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.tables import harmless, plain, read_csv, read_models, write_csv


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", '=HYPERLINK("http://x")', " =1+1"),
        *("plain;=1+1", "plain; =1+1", 'plain;"=1+1"', "plain\t@SUM(A1)", "one line\n=1+1", "one\r\n-1", ";;＝1"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_cell_is_a_formula_whatever_the_reader_takes_for_a_border(tmp_path: Path, cell: str, delimiter: str) -> None:
    write_csv(tmp_path / "t.csv", ("row", "a"), [{"row": "1", "a": cell}])
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        seen = [each for row in csv.reader(file, delimiter=delimiter) for each in row]
    assert not [each for each in seen if each.lstrip(' "').startswith(tuple("=+-@＝＋－＠"))]
    assert read_csv(tmp_path / "t.csv", ())[1][0].cells["a"] == cell.strip().replace("\r\n", "\n")


def test_words_are_left_as_they_are() -> None:
    text = "Rent - if late - is 'owed'; the 'rest' is not, and 1 + 1 = 2.\n\nSee e-mail; a=b."
    assert harmless(text) == text


@given(st.text() | st.text("=-;\t\n\r'\" a"))
def test_making_harmless_can_be_undone(cell: str) -> None:
    assert plain(harmless(cell)) == cell


texts = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), min_size=1)
    .map(str.strip)
    .filter(bool)
)


@given(st.lists(st.tuples(texts, texts), min_size=1))
def test_a_table_is_read_as_it_was_written(rows: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "t.csv"
        write_csv(file, ("a", "b"), [{"a": a, "b": b} for a, b in rows])
        assert [(row.cells["a"], row.cells["b"]) for row in read_csv(file, ("a", "b"))[1]] == rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spreadsheets_of_all_languages_are_read(tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(
        b"\xef\xbb\xbf" + f'a{delimiter}b\r\n"1\r\n2"{delimiter}x\r\n{delimiter}\r\n3{delimiter}y\r\n'.encode()
    )
    columns, rows = read_csv(file, ("a",))
    assert columns == ("a", "b")
    assert [(row.line, row.cells["a"]) for row in rows] == [(2, "1\n2"), (5, "3")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the columns a are missing; there are: none"),
        (b"b,c\n1,2\n", "the columns a are missing; there are: b, c"),
        (b"a,a\n1,2\n", "two columns have the same name"),
        (b"a\n1,2\n", ":2: 2 cells under 1 columns"),
        (b'a\n"1\n', ":2: unexpected end of data"),
        (b"a\n\xff\n", "this is not UTF-8"),
    ],
)
def test_a_broken_table_is_told_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError) as error:
        read_csv(tmp_path / "t.csv", ("a",))
    assert said in str(error.value)


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("hours of work")
    with pytest.raises(UserError, match="may hold somebody's work"):
        write_csv(tmp_path / "t.csv", ("a",), [])
    assert (tmp_path / "t.csv").read_text() == "hours of work"


class Plant(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    height: int = 0


def test_all_rows_that_do_not_fit_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,height\noak,tall\n,3\nfern,1\n")
    with pytest.raises(UserError) as error:
        read_models(tmp_path / "t.csv", Plant, "name")
    assert ":2: height: " in str(error.value)
    assert ":3: name: " in str(error.value)


def test_a_misspelt_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,heigth\noak,3\n")
    with pytest.raises(UserError, match=r"unknown columns, perhaps misspelt: heigth\. There are: name, height\."):
        read_models(tmp_path / "t.csv", Plant, "name")
