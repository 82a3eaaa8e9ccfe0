"""Takes the pictures in docs/serve from the site itself: `python docs/screenshots.py [FOLDER]`.

It builds a small suite from the bundled corpus in FOLDER (or in a temporary folder), has two made-up people judge a sample of
it, starts `csuite serve`, and photographs the pages with Chromium. It needs the extras `[serve]` and `[dev]`, and Chromium
(CSUITE_CHROMIUM names it, else the system's is used). A suite, runs, a report and proposals that are in FOLDER already are
not made again; what people answered there is removed.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = Path(__file__).parent / "serve"
SIZE, JUDGED, FIRST_ANSWERS = 1_000, 20, 6
MODELS = ("tfidf", "bm25", "cross:tiny")
PEOPLE = {"owner": "owner", "ann": "annotator", "bob": "annotator", "cy": "adjudicator"}
EXAMPLES = "/suite/suite?slice=minpairs&q=water"
Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Studio:
    """A browser, and the link of each person to the site."""

    browser: Browser
    links: Mapping[str, str]

    @contextmanager
    def visit(
        self, person: str, address: str, height: int, *, width: int = 1280, scheme: Scheme = "light"
    ) -> Iterator[Page]:
        """A window of a person on one page; its header and all that a script adds are there."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        page.goto(self.links[person])
        page.goto(page.url.rstrip("/") + address)
        page.wait_for_load_state("networkidle")
        yield page
        context.close()

    def take(self, name: str, person: str, address: str, height: int, act: Callable[[Page], object] = id) -> None:
        """The picture of a page as a person sees it, after what that person did there."""
        with self.visit(person, address, height) as page:
            act(page)
            save(page, name)


def main() -> None:
    """Make what the site shows, then take all pictures."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)
        with open_chromium() as browser, serve(folder) as links:
            photograph(folder, Studio(browser, links))


def make(folder: Path) -> None:
    """A suite, runs, a report, proposals, and a batch to judge."""
    suite, runs, proposals = folder / "suite", folder / "runs", folder / "proposals.jsonl"
    csuite("build", "--corpus", "sample", "--size", SIZE, "--analyser", "rules", "--out", suite)
    csuite("eval", suite, "--out", runs, *(part for model in MODELS for part in ("--model", model)))
    csuite("report", *sorted((runs / "suite").iterdir()), "--out", folder / "report")
    for left in (*folder.glob("suite.gold*"), *folder.glob("suite.writing*"), *folder.glob("proposals.jsonl.gold*")):
        shutil.rmtree(left)
    if not proposals.exists():
        csuite("propose", "--corpus", "sample", "--analyser", "rules", "--out", proposals)
    csuite("gold", "sample", suite, "-n", JUDGED)


def photograph(folder: Path, studio: Studio) -> None:
    """All pictures, in an order in which each page has something to show."""
    studio.take("suite", "owner", EXAMPLES, 860)
    studio.take("about", "owner", "/suite/suite/about", 900)
    studio.take("example", "owner", EXAMPLES, 960, open_first_example)
    with studio.visit("owner", EXAMPLES, 820, scheme="dark") as page:
        open_first_example(page)
        save(page, "example-dark")
    studio.take("runs", "owner", "/runs?suite=suite", 900)
    studio.take("run-examples", "owner", "/run/runs/suite/cross-tiny/examples?part=main&outcome=wrong", 900)
    studio.take("compare", "owner", "/compare?a=runs/suite/cross-tiny&b=runs/suite/bm25", 900)

    judge(folder, "ann", upto=FIRST_ANSWERS)
    studio.take("queue", "ann", "/batch/suite.gold", 860, lambda page: answer_half(page, folder / "suite"))
    with studio.visit("ann", "/batch/suite.gold", 844, width=390) as page:
        save(page, "queue-phone")
    judge(folder, "ann")
    judge(folder, "bob", differs=4)
    studio.take("rulings", "cy", "/batch/suite.gold/rulings", 900, rule_on_one)
    studio.take("agreement", "owner", "/batch/suite.gold/agreement", 900, lambda page: scroll_to(page, "h1", 30))
    studio.take("export", "owner", "/batch/suite.gold/export", 760, lambda page: click(page, "Export"))

    studio.take("proposals", "owner", "/proposals/proposals.jsonl", 840, decide_on_one)
    with studio.visit("owner", "/writing", 810) as page:
        page.get_by_label("Pairs of passages, at most").fill("10")
        page.get_by_label("bm25", exact=True).check()
        click(page, "Draw the pairs")
    studio.take("writing", "ann", "/writing/suite.writing", 810, write_what_is_refused)
    with studio.visit("owner", "/", 900) as page:
        save(page, "home", full_page=True)


def open_first_example(page: Page) -> None:
    """From the list of a suite to its first example."""
    page.locator("table.examples a").first.click()
    page.wait_for_url("**/example?*")
    page.wait_for_load_state("networkidle")


def answer_half(page: Page, suite: Path) -> None:
    """Answer the first two questions about an item: the query is natural, and one text does what it asks."""
    query = page.locator(".field.lead p").inner_text()
    first = page.locator(".side .text").first.inner_text()
    press(page, "3", "1" if (query, first) in satisfying_texts(suite) else "2")


def rule_on_one(page: Page) -> None:
    """Rule on the first disagreement, by mouse; the next one is then shown."""
    page.get_by_role("link", name="Begin").click()
    page.wait_for_selector("#reason")
    page.locator("#judge input[type=radio]").last.check()
    page.locator("#reason").fill("Both readings were discussed, and this one stands.")
    page.locator("#judge button.main").click()
    page.wait_for_url("**told=kept*")
    page.wait_for_selector("#reason")
    page.evaluate("window.scrollTo(0, 0)")


def decide_on_one(page: Page) -> None:
    """Accept the fourth proposal by keys, and show it above the next one."""
    page.get_by_text("Keys:").wait_for()
    press(page, "j", "j", "j", "a")
    page.wait_for_load_state("networkidle")
    page.wait_for_selector("article.proposal.accepted")
    scroll_to(page, "article.proposal.accepted", 16)


def write_what_is_refused(page: Page) -> None:
    """For a passage with words of its own a query with one of them, else a query that is answered by yes or no."""
    fields, texts = page.locator("#writing input[maxlength]"), page.locator(".passage p").all_inner_texts()
    words = [re.findall(r"[a-z]+", text.lower()) for text in texts]
    for number, (own, others) in enumerate((words, words[::-1])):
        word = next((word for word in own if word not in others), None)
        fields.nth(number).fill(f"which one says {word}" if word else f"is passage {number + 1} about this")
    page.locator("#writing .faults li").nth(1).wait_for()


def judge(folder: Path, person: str, upto: int | None = None, differs: int = 0) -> None:
    """Fill the first rows of a person's sheet, or all of it: with right answers, but for one, and for some that differ."""
    batch, sheet = folder / "suite.gold", folder.parent / f"{folder.name}.{person}.csv"
    right = satisfying_texts(folder / "suite")
    sheet.unlink(missing_ok=True)
    csuite("gold", "sheet", batch, "--annotator", person, "--out", sheet)
    with sheet.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        columns, rows = list(reader.fieldnames or ()), list(reader)
    with (batch / "items.jsonl").open(encoding="utf-8") as file:
        doubted = json.loads(file.readline())["fields"]["query"]  # what all find wrong is dropped
    for number, row in enumerate(rows[:upto]):
        chosen = next(side for side in ("first", "second") if (row["query"], row[side]) in right)
        other = {"first": "second", "second": "first"}[chosen]
        is_decoy = row[other] not in right[row["query"], row[chosen]]
        row["natural"] = "awkward" if differs and number == 0 else "yes"
        row["satisfies"] = "both" if 0 < number < differs or row["query"] == doubted else chosen
        row["on_topic"] = chosen if is_decoy else "first; second"
        row["grammatical"] = "first; second"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows[:upto])
    csuite("gold", "import", batch, sheet, "--annotator", person)


def satisfying_texts(suite: Path) -> dict[tuple[str, str], set[str]]:
    """For each query and satisfying text of a suite, the violating texts beside it."""
    found: dict[tuple[str, str], set[str]] = {}
    for line in (suite / "examples.jsonl").read_text(encoding="utf-8").splitlines():
        example = json.loads(line)
        texts = {document["role"]: document["text"] for document in example["documents"]}
        found.setdefault((example["query"], texts["satisfying"]), set()).add(texts["violating"])
    return found


def press(page: Page, *keys: str) -> None:
    """One key after the other."""
    for key in keys:
        page.keyboard.press(key)


def click(page: Page, name: str) -> None:
    """A button, by what it says."""
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_load_state("networkidle")


def scroll_to(page: Page, selector: str, above: int) -> None:
    """Put an element near the upper edge."""
    page.evaluate(
        "([where, above]) => window.scrollTo(0, document.querySelector(where).getBoundingClientRect().top + scrollY - above)",
        [selector, above],
    )


def save(page: Page, name: str, *, full_page: bool = False) -> None:
    """Write the picture of a window, or of its whole page."""
    page.screenshot(path=PICTURES / f"{name}.png", full_page=full_page, animations="disabled", caret="hide")
    print(f"{name}.png: {page.url.partition('//')[2].partition('/')[2] or '/'}")  # noqa: T201 - what this script is for


def csuite(*arguments: object) -> None:
    """Run a command; one that fails ends the script."""
    words: Sequence[str] = [sys.executable, "-m", "constraintsuite", *map(str, arguments)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def serve(folder: Path) -> Iterator[Mapping[str, str]]:
    """`csuite serve` over a folder until the block ends, and everyone's link."""
    people = [part for name, role in PEOPLE.items() for part in (f"--{role}", name)]
    command = [sys.executable, "-m", "constraintsuite", "serve", ".", "--port", "0", "--json", *people]
    with tempfile.TemporaryDirectory() as state:
        environment = {**os.environ, "XDG_STATE_HOME": state}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder) as process:
            try:
                assert process.stdout is not None
                said = ""
                while not said.rstrip().endswith("}"):
                    said += process.stdout.readline()
                yield json.loads(said)
            finally:
                process.terminate()


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra

    chromium = os.environ.get("CSUITE_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed, and CSUITE_CHROMIUM names none.")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


if __name__ == "__main__":
    main()
