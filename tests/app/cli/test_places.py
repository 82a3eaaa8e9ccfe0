"""A URL is as good as a folder on the command line: it is pulled before the command works, and pushed when it ends well."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.main import cli
from constraintsuite.app.cli.places import FOLDER, HERE, OUT, RUNS, take_folder
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import folder_lock
from constraintsuite.core.store.mirror import open_mirror
from constraintsuite.core.store.revisions import Revision
from experiments.tiny_suite import write_suite


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
    assert bool(open_mirror(url).store.entries()) == pushed


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
    finish(suite, ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1)), {"examples": 0}, {}, 0.0)
    elsewhere(monkeypatch, tmp_path)
    assert CliRunner().invoke(cli, ["show", url]).output == "# A card\n\n"


@pytest.mark.parametrize(("place", "comes"), [(FOLDER, False), (OUT, True)], ids=["read", "written"])
def test_stages_come_to_who_may_go_on_with_them(
    url: str, place: click.Path, comes: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mirror = open_mirror(url)
    for name in ("card.md", "stages/mentions/part-0.jsonl"):
        (mirror.root / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror.root / name).write_text("text")
    mirror.push(mirror.root)
    elsewhere(monkeypatch, tmp_path)

    @click.command()
    @click.argument("folder", type=place)
    def command(folder: Path) -> None:
        click.echo((folder / "stages" / "mentions" / "part-0.jsonl").exists())

    assert CliRunner().invoke(command, [url]).output == f"{comes}\n"
    assert (open_mirror(url).root / "card.md").is_file()


def evaluated(out: str, model: str) -> Result:
    """A command that adds a line to the run of a model, in a folder of many runs."""

    @click.command()
    @click.option("--out", type=RUNS)
    def command(out: Path) -> None:
        run = take_folder(out / model)
        run.mkdir(parents=True, exist_ok=True)
        before = (run / "lines").read_text() if (run / "lines").exists() else ""
        (run / "lines").write_text(f"{before}{model}\n")

    return CliRunner().invoke(command, ["--out", out], catch_exceptions=False)


def test_of_many_runs_only_the_own_comes(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    evaluated(url, "bm25")
    evaluated(url, "tfidf")
    elsewhere(monkeypatch, tmp_path)
    evaluated(url, "bm25")
    here = open_mirror(url).root
    assert [path.name for path in here.iterdir()] == ["bm25"]
    assert (here / "bm25" / "lines").read_text() == "bm25\nbm25\n"


def test_of_many_runs_only_the_own_goes(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    evaluated(url, "bm25")
    stale = open_mirror(url).root / "bm25" / "lines"
    elsewhere(monkeypatch, tmp_path)
    evaluated(url, "bm25")
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "here"))
    stale.write_text("what a command that failed left")
    evaluated(url, "tfidf")
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "third"))
    third = open_mirror(url)
    third.pull()
    assert (third.root / "bm25" / "lines").read_text() == "bm25\nbm25\n"
    assert (third.root / "tfidf" / "lines").read_text() == "tfidf\n"


def test_an_evaluation_fetches_no_other_run(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    for model in ("bm25", "tfidf"):
        result = CliRunner().invoke(cli, ["eval", str(suite), "--model", model, "--out", url, "--json"])
        assert f'"run": "{url}/suite/{model}"' in result.stdout
    elsewhere(monkeypatch, tmp_path)
    again = CliRunner().invoke(cli, ["eval", str(suite), "--model", "bm25", "--out", url])
    assert f"{url}/suite/bm25 is up to date" in " ".join(again.stderr.split())
    assert [run.name for run in (open_mirror(url).root / "suite").iterdir()] == ["bm25"]


def test_a_run_by_url_knows_its_suite_by_url(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = open_mirror(f"{url}/suite")
    write_suite(suite.root)
    suite.push(suite.root)
    score = ["eval", suite.url, "--model", "tfidf", "--out", f"{url}/runs"]
    assert CliRunner().invoke(cli, score, catch_exceptions=False).exit_code == 0
    elsewhere(monkeypatch, tmp_path)
    made = CliRunner().invoke(cli, ["report", f"{url}/runs/suite/tfidf", "--out", str(tmp_path / "page")])
    assert made.exit_code == 0, made.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("gold", "status", "memory://x/batch"),
        ("serve", "memory://x/suites"),
        ("memory", "private", "freeze", "memory://x/pilot"),
    ],
)
def test_judgments_stay_on_this_machine(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, UserError)
    assert f"{arguments[-1]}: this must be a local folder" in str(result.exception)


def test_a_path_to_a_folder_of_judgments_stays_a_path(tmp_path: Path) -> None:
    assert HERE.convert(str(tmp_path), None, None) == tmp_path


def test_what_a_memory_learned_lies_where_the_command_was_called_if_the_memory_has_a_url(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# Gate\n\nThe gate opens at nine.\n")
    CliRunner().invoke(cli, ["memory", "ingest", "a.md", "--out", url], catch_exceptions=False)
    told = CliRunner().invoke(cli, ["memory", "feedback", url, "a:p1", "--at", "2026-01-01T00:00"])
    assert told.stdout.startswith("place.state.jsonl: 1 events")
    assert (tmp_path / "place.state.jsonl").is_file()
