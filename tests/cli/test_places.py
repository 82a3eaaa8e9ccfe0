"""A URL is as good as a folder on the command line: it is pulled before the command works, and pushed when it ends well."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from constraintsuite.cli.main import cli
from constraintsuite.cli.places import FOLDER, OUT
from constraintsuite.errors import UserError
from constraintsuite.store.artifact import Origin, finish
from constraintsuite.store.files import folder_lock
from constraintsuite.store.mirror import open_mirror


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "here"))
    return f"memory://{tmp_path.name}/place"


def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From now on on another machine."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "elsewhere"))


def written(out: str, failing: Exception | None = None) -> Result:
    """A command that leaves a page in a folder, and perhaps fails then."""

    @click.command()
    @click.option("--out", type=OUT)
    def command(out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "index.html").write_text(f"page after {len(list(out.iterdir()))}")
        if failing:
            raise failing

    return CliRunner().invoke(command, ["--out", out])


def read(folder: str) -> Result:
    @click.command()
    @click.argument("folder", type=FOLDER)
    def command(folder: Path) -> None:
        click.echo("|".join(f"{path.name}: {path.read_text()}" for path in sorted(folder.iterdir())))

    return CliRunner().invoke(command, [folder])


def test_what_a_command_left_is_read_on_another_machine(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert written(url).exit_code == 0
    elsewhere(monkeypatch, tmp_path)
    assert read(url).output == "index.html: page after 0\n"


def test_work_goes_on_from_what_is_there(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(url)
    elsewhere(monkeypatch, tmp_path)
    written(url)
    assert read(url).output == "index.html: page after 1\n"


@pytest.mark.parametrize(
    ("failing", "pushed"),
    [(UserError("no"), False), (KeyboardInterrupt(), False), (click.exceptions.Exit(1), True)],
)
def test_only_what_ended_well_is_pushed(
    url: str, failing: Exception, pushed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written(url, failing)
    elsewhere(monkeypatch, tmp_path)
    mirror = open_mirror(url)
    assert mirror.exists(mirror.root) == pushed


def test_a_path_stays_a_path(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    assert read(str(tmp_path)).output == "a.txt: a\n"


def test_another_command_at_work_in_the_mirror_is_not_disturbed(url: str) -> None:
    with folder_lock(open_mirror(url).root):
        result = read(url)
    assert isinstance(result.exception, UserError)
    assert "another csuite command is writing here" in str(result.exception)


def test_a_suite_is_shown_and_exported_by_url(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = open_mirror(url).root
    suite.mkdir(parents=True)
    (suite / "README.md").write_text("# A card\n")
    finish(suite, Origin("suite", "tiny", {}, {}, 0, "code"), {"examples": 0}, {}, 0.0)
    elsewhere(monkeypatch, tmp_path)
    assert CliRunner().invoke(cli, ["suite", "show", url]).output == "# A card\n\n"
