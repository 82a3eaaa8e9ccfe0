"""The page of a report's folder, under a policy that gives it nothing of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.site import ANNA, OpenSite, open_site
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.revisions import Revision
from experiments.paired_runs import RIGHT, make_run, make_suite

POLICY = "content-security-policy"


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    suite = make_suite(tmp_path / "suite", count=4)
    make_run(suite, tmp_path / "run", "m", [RIGHT] * 4)
    write_report(tmp_path / "suite", [tmp_path / "run"], tmp_path / "report")
    return open_site(tmp_path)


def foreign(folder: Path, page: str) -> OpenSite:
    """A report that somebody else has made."""
    write_text(folder / "report" / "index.html", page)
    finish(folder / "report", ArtifactOrigin("report", "theirs", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    return open_site(folder)


def test_the_page_is_served_as_it_is_under_its_own_policy(site: OpenSite, tmp_path: Path) -> None:
    answer = site.visit().get("/report/report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert answer.text == page
    own = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert own is not None
    assert answer.headers[POLICY].startswith(f"{own[1]}; sandbox allow-scripts;")
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "page",
    [
        "<script>fetch('/')</script>",
        '<meta content="default-src *; script-src \'unsafe-inline\'"><script>fetch("/")</script>',
        "<!-- " + "x" * 3_000 + " -->",
        "",
    ],
)
def test_a_page_without_such_a_policy_may_run_nothing(tmp_path: Path, page: str) -> None:
    answer = foreign(tmp_path, page).visit().get("/report/report")
    assert answer.text == page
    assert answer.headers[POLICY].startswith("default-src 'none'; sandbox allow-scripts;")
    assert "unsafe" not in answer.headers[POLICY]
    assert "script-src" not in answer.headers[POLICY]


def test_a_page_that_was_changed_is_refused(site: OpenSite, tmp_path: Path) -> None:
    with (tmp_path / "report" / "index.html").open("a") as file:
        file.write("<script>alert(1)</script>")
    assert "index.html: changed since the report was made" in site.visit().get("/report/report", 400).text


def test_a_link_is_not_followed(site: OpenSite, tmp_path: Path) -> None:
    page = tmp_path / "report" / "index.html"
    page.rename(tmp_path / "elsewhere.html")
    page.symlink_to(tmp_path / "elsewhere.html")
    site.visit().get("/report/report", 400)


def test_a_report_without_a_page_is_told(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    finish(tmp_path / "report", ArtifactOrigin("report", "tables", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    assert "has tables but no page" in open_site(tmp_path).visit().get("/report/report", 400).text


@pytest.mark.parametrize("path", ["report/index.html", "report/manifest.json", "report/tables/leaderboard.csv", "run"])
def test_nothing_else_of_a_folder_is_served(site: OpenSite, path: str) -> None:
    site.visit().get(f"/report/{path}", 404)


def test_a_report_is_for_the_owner_alone(site: OpenSite) -> None:
    site.visit(ANNA).get("/report/report", 403)


def test_other_pages_keep_the_policy_of_the_site(site: OpenSite) -> None:
    assert "script-src 'self'" in site.visit().get("/runs").headers[POLICY]
