from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import constraintsuite
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.yaml_files import MAX_DEPTH, parse_yaml, read_package_yaml, read_yaml, read_yaml_items
from constraintsuite.experiments.policy import Policy
from core.store.bad_yaml import BAD

PACKAGE = Path(constraintsuite.__file__).parent


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a: 1\nb: [x, y]\n", {"a": 1, "b": ["x", "y"]}),
        ("\ufeffa: 0x10\n", {"a": 16}),
        ("a: 2026-03-01\nb: 1.5\n", {"a": date(2026, 3, 1), "b": 1.5}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}\n", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH, json.loads("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH)),
        ('a: "x\\ty\\n"\n', {"a": "x\ty\n"}),
        ("=: 1\n'yes': 2\ntrue: 3\n~: 4\n", {"=": 1, "yes": 2, True: 3, None: 4}),
        ("", None),
    ],
    ids=["plain", "byte order mark", "date", "merge", "deep", "line breaks", "keys", "empty"],
)
def test_what_yaml_says_is_read(tmp_path: Path, text: str, content: object) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    assert read_yaml(file, "recipe") == content


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_in_one_line_with_its_place(tmp_path: Path, name: str) -> None:
    file, bad = tmp_path / "a.yaml", BAD[name]
    file.write_bytes(bad.data)
    with pytest.raises(UserError) as caught:
        read_yaml(file, "recipe")
    message = str(caught.value)
    assert message.startswith(str(file))
    assert bad.said in message
    assert name == "two megabytes" or message.startswith(f"{file}:{bad.line}: {bad.said}")
    assert message.isprintable()
    assert len(message) < len(str(file)) + 300


@given(st.text(st.sampled_from("ab:-[]{}?&*!%|>'\"\\#,.0x1_+eTZ \n\t\x1bU=<~é@`"), max_size=60))
def test_no_text_breaks_the_loader(text: str) -> None:
    with suppress(UserError):
        parse_yaml(text, Path("a.yaml"))


def test_lines_are_those_of_the_document_that_yaml_stands_in() -> None:
    with pytest.raises(UserError, match=r"^a\.md:12: duplicate key 'b'"):
        parse_yaml("b: 1\n\nb: 2\n", Path("a.md"), first_line=10)


def test_items_of_a_list_come_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("# two\n- &x {a: 1}\n\n- b: *x\n  c: [2]\n")
    assert read_yaml_items(file, "list") == [(2, {"a": 1}), (4, {"b": {"a": 1}, "c": [2]})]


@pytest.mark.parametrize("text", ["", "a: 1\n", "one\n"])
def test_what_is_no_list_has_no_items(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UserError, match=r"a\.yaml:1: expected a list"):
        read_yaml_items(tmp_path / "a.yaml", "list")


def test_a_missing_file_comes_with_the_way_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no such policy\. Ask for one\."):
        read_yaml(tmp_path / "a.yaml", "policy", "Ask for one.")


def test_a_folder_is_told_from_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"this is a folder\. Give the policy itself, which is a file\. Ask for one\."):
        read_yaml(tmp_path, "policy", "Ask for one.")


def test_a_gate_does_not_lose_a_rule_to_a_repeated_key(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text("rules:\n  - {metric: accuracy, min: 0.6}\nrules:\n  - {metric: tie_rate, max: 0.5}\n")
    with pytest.raises(UserError, match=r"gate\.yaml:3: duplicate key 'rules'"):
        Policy.read(file)


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.yaml")), ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_the_strict_loader_reads_our_own_files_as_the_fast_one_does(file: Path) -> None:
    folder = ".".join(("constraintsuite", *file.relative_to(PACKAGE).parent.parts))
    assert read_package_yaml(object, folder, file.name) == read_yaml(file, "data file")
