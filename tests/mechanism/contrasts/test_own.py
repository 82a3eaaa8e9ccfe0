from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.files import (
    PlainContrast,
    mark_plain,
    read_either,
)
from mechanism.contrasts.contrast_factory import exchange, shown, swap


def test_marks_are_found_from_plain_words() -> None:
    contrast = swap()
    assert shown(contrast.better.query) == [("without", "q_cue"), ("cream", "q_y")]
    assert shown(contrast.better_corrupt.query) == [("with", "q_cue"), ("cream", "q_y")]
    assert shown(contrast.better.text) == [("no", "d_cue"), ("cream", "d_y")]
    assert contrast.side == "query"
    assert contrast.better_corrupt.text == contrast.better.text


def test_where_the_query_stays_the_texts_are_what_differs() -> None:
    contrast = exchange()
    assert contrast.side == "document"
    assert contrast.better == contrast.worse_corrupt
    assert contrast.aside is not None
    assert contrast.aside.query.text == "rye bread"


def test_singular_and_plural_are_one_thing() -> None:
    contrast = mark_plain(PlainContrast("any", "pie without nuts", "a nut pie", "pie", "pie with nuts", y=("nuts",)))
    assert shown(contrast.better.text) == [("nut", "d_y")]


def test_a_cluster_decides_the_half_unless_it_is_given() -> None:
    def half(cluster: str, seed: int = 0, given: str | None = None) -> str:
        plain = PlainContrast("any", "a", "b", "c", "d", cluster=cluster, half=given)  # type: ignore[arg-type]
        return mark_plain(plain, seed).half

    assert {half(str(i)) for i in range(20)} == {"find", "check"}
    assert half("one") == half("one")
    assert {half("one", given="find"), half("one", given="check")} == {"find", "check"}


def test_a_file_of_plain_contrasts(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    lines = [
        {
            "id": "1",
            "query": "soup without cream",
            "query_corrupt": "soup with cream",
            "better": "leeks",
            "worse": "cream",
        },
        {"id": "2", "query": "soup without nuts", "better": "no nuts", "worse": "nuts", "better_corrupt": "nuts"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert [one.side for one in read_either(file)] == ["query", "document"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "1", "query": "a", "better": "b", "worse": "c"}, "1: clean and corrupt are the same"),
        ({"id": "1", "query": "a", "better": "b"}, "1: worse: "),
        ({"id": "1", "query": "a", "better": " ", "worse": "c", "query_corrupt": "d"}, "1: better.text: it is empty"),
    ],
)
def test_a_line_that_does_not_fit_is_told(tmp_path: Path, line: dict[str, str], message: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps(line))
    with pytest.raises(UserError, match=message):
        read_either(file)


def test_a_file_of_either_form_is_read(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.jsonl", tmp_path / "marked.jsonl"
    line = {"id": "1", "query": "a", "query_corrupt": "d", "better": "b", "worse": "c", "split": "test"}
    plain.write_text(json.dumps(line))
    write_jsonl(marked, read_either(plain))
    assert read_either(plain) == read_either(marked)
    assert read_either(plain)[0].split == "test"


def test_both_examples_of_the_documents_are_the_same_contrast(tmp_path: Path) -> None:
    """The marked one is spread over lines there, to be read."""
    text = (Path(__file__).parents[3] / "docs" / "mechanism.md").read_text(encoding="utf-8")
    plain, marked = (tmp_path / name for name in ("plain.jsonl", "marked.jsonl"))
    for file, block in zip((plain, marked), re.findall(r"```json\n(.*?)```", text, re.DOTALL), strict=True):
        file.write_text(json.dumps(json.loads(block)), encoding="utf-8")
    assert read_either(plain) == read_either(marked)


def test_a_line_of_neither_form_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "x"}\n')
    with pytest.raises(UserError, match=r"mine\.jsonl:1: this is not a contrast\. A plain one has id, query"):
        read_either(file)


def test_a_first_line_that_is_no_record_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text("no record\n")
    with pytest.raises(UserError, match=r"mine\.jsonl:1: "):
        read_either(file)
