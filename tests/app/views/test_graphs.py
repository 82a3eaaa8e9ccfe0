"""What is shown of a memory, and the searches that need no model."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.memory.search import search
from constraintsuite.app.pages.walks.page import render_walk
from constraintsuite.app.views.display import ShowOptions
from constraintsuite.app.views.memory.graphs import PLAIN, SHOWN_DOCUMENTS, search_memory, show_graph
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.sections import Remarks
from constraintsuite.memory.folder import open_memory, write_memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.runs.modes import ALIASES
from memory.tiny_parts import part

PARTS = [
    part(
        "lease", ["late rent means a penalty", "see the notice"], [("lease:2", "notice:1", "refers_to")], [(1, "acme")]
    ),
    part("notice", ["fourteen days", "acme may end it"], [], [(2, "acme")]),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_memory(tmp_path / "graph", PARTS, name="papers").path


def test_documents_and_what_joins_them(folder: Path) -> None:
    shown = show_graph([folder], ShowOptions())
    tables = {table.name: table for section in shown.sections for table in section.tables()}
    assert shown.head.title == "papers"
    assert shown.head.about == "2 documents, 4 units, 1 entities."
    assert tables["documents"].rows == (("lease", "Lease", 2), ("notice", "Notice", 2))
    assert tables["edges"].rows == (("mentions", 2), ("refers_to", 1))
    assert tables["most_named"].rows == (("acme", 2),)


def test_edges_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    folder = write_memory(tmp_path / "graph", PARTS[:1], name="half").path
    (said,) = [
        block
        for one in show_graph([folder], ShowOptions()).sections
        for block in one.blocks
        if isinstance(block, Remarks)
    ]
    assert said.sentences == ("1 edges lead to documents that are not in this memory.",)


@pytest.mark.parametrize("mode", sorted(set(MODES.names()) - ALIASES.keys()))
def test_a_mode_is_offered_if_it_answers_without_a_model(folder: Path, mode: str) -> None:
    memory = open_memory(folder)
    if mode in PLAIN:
        assert search_memory(memory, "penalty", mode, 3).nodes[0].id == "lease:1"
    else:
        with pytest.raises(UserError):
            search_memory(memory, "penalty", mode, 3)


def test_the_picture_is_that_of_the_command(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "walk.html"
    asked = ["penalty of acme", "--mode", "ppr", "--budget", "3", "--html", str(page)]
    assert CliRunner().invoke(search, [str(folder), *asked]).exit_code == 0
    assert render_walk(search_memory(open_memory(folder), "penalty of acme", "ppr", 3)) == page.read_text(
        encoding="utf-8"
    )


def test_a_long_list_of_documents_has_an_end(tmp_path: Path) -> None:
    many = [part(f"d{number:03d}", ["a paragraph"]) for number in range(SHOWN_DOCUMENTS + 1)]
    shown = show_graph([write_memory(tmp_path / "graph", many, name="many").path], ShowOptions())
    (table,) = shown.sections[0].tables()
    assert (len(table), table.caption) == (SHOWN_DOCUMENTS, f"The first {SHOWN_DOCUMENTS} of {SHOWN_DOCUMENTS + 1}.")


def test_the_site_does_not_say_what_was_confirmed() -> None:
    assert not any("Here nothing was" in about for about in PLAIN.values()), "it reads no state, so it cannot know"
