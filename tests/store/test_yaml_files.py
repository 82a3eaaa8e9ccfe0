from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.experiments.policy import Policy
from constraintsuite.store.yaml_files import read_yaml


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\nb: [x, y]\n")
    assert read_yaml(file, "recipe") == {"a": 1, "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", r"a\.yaml:2: 'a' stands there a second time"),
        ("rules:\n  - {min: 1, min: 2}\n", r"a\.yaml:2: 'min' stands there a second time"),
        ("a: [", "not valid YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        read_yaml(file, "recipe")


def test_a_missing_file_comes_with_the_way_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no such policy\. Ask for one\."):
        read_yaml(tmp_path / "a.yaml", "policy", "Ask for one.")


def test_a_gate_does_not_lose_a_rule_to_a_repeated_key(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text("rules:\n  - {metric: accuracy, min: 0.6}\nrules:\n  - {metric: tie_rate, max: 0.5}\n")
    with pytest.raises(UserError, match=r"gate\.yaml:3: 'rules' stands there a second time"):
        Policy.read(file)
