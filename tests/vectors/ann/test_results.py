"""A run as it is read: it may come from somebody else, and no name in it leads out of its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ann.made_runs import made, made_run
from constraintsuite.app.pages.drawings.plot import draw_charts
from constraintsuite.app.pages.page import Masthead, write_files, write_plots
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.revisions import Revision
from constraintsuite.vectors.ann.results import CELLS, KIND, RUN, load_ann_run
from constraintsuite.vectors.ann.sections import ann_sections

OUTSIDE = "../../../escaped"


def saved(folder: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """A finished run of one cell, whose two records were edited before it was sealed."""
    run = made_run(folder, [made("a", 0.9, 10)])
    cell = folder / CELLS / f"{run.cells[0].key}.json"
    write_json(cell, run.cells[0])
    write_json(folder / RUN, run.facts)
    facts, record = (json.loads(file.read_text()) for file in (folder / RUN, cell))
    edit(facts, record)
    (folder / RUN).write_text(json.dumps(facts))
    cell.write_text(json.dumps(record))
    finish(folder, ArtifactOrigin(KIND, "made", {}, {}, 0, Revision(1)), {"cells": 1}, {}, 0.0)
    return folder


def test_a_run_that_nobody_edited_is_read(tmp_path: Path) -> None:
    assert len(load_ann_run(saved(tmp_path, lambda _, __: None)).cells) == 1


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda _, cell: cell["point"].update(data=OUTSIDE), "point.data"),
        (lambda _, cell: cell["point"].update(name="a/b"), "point.name"),
        (lambda _, cell: cell.update(key=OUTSIDE), "key"),
        (lambda _, cell: cell.update(key="another"), "the key inside is 'another'"),
        (lambda facts, _: facts["data"][0].update(name="a\\b"), "data.0.name"),
        (lambda facts, _: facts["keys"].append(OUTSIDE), "keys.1"),
        (lambda facts, _: facts["ranking_keys"].append(".hidden"), "ranking_keys.0"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(
    tmp_path: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None], words: str
) -> None:
    with pytest.raises(UserError, match=words.replace(".", r"\.")):
        load_ann_run(saved(tmp_path, edit))


def test_a_report_writes_nothing_outside_its_folder(tmp_path: Path) -> None:
    cell = made("a", 0.9, 10)
    run = made_run(tmp_path / "run", [replace(cell, point=replace(cell.point, data=OUTSIDE))])
    out = tmp_path / "deep" / "er" / "report"
    out.mkdir(parents=True)
    elsewhere = replace(run, facts=replace(run.facts, data=(replace(run.facts.data[0], name=OUTSIDE),)))
    sections = list(map(draw_charts, ann_sections([elsewhere])))
    write_files(out, Masthead("made", "vector search", ""), sections)
    write_plots(out, sections)
    outside = [file for file in tmp_path.rglob("*escaped*") if not file.is_relative_to(out)]
    assert outside == []
    assert list((out / "plots").glob("*escaped*"))
