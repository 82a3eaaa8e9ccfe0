from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.files import read_contrasts
from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast, MarkedPair, RoleMark
from mechanism.contrasts.contrast_factory import exchange, swap


def test_contrasts_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "contrasts.jsonl"
    assert write_jsonl(file, [swap(), exchange()]) == 2
    assert read_contrasts(file) == [swap(), exchange()]


def _marked(*marks: RoleMark) -> MarkedContrast:
    return replace(swap(), better=MarkedPair(Marked("soups without cream", marks), Marked("a soup")))


@pytest.mark.parametrize(
    ("contrast", "message"),
    [
        (_marked(RoleMark(6, 99, "q_cue")), "better.query: a mark from 6 to 99 in 19 characters"),
        (_marked(RoleMark(3, 3, "q_cue")), "a mark from 3 to 3"),
        (_marked(RoleMark(0, 5, "d_cue")), "the role d_cue does not belong there"),
        (_marked(RoleMark(0, 5, "q_cue"), RoleMark(4, 8, "q_y")), "marks overlap or are not in order"),
        (replace(swap(), worse=MarkedPair(Marked(" "), Marked("a"))), "worse.query: it is empty"),
        (replace(swap(), aside=None), "aside and aside_corrupt go together"),
        (replace(swap(), better_corrupt=swap().better, worse_corrupt=swap().worse), "clean and corrupt are the same"),
    ],
)
def test_a_contrast_that_cannot_be_asked_is_refused(tmp_path: Path, contrast: MarkedContrast, message: str) -> None:
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, [exchange(), contrast])
    with pytest.raises(UserError, match=f"contrasts.jsonl:2: .*{message}"):
        read_contrasts(file)


def test_a_repeated_id_and_an_unknown_role_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, [swap(), swap()])
    with pytest.raises(UserError, match="2: the id 'swap' occurs twice"):
        read_contrasts(file)
    record = json.loads(file.read_text().splitlines()[0])
    record["better"]["query"]["marks"][0]["role"] = "verb"
    file.write_text(json.dumps(record) + "\n")
    with pytest.raises(UserError, match=r"1: better.query.marks.0.role"):
        read_contrasts(file)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(UserError, match="no contrast in it"):
        read_contrasts(tmp_path / "none.jsonl")
