from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.mechanism.drift.checkpoints import name_checkpoints


def folders(root: Path, *names: str) -> list[str]:
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "config.json").write_text("{}")
    return [str(root / name) for name in names]


def test_labels_are_as_short_as_tells_them_apart(tmp_path: Path) -> None:
    given = folders(tmp_path, "one/start", "one/end", "two/end")
    assert [one.label for one in name_checkpoints(given)] == ["start", "one/end", "two/end"]


def test_options_are_added_to_each_model(tmp_path: Path) -> None:
    first, second = folders(tmp_path, "a", "b")
    named = name_checkpoints([f"cross:{first}", second], "device=cpu,threads=2")
    assert [one.model for one in named] == [f"cross:{name},device=cpu,threads=2" for name in (first, second)]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "two or more"),
        (["a", "a"], "named twice"),
        (["a", "gone"], "no config.json"),
    ],
)
def test_what_is_no_sequence_of_models_is_refused(tmp_path: Path, names: list[str], words: str) -> None:
    folders(tmp_path, "a")
    with pytest.raises(UserError, match=words):
        name_checkpoints([str(tmp_path / name) for name in names])
