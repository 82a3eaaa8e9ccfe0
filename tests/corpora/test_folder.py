from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.folder import FolderSource
from constraintsuite.corpora.passages import FilePassage, cut_passages
from constraintsuite.text.sentences import split_sentences

PARAGRAPHS = st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=5), max_size=6)


def cut(text: str, words: int = 90, *, markdown: bool = True) -> list[FilePassage]:
    return list(cut_passages(text.splitlines(), words, markdown=markdown))


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("One line.\nAnd its end.", [FilePassage("", "One line. And its end.")]),
        ("One.\n\nTwo.", [FilePassage("", "One.\n\nTwo.")]),
        ("# A\none\n## B ##\ntwo", [FilePassage("A", "one"), FilePassage("B", "two")]),
        ("Setext\n======\none\n\nLower\n---\ntwo", [FilePassage("Setext", "one"), FilePassage("Lower", "two")]),
        ("# Same\none\n# Same\ntwo", [FilePassage("Same", "one"), FilePassage("Same", "two")]),
        ("# Empty\n## Full\none", [FilePassage("Full", "one")]),
        ("## **Bold**\none", [FilePassage("Bold", "one")]),
        ("# About C#\none\n#\ntwo", [FilePassage("About C#", "one"), FilePassage("", "two")]),
        ("#nospace\none", [FilePassage("", "#nospace one")]),
        ("Eats:\n- apples\n- pears\n  and plums", [FilePassage("", "Eats:\n\n- apples\n- pears\n  and plums")]),
        ("```sh\n# no heading\n\nls\n```\nafter", [FilePassage("", "# no heading\n\nls\n\nafter")]),
        ("one\n\n* * *\n\ntwo", [FilePassage("", "one\n\ntwo")]),
        ("---\ntitle: x\n---\none", [FilePassage("", "one")]),
        ("---\none", [FilePassage("", "one")]),
        ("", []),
    ],
)
def test_markdown_is_cut_at_headings(text: str, passages: list[FilePassage]) -> None:
    assert cut(text) == passages


def test_plain_text_has_no_headings() -> None:
    assert cut("# one\ntwo\n---\nthree", markdown=False) == [FilePassage("", "# one two --- three")]


def test_paragraphs_are_joined_only_as_far_as_they_fit() -> None:
    assert [passage.text for passage in cut("a b c\n\nd e\n\nf", words=5)] == ["a b c\n\nd e", "f"]


def test_a_long_paragraph_is_cut_between_sentences_and_begins_a_passage() -> None:
    text = "Short one.\n\nIt rains. Dr. Ames stays in. She reads."
    assert [passage.text for passage in cut(text, words=6)] == [
        "Short one.",
        "It rains. Dr. Ames stays in.",
        "She reads.",
    ]


def test_a_sentence_that_is_too_long_stands_alone() -> None:
    text = "It rains. This single sentence has far too many words. So what."
    expected = ["It rains.", "This single sentence has far too many words.", "So what."]
    assert [passage.text for passage in cut(text, words=4)] == expected


def test_a_long_list_is_cut_between_its_items() -> None:
    text = "- one two three\n- four five\n- six seven"
    assert [passage.text for passage in cut(text, words=6)] == ["- one two three", "- four five\n- six seven"]


@given(paragraphs=PARAGRAPHS, words=st.integers(1, 20))
def test_no_word_is_lost_and_no_passage_too_long(paragraphs: list[list[int]], words: int) -> None:
    sentences = [[" ".join(["Word", *["word"] * (length - 1)]) + "." for length in lengths] for lengths in paragraphs]
    text = "\n\n".join(" ".join(sentence) for sentence in sentences)
    passages = cut(text, words)
    assert " ".join(passage.text for passage in passages).split() == text.split()
    assert all(len(p.text.split()) <= words or len(split_sentences(p.text)) == 1 for p in passages)


def test_files_become_passages_with_path_and_title(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "guide.md").write_text("intro\n# Install\nrun it\n\n" + "word " * 10)
    (tmp_path / "a.txt").write_text("plain")
    (tmp_path / "picture.png").write_bytes(b"\xff")
    source = FolderSource(SourceSettings(source=str(tmp_path), passage_words=10))
    assert list(source.documents(BadRows())) == [
        Document("a.txt#1", "plain", "a"),
        Document("b/guide.md#1", "intro", "guide"),
        Document("b/guide.md#2", "run it", "Install"),
        Document("b/guide.md#3", " ".join(["word"] * 10), "Install"),
    ]


def test_hidden_files_and_links_that_lead_outside_are_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "x.md").write_text("hidden")
    (tmp_path / "secret.md").write_text("outside")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "in.md").write_text("inside")
    source = FolderSource(SourceSettings(source=str(root)))
    assert [document.id for document in source.documents(BadRows())] == ["in.md#1"]


def test_one_file_is_a_source_too(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("one")
    source = FolderSource(SourceSettings(source=str(tmp_path / "notes.md")))
    assert list(source.documents(BadRows())) == [Document("notes.md#1", "one", "notes")]


def test_a_line_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\ncaf\xe9\nthree\n")
    bad = BadRows(skip=True)
    documents = list(FolderSource(SourceSettings(source=str(tmp_path))).documents(bad))
    assert [document.text for document in documents] == ["one three"]
    assert [row.where for row in bad.rows] == [f"{tmp_path / 'a.md'}:2"]


def test_the_fingerprint_follows_names_and_length_of_passages(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one")
    short = FolderSource(SourceSettings(source=str(tmp_path), passage_words=50)).fingerprint()
    assert short != FolderSource(SourceSettings(source=str(tmp_path))).fingerprint()
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert short != FolderSource(SourceSettings(source=str(tmp_path), passage_words=50)).fingerprint()


def test_a_folder_without_prose_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file in this folder ends in \.md"):
        FolderSource(SourceSettings(source=str(tmp_path)))
