"""The files of a report lie in its folder, whatever its tables and pictures are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.page import Masthead, write_files, write_plots
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.sections import Charts, Section
from constraintsuite.core.records.tables import Column, Table

PATHS = ["../up", "a/b", "a\\b", "/root", "..", ".hidden", "", "nul\0"]


def section(name: str) -> Section:
    table = Table(name, "", (Column("a"),), (("b",),))
    return Section("s", "S", "", (table, Charts((Drawing(name, "T", "", 9, 9, ""),))))


@pytest.mark.parametrize("name", PATHS)
def test_a_name_that_is_a_path_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot be the name of a file"):
        write_files(tmp_path / "in", Masthead("T", "k", ""), [section("good"), section(name)])
    with pytest.raises(UserError, match="cannot be the name of a file"):
        write_plots(tmp_path / "in", [section("good"), section(name)])
    assert list(tmp_path.iterdir()) == []


def test_other_names_are_files(tmp_path: Path) -> None:
    assert write_files(tmp_path, Masthead("T", "k", ""), [section("a b_k10 (x).y")]) == 1
    write_plots(tmp_path, [section("a b_k10 (x).y")])
    assert (tmp_path / "tables" / "a b_k10 (x).y.csv").is_file()
    assert (tmp_path / "plots" / "a b_k10 (x).y.svg").is_file()
