"""Units and their ids: headings, lists, tables, code, and numbers that restart."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.ingest.blocks import read_blocks
from constraintsuite.memory.ingest.document import ParsedDocument, parse_source
from constraintsuite.memory.ingest.numbering import find_marker
from constraintsuite.memory.ingest.source import FrontMatter, SourceText


def parse(text: str, *, markdown: bool = True) -> ParsedDocument:
    source = SourceText(Path("d.md"), "0" * 64, tuple(text.split("\n")), FrontMatter())
    return parse_source(source, "d", markdown=markdown)


def texts(document: ParsedDocument) -> dict[str, str]:
    return {unit.id.removeprefix("d:"): unit.text for unit in document.units}


def parents(document: ParsedDocument) -> dict[str, str]:
    ids = [unit.id.removeprefix("d:") for unit in document.units]
    return {ids[at]: ids[place.parent] for at, place in enumerate(document.places) if place.parent is not None}


def test_a_plain_contract_has_the_ids_of_the_earlier_engine() -> None:
    document = parse("# Deal\n## Delivery\n1 The supplier shall deliver.\n2 The buyer shall pay.\n## End\n3 It ends.")
    assert texts(document) == {"1": "The supplier shall deliver.", "2": "The buyer shall pay.", "3": "It ends."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Wrapped over\ntwo lines.", {"p1": "Wrapped over two lines."}, id="wrapped paragraph"),
        pytest.param("1. Paid within\n30 days.\n2. Two", {"1": "Paid within 30 days.", "2": "Two"}, id="wrapped item"),
        pytest.param("2. Due in week\n   2. Then rest", {"2": "Due in week 2. Then rest"}, id="its number, wrapped"),
        pytest.param("3.2 A rate of\n3.2 percent.", {"3.2": "A rate of 3.2 percent."}, id="an amount, wrapped"),
        pytest.param("One.\n\nTwo.", {"p1": "One.", "p2": "Two."}, id="paragraphs"),
        pytest.param("1. One\n\n   More.\n2. Two", {"1": "One\nMore.", "2": "Two"}, id="second paragraph of an item"),
        pytest.param("1. a\n1. b\n1. c", {"1": "a", "2": "b", "3": "c"}, id="all numbered one"),
        pytest.param("Step 1: Go.\nStep 2: Stop.", {"1": "Go.", "2": "Stop."}, id="steps"),
        pytest.param("§ 5 The rule.\n\n§ 6 Another.", {"5": "The rule.", "6": "Another."}, id="section signs"),
        pytest.param("Section 4 applies here.", {"p1": "Section 4 applies here."}, id="a sentence, not a number"),
        pytest.param("2024 The year.", {"p1": "2024 The year."}, id="a year"),
        pytest.param("- a\n* b\n+ c\n• d", {"p1": "a", "p2": "b", "p3": "c", "p4": "d"}, id="bullets"),
        pytest.param("- [ ] open\n- [x] done", {"p1": "open", "p2": "done"}, id="boxes"),
        pytest.param("> Quoted\n> words.", {"p1": "Quoted words."}, id="quote"),
        pytest.param("**Bold** [link](http://x.org).", {"p1": "Bold link."}, id="inline marks"),
        pytest.param("One.\n\n---\n\nTwo.", {"p1": "One.", "p2": "Two."}, id="rule across the page"),
        pytest.param("", {}, id="empty"),
        pytest.param("# Only a heading", {}, id="heading alone"),
    ],
)
def test_lines_become_units(text: str, expected: dict[str, str]) -> None:
    assert texts(parse(text)) == expected


def test_a_list_may_count_beyond_a_thousand() -> None:
    document = parse("\n".join(f"{number}. Row." for number in range(1, 1003)) + "\n\n2031. That was a year.")
    assert list(texts(document))[-3:] == ["1001", "1002", "p1"]


def test_nested_numbers_are_joined() -> None:
    document = parse("3.2 The tenant shall:\n(a) pay;\n(b) clean:\n  (i) floors\n  (ii) windows\n(c) leave.\n3.3 End.")
    assert list(texts(document)) == ["3.2", "3.2.a", "3.2.b", "3.2.b.i", "3.2.b.ii", "3.2.c", "3.3"]
    assert parents(document) == {
        "3.2.a": "3.2",
        "3.2.b": "3.2",
        "3.2.b.i": "3.2.b",
        "3.2.b.ii": "3.2.b",
        "3.2.c": "3.2",
    }


def test_the_letter_i_follows_h() -> None:
    document = parse("1. List:\n(g) one\n(h) two\n(i) three\n(j) four")
    assert list(texts(document)) == ["1", "1.g", "1.h", "1.i", "1.j"]


def test_indented_lists_lie_in_their_item() -> None:
    document = parse("- a\n  - b\n    - c\n  - d\n- e")
    assert parents(document) == {"p2": "p1", "p3": "p2", "p4": "p1"}


def test_a_sentence_with_a_colon_holds_the_list_it_announces() -> None:
    assert parents(parse("Bring this:\n- rope\n- torch\n\nThen go.\n\n- apart")) == {"p2": "p1", "p3": "p1"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        pytest.param("# T\n## A\n1. x\n2. y\n## B\n1. z", ["1/1", "2", "2/1"], id="by the section's place"),
        pytest.param("Article 7 Fees\n\n1. x\n\nArticle 8 Term\n\n1. y", ["7/1", "8/1"], id="by its own number"),
        pytest.param("1. x\n2. y\n\nAgain.\n\n1. z", ["0/1", "2", "p1", "0b/1"], id="inside a section"),
        pytest.param("# 1 One\n1. x\n# Odd\n1. y", ["1/1", "2/1"], id="own numbers come before places"),
    ],
)
def test_numbers_that_restart_take_their_section_along(text: str, ids: list[str]) -> None:
    assert list(texts(parse(text))) == ids


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("3.1 Pay.\n3.2 Rest.\n\n3.2 Leave.", r"lines 2 and 4 are both numbered 3\.2", id="apart"),
        pytest.param("3.1 Pay.\n3.2 Rest.\n3.2 Leave.", r"lines 2 and 3 are both numbered 3\.2", id="tight"),
        pytest.param("1. One\n2. Two\n2. Again\n3. Three", r"lines 2 and 3 are both numbered 2\.", id="plain numbers"),
        pytest.param("1. one\n2. two\n2. again", r"lines 2 and 3 are both numbered 2\.", id="in lower case"),
        pytest.param("1 One\n2 Two\n2 Again", r"lines 2 and 3 are both numbered 2\.", id="bare"),
        pytest.param("Step 1: Go.\nStep 2: Stop.\nStep 2: Rest.", r"lines 2 and 3 are both numbered 2\.", id="steps"),
        pytest.param("1. One\n2. Two\n   - x\n2. Again", r"lines 2 and 4 are both numbered 2\.", id="bullets between"),
    ],
)
def test_a_number_given_twice_is_an_error_with_both_lines(text: str, said: str) -> None:
    with pytest.raises(UserError, match=rf"d\.md: {said}"):
        parse(text)


@pytest.mark.parametrize("inner", [1, 2, 3])
def test_a_tight_list_goes_on_behind_the_one_inside_its_item(inner: int) -> None:
    steps = "".join(f"   {number}. Part.\n" for number in range(1, inner + 1))
    document = parse(f"1. One\n{steps}2. Two")
    assert list(texts(document)) == ["1", *(f"1.{number}" for number in range(1, inner + 1)), "2"]


def test_the_first_paragraph_bears_the_number_of_its_heading() -> None:
    document = parse("## 4.2 Ending\nEither side may end it:\n(a) at once, or\n(b) later.\n\nMore.")
    assert list(texts(document)) == ["4.2", "4.2.a", "4.2.b", "p1"]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n## B\n### C\nx\n## D\ny", [("A", "B", "C"), ("A", "D")]),
        ("Top\n===\nx\n\nSub\n---\ny", [("Top",), ("Top", "Sub")]),
        ("# A\n3. Payment\n3.1 Pay now.", [("A", "3 Payment")]),
        ("TERMS OF USE\n\nBe kind.", [("TERMS OF USE",)]),
        ("**Scope**\n\nAll of it.", [("Scope",)]),
    ],
)
def test_headings_stand_above_their_units(text: str, headings: list[tuple[str, ...]]) -> None:
    assert [unit.headings for unit in parse(text).units] == headings


def test_a_row_is_a_unit_with_its_header_as_context() -> None:
    document = parse("| Level | Wait |\n|---|:--|\n| P1 | 5 min |\n| P2 | a \\| b |")
    assert [(unit.text, unit.headings) for unit in document.units] == [
        ("P1 | 5 min", ("Level | Wait",)),
        ("P2 | a | b", ("Level | Wait",)),
    ]


def test_numbered_rows_bear_their_numbers() -> None:
    assert list(texts(parse("No. | What\n---|---\n1 | x\n2 | y"))) == ["1", "2"]


def test_code_is_kept_whole_and_lies_in_its_step() -> None:
    document = parse("1. Run:\n   ```sh\n   # no heading\n   1. no item\n\n   end\n   ```\n2. Done")
    assert texts(document) == {"1": "Run:", "p1": "# no heading\n1. no item\n\nend", "2": "Done"}
    assert parents(document) == {"p1": "1"}


def test_lines_are_those_of_the_file() -> None:
    document = parse("# T\n\n1. one\n   more\n\n2. two")
    assert [unit.lines for unit in document.units] == [(3, 4), (6, 6)]


def test_a_paragraph_without_end_is_cut_between_sentences() -> None:
    document = parse("The lamp is lit at dusk. " * 200)
    assert len(document.units) > 4
    assert all(unit.text.endswith("dusk.") and len(unit.text) <= 1_000 for unit in document.units)


def test_the_rest_of_a_long_item_lies_in_it() -> None:
    document = parse("1. " + "The lamp is lit at dusk. " * 80 + "\n2. End")
    assert list(texts(document)) == ["1", "p1", "2"]
    assert parents(document) == {"p1": "1"}


def test_the_title_is_the_heading_with_which_the_file_begins() -> None:
    assert parse("# Rules\n\nx").title == "Rules"
    assert parse("x\n\n# Rules\n\ny").title == "d"


@pytest.mark.parametrize(
    ("line", "style", "value"),
    [
        ("1. x", "number", "1"),
        ("12) x", "number", "12"),
        ("3.2.1 x", "dotted", "3.2.1"),
        ("(iv) x", "roman", "iv"),
        ("(b) x", "letter", "b"),
        ("(3) x", "bracketed", "3"),
        ("Annex B – Fees", "named", "B"),
        ("Article 3: x", "named", "3"),
        ("§ 5 X", "named", "5"),
        ("4 The x", "bare", "4"),
        ("- x", "bullet", ""),
    ],
)
def test_markers(line: str, style: str, value: str) -> None:
    marker = find_marker(line)
    assert marker is not None
    assert (marker.style, marker.value) == (style, value)


@pytest.mark.parametrize("line", ["10:30 start", "1990s music", "e.g. this", "-5 degrees", "3.5kg", "Clause 7 applies"])
def test_what_is_no_marker(line: str) -> None:
    assert find_marker(line) is None


@pytest.mark.parametrize(
    "numeral", ["ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xiv", "xix", "xxiv", "xl", "xlix", "li", "lxix"]
)
def test_roman_numerals_are_read(numeral: str) -> None:
    marker = find_marker(f"({numeral}) x")
    assert marker is not None
    assert (marker.style, marker.value) == ("roman", numeral)


@pytest.mark.parametrize("line", ["(iiv) x", "(xxxx) x", "vv. x", "(xlx) x", "(lxxxviii) x"])
def test_letters_that_are_no_roman_numeral_are_none(line: str) -> None:
    assert find_marker(line) is None


LINES = st.lists(
    st.sampled_from(
        [
            "1. a",
            "2. b",
            "(a) c",
            "(i) d",
            "- e",
            "  - f",
            "# G",
            "",
            "text",
            "| a | b |",
            "|---|---|",
            "```",
            "> q",
            "3.1 h",
        ]
    )
    | st.text(max_size=20).filter(lambda line: "\n" not in line and "\r" not in line),
    max_size=30,
)


@given(LINES)
def test_blocks_lie_in_order_and_inside_the_file(lines: list[str]) -> None:
    blocks = list(read_blocks(lines, markdown=True))
    assert all(1 <= block.first <= block.last <= len(lines) for block in blocks)
    assert all(before.last <= after.first for before, after in pairwise(blocks))


@given(LINES)
def test_any_text_gives_unique_ids_or_an_error_that_names_lines(lines: list[str]) -> None:
    try:
        document = parse("\n".join(lines))
    except UserError as error:
        assert "are both numbered" in str(error)
        return
    ids = [unit.id for unit in document.units]
    assert len(set(ids)) == len(ids)
    assert all(place.parent is None or place.parent < at for at, place in enumerate(document.places))


@given(st.lists(st.sampled_from(["lorem", "ipsum", "dolor", "sit", "amet"]), min_size=1, max_size=40))
def test_no_word_of_a_paragraph_is_lost(words: list[str]) -> None:
    lines = [" ".join(words[at : at + 4]) for at in range(0, len(words), 4)]
    (unit,) = parse("\n".join(lines)).units
    assert unit.text.split() == words
