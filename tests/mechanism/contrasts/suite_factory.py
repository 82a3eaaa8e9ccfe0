"""A suite with each kind of example that gives contrasts, written through the real records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    SATISFYING,
    VIOLATING,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
)
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.mechanism.contrasts.role_marks import evidence_of
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.text.mentions import find_forms


def make_example(
    id: str = "soup",
    slice: str = "explicit",
    *,
    y: str = "cream",
    queries: tuple[str, str | None, str | None] = ("soups without cream", "soups with cream", "soups"),
    docs: tuple[str, str] = ("A clear soup. It is made without cream.", "A thick soup. It is full of cream."),
    cue: str = "without",
    document_cue: str | None = "without",
    couple: str = "",
    clusters: tuple[str, ...] = ("c1", "c2"),
    edited: bool = False,
) -> Example:
    """An example from its query, opposite and topic, and from its satisfying and its violating text.

    `cue` states the constraint in the query, `document_cue` negates Y in the satisfying text.
    """
    query, opposite, topic = queries
    satisfying, violating = docs
    names = ("same", "same") if edited else (f"{id} satisfying", f"{id} violating")
    evidence = (
        *(
            Evidence(SATISFYING, one.start, one.end, "negated", "test", document_cue)
            for one in find_forms(satisfying, [y])
        ),
        *(Evidence(VIOLATING, one.start, one.end, "affirmed", "no_cue") for one in find_forms(violating, [y])),
    )
    return Example(
        id=id,
        slice=slice,
        constraint=Exclude(value=y, cue=cue, forms=(y,), evidence=evidence),
        query=query,
        opposite=opposite,
        topic=topic,
        restated=None,
        documents=(
            ExampleDocument(SATISFYING, names[0], "", satisfying, names[0], edit="swap" if edited else ""),
            ExampleDocument(VIOLATING, names[1], "", violating, names[1]),
        ),
        preferences=(QUERY_PREFERENCE,) if opposite is None else (QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource("tiny", "q"),
        split="test",
        couple=couple,
        clusters=clusters,
        domain="food",
        relation="has",
        template="WITHOUT_Y",
        template_family="has.WITHOUT_Y",
        tags={"difficulty": "easy", "overlap": "high", "length": "short", "explicitness": "explicit"},
        analyser="rules",
    )


SOUP = make_example()
PIE = make_example(
    "pie",
    "minpairs",
    y="plums",
    queries=("pies without plums", "pies with plums", "pies"),
    docs=("This pie holds cherries but no plums.", "This pie holds plums but no cherries."),
    document_cue="no",
    clusters=("c3",),
    edited=True,
)
CAMP = make_example(
    "camp",
    "omission",
    y="showers",
    queries=("campsites without showers", "campsites with showers", "campsites"),
    docs=("A campsite by the lake. It has a kiosk.", "A campsite by the sea. It has hot showers."),
    couple="camps",
    clusters=("c4", "c5"),
)
KIOSK = make_example(
    "kiosk",
    "omission",
    y="kiosk",
    queries=("campsites without kiosk", "campsites with kiosk", "campsites"),
    docs=("A campsite by the sea. It has hot showers.", "A campsite by the lake. It has a kiosk."),
    couple="camps",
    clusters=("c4", "c5"),
)
EXAMPLES = (SOUP, PIE, CAMP, KIOSK)
LOUD = replace(
    SOUP,
    id="loud",
    slice="nonflip",
    query="SOUPS WITHOUT CREAM",
    opposite="SOUPS WITH CREAM",
    control=Control("case", original="soup"),
)
REWORDED = replace(
    make_example("reworded", docs=("A clear broth. It is made without cream.", SOUP.violating.text)),
    slice="nonflip",
    control=Control("synonym", original="soup"),
)
ORPHAN = replace(LOUD, id="orphan", control=Control("case", original="gone"))
IDIOM = replace(
    make_example(
        "idiom",
        "adversarial",
        queries=("without a doubt the best soups with cream", "soups without cream", "soups"),
        docs=(SOUP.violating.text, SOUP.satisfying.text),
    ),
    constraint=Exclude(
        value="cream",
        cue="without",
        forms=("cream",),
        evidence=(
            *(replace(one, document=VIOLATING) for one in evidence_of(SOUP, SATISFYING)),
            *(replace(one, document=SATISFYING) for one in evidence_of(SOUP, VIOLATING)),
        ),
        stated_by="opposite",
    ),
    restated="soups with cream",
    preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
    control=Control("idiom", original="soup", phrase="without a doubt"),
)
CONTROLS = (LOUD, REWORDED, ORPHAN, IDIOM)


def make_suite(folder: Path, examples: Sequence[Example] = EXAMPLES, controls: Sequence[Example] = CONTROLS) -> Suite:
    """A finished suite, read back."""
    write_jsonl(folder / "examples.jsonl", examples)
    write_jsonl(folder / "controls.jsonl", controls)
    finish(folder, ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1)), {"examples": len(examples)}, {}, 0.0)
    return load_suite(folder)
