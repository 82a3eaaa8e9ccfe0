from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
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
        (["a", "gone"], "no such folder"),
        (["a", "bare"], "no config.json"),
    ],
)
def test_what_is_no_sequence_of_models_is_refused(tmp_path: Path, names: list[str], words: str) -> None:
    folders(tmp_path, "a")
    (tmp_path / "bare").mkdir()
    with pytest.raises(UserError, match=words):
        name_checkpoints([str(tmp_path / name) for name in names])


def test_checkpoints_of_several_seeds_are_refused(tmp_path: Path) -> None:
    given = folders(tmp_path, "seed0-00-start", "seed0-01-a-01", "seed1-00-start", "seed1-01-a-01")
    with pytest.raises(UserError, match=r"several trainings \(seed0, seed1\).*such as .*seed0-\*, or one of each"):
        name_checkpoints(given)


@pytest.mark.parametrize("names", [("seed0-00-start", "seed0-01-a-01"), ("seed0-01-a-01", "seed1-01-a-01")])
def test_one_seed_or_one_checkpoint_a_seed_is_taken(tmp_path: Path, names: tuple[str, str]) -> None:
    assert [one.label for one in name_checkpoints(folders(tmp_path, *names))] == list(names)


def test_a_model_that_comes_along_can_be_the_start(tmp_path: Path) -> None:
    named = name_checkpoints(["cross:tiny", *folders(tmp_path, "tuned")])
    assert [one.label for one in named] == ["tiny", "tuned"]
