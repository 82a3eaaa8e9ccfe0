"""Every page that there is: axe finds nothing in light or dark, and a phone shows it without scrolling sideways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.routing import compile_path

from app.pages.conftest import AUDIT, evaluate
from app.web.artifacts import make_artifacts
from app.web.browser.conftest import Enter
from app.web.served import Served
from app.web.site import ANNA, BEN, JUDGE, OWNER, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.app.web.pages import PAGES
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, tasks_of
from constraintsuite.suites.annotation.records import AnswerValue, EventDraft
from constraintsuite.suites.audit.results import Audit
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, RejectedPair
from experiments.tiny_suite import CREAM, LEEKS, write_suite
from suites.annotation.small_batch import START
from suites.annotation.test_kinds import CAKES, SOUPS, TENTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
NARROW = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 800}
SHOWN = [
    (OWNER, "/"),
    (OWNER, "/suite/suite"),
    (OWNER, "/suite/suite?q=cream&domain=food"),
    (OWNER, "/suite/suite/example?id=creamless"),
    (OWNER, "/suite/suite/about"),
    (OWNER, "/suite/suite/rejects?reason=kept%3A+too_short"),
    (OWNER, "/runs"),
    (OWNER, "/runs?suite=suite"),
    (OWNER, "/run/runs/suite/random"),
    (OWNER, "/run/runs/suite/random/examples?outcome=wrong"),
    (OWNER, "/compare?a=runs/suite/bm25-nostop&b=runs/suite/bm25"),
    (OWNER, "/sample/suite"),
    (OWNER, "/batch/suite.gold"),
    (OWNER, "/batch/suite.gold/agreement?by=slice"),
    (OWNER, "/batch/suite.gold/rulings"),
    (OWNER, "/batch/suite.gold/export"),
    (OWNER, "/proposals/proposals.jsonl"),
    (OWNER, "/proposals/proposals.jsonl/approved"),
    (OWNER, "/writing"),
    (OWNER, "/writing/suite.writing"),
    (OWNER, "/writing/suite.writing/export"),
    (OWNER, "/explain/explained"),
    (OWNER, "/circuit/explained/circuit/one"),
    (OWNER, "/drift/moved"),
    (OWNER, "/graph/memory?q=see&mode=structure_only&budget=2"),
    (OWNER, "/memory_run/remembered"),
    (OWNER, "/ann/ann"),
    (OWNER, "/bundle/bundle"),
    (OWNER, "/tune/tuned"),
    (OWNER, "/ranking/runs/suite.ranking/bm25"),
    (OWNER, "/nowhere"),
    (ANNA, "/"),
    (ANNA, "/batch/suite.gold"),
    (ANNA, "/writing"),
    (ANNA, "/writing/suite.writing"),
    (BEN, "/batch/suite.gold"),
    (JUDGE, "/"),
    (JUDGE, "/batch/suite.gold/rulings"),
]
UNSEEN = {
    "/suite/{place:path}/example.json",  # no page, but a file
    "/report/{place:path}",  # the page that tests/reports looks at
    "/batch/{place:path}/agreement/figures",  # a part of a page
    "/batch/{place:path}/answer",  # lead on to others
    "/proposals/{place:path}/answer",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ben has judged everything, anna all but one; they differ twice."""
    made = tmp_path_factory.mktemp("pages")
    (made / "suite").mkdir()
    write_text(made / "suite" / "audit.json", adapter(Audit).dump_json(AUDIT).decode())
    write_text(made / "suite" / "README.md", "# Tiny\n\nMade by hand.\n")
    documents = DraftDocument("d1", LEEKS), DraftDocument("d2", CREAM)
    left_out = PairDraft("explicit", "p1", "contains", "test", "", *documents, 0.0)
    write_jsonl(made / "suite" / "stages" / "kept" / "rejected.jsonl", [RejectedPair("too_short", left_out)])
    finish(made / "suite" / "stages" / "kept", ArtifactOrigin("stage", "kept", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    evaluate(write_suite(made / "suite", rejects={"kept: too_short": 1}), "bm25:nostop", "bm25", "random")
    write_jsonl(made / "proposals.jsonl", [SOUPS, TENTS, CAKES])
    owner = open_site(made).visit(OWNER)
    owner.post("/sample/suite", {"size": "5", "seed": "0"})
    owner.post("/writing", {"suite": "suite", "size": "5", "seed": "0", "model": ["bm25"]})
    for proposal, verdict in ((SOUPS, "accept"), (TENTS, "reject")):
        owner.post("/proposals/proposals.jsonl/answer", {"proposal": proposal.id, "seen": "0", "verdict": verdict})
    owner.post("/proposals/proposals.jsonl/approved")
    batch = open_batch(made / "suite.gold")
    judge_all(batch, BEN, "yes", len(batch.items) + 5)
    judge_all(batch, ANNA, "awkward", -1)
    owner.post("/batch/suite.gold/export")
    make_artifacts(made)
    evaluate_retrieval(made / "suite", RankingPlan("bm25"), made / "runs" / "suite.ranking" / "bm25", Silent())
    return made


def judge_all(batch: AnnotationBatch, person: Person, natural: str, until: int) -> None:
    said: dict[str, AnswerValue] = {
        "natural": natural,
        "satisfies": "first",
        "on_topic": ("first", "second"),
        "grammatical": ("first",),
    }
    tasks = tasks_of(batch, person.name)[:until]
    answers = [(task, question, value) for task in tasks for question, value in said.items()]
    drafts = [EventDraft(person.name, task.item.id, name, value, task.copy) for task, name, value in answers]
    batch.store.append(drafts, START)


@pytest.fixture(scope="module")
def windows(enter: Enter) -> dict[str, Page]:
    return {person.name: enter(person) for person in (OWNER, ANNA, BEN, JUDGE)}


def faults(page: Page, **options: object) -> str:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    found = axe.run(page, options={"resultTypes": ["violations"], **options})
    return str(found.generate_report()) if found.violations_count else ""


@pytest.mark.parametrize(("person", "path"), SHOWN, ids=[f"{person.role}:{path}" for person, path in SHOWN])
def test_a_page_is_for_everyone(windows: dict[str, Page], served: Served, person: Person, path: str) -> None:
    page = windows[person.name]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    answer = page.goto(served.origin + path)
    assert answer is not None
    assert answer.status == (404 if path == "/nowhere" else 200)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert faults(page) == ""
    page.emulate_media(color_scheme="dark")
    assert faults(page, runOnly=["color-contrast"]) == ""  # nothing else depends on colours
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_being_asked_who_one_is_to_be_is_for_everyone(windows: dict[str, Page], served: Served) -> None:
    page = windows[OWNER.name]
    page.goto(served.links[ANNA.name])
    page.get_by_role("heading", name="Continue as anna?").wait_for()
    assert faults(page) == ""
    page.get_by_role("link", name="Stay olga").click()
    page.get_by_text("olga, owner").wait_for()


def test_a_link_to_a_folded_section_opens_it(windows: dict[str, Page], served: Served) -> None:
    page = windows[OWNER.name]
    page.goto(f"{served.origin}/run/runs/suite/random")
    folded = page.locator("details.chapter:has(#made)")
    assert folded.get_attribute("open") is None
    page.get_by_role("link", name="How it was made").click()
    page.wait_for_function("document.querySelector('details.chapter:has(#made)').open")


def test_no_page_was_forgotten() -> None:
    routes = [page.path for name in PAGES.names() for page in PAGES.load(name) if page.method == "GET"]
    patterns = {path: compile_path(path)[0] for path in routes}
    seen = {
        next((path for path, known in patterns.items() if known.match(shown.split("?")[0])), "") for _, shown in SHOWN
    }
    assert set(routes) - seen == UNSEEN
