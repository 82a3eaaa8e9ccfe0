"""A suite with each kind of example that gives contrasts, written through the real records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.records.examples import (
    Constraint,
    Control,
    DocumentPair,
    Edit,
    Evidence,
    Example,
    ExampleDocument,
    ExampleQuery,
    Labels,
    Provenance,
    Retrieval,
    Slice,
    Tags,
)
from constraintsuite.store.artifact import Origin, finish
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.store.revisions import Revision
from constraintsuite.text.mentions import find_forms


def make_example(
    id: str = "soup",
    slice: Slice = "negation_explicit",
    *,
    y: str = "cream",
    queries: tuple[str, str, str] = ("soups without cream", "soups with cream", "soups"),
    docs: tuple[str, str] = ("A clear soup. It is made without cream.", "A thick soup. It is full of cream."),
    marker: str = "without",
    cue: str | None = "without",
    couple: str = "",
    clusters: tuple[str, ...] = ("c1", "c2"),
    edited: bool = False,
) -> Example:
    """An example from its (negated, affirmative, topic) queries and its (obeying, breaking) texts."""
    neg, base, topic = queries
    pos, bad = docs
    names = ("same", "same") if edited else (f"{id} pos", f"{id} neg")
    return Example(
        id=id,
        suite=slice,
        source=Provenance("tiny", "q", *names, Retrieval("none", "none", 0, None, None)),
        query=ExampleQuery(base, neg, "WITHOUT_Y", topic, "has.WITHOUT_Y"),
        constraint=Constraint("exclude", y, marker, (y,)),
        docs=DocumentPair(ExampleDocument(names[0], "", pos), ExampleDocument(names[1], "", bad)),
        labels=Labels(),
        tags=Tags("easy", True, True, True, "high", "short", "explicit", edited=edited),
        domain="food",
        relation="has",
        split="test",
        couple=couple,
        clusters=clusters,
        analyser="rules",
        evidence=(
            *(Evidence("pos", one.start, one.end, "negated", cue, "test") for one in find_forms(pos, [y])),
            *(Evidence("neg", one.start, one.end, "affirmed", None, "no_cue") for one in find_forms(bad, [y])),
        ),
        edit=Edit("swap", "pos", (), (), token_count_preserved=True) if edited else None,
    )


SOUP = make_example()
PIE = make_example(
    "pie",
    "negation_minpairs",
    y="plums",
    queries=("pies without plums", "pies with plums", "pies"),
    docs=("This pie holds cherries but no plums.", "This pie holds plums but no cherries."),
    cue="no",
    clusters=("c3",),
    edited=True,
)
CAMP = make_example(
    "camp",
    "negation_omission",
    y="showers",
    queries=("campsites without showers", "campsites with showers", "campsites"),
    docs=("A campsite by the lake. It has a kiosk.", "A campsite by the sea. It has hot showers."),
    couple="camps",
    clusters=("c4", "c5"),
)
KIOSK = make_example(
    "kiosk",
    "negation_omission",
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
    suite="controls_nonflip",
    query=replace(SOUP.query, neg="SOUPS WITHOUT CREAM", base="SOUPS WITH CREAM"),
    control=Control("case", of="soup"),
)
REWORDED = replace(
    make_example("reworded", docs=("A clear broth. It is made without cream.", SOUP.docs.neg.text)),
    suite="controls_nonflip",
    control=Control("synonym", of="soup"),
)
ORPHAN = replace(LOUD, id="orphan", control=Control("case", of="gone"))
IDIOM = replace(
    make_example(
        "idiom",
        "controls_adversarial",
        queries=("without a doubt the best soups with cream", "soups with cream", "soups"),
        docs=(SOUP.docs.neg.text, SOUP.docs.pos.text),
    ),
    evidence=tuple(replace(one, document="neg" if one.document == "pos" else "pos") for one in SOUP.evidence),
    labels=Labels(pairwise_preference_for_query_base="pos_over_neg"),
    control=Control("idiom", of="soup", idiom="without a doubt", twin_query="soups without cream"),
)
CONTROLS = (LOUD, REWORDED, ORPHAN, IDIOM)


def make_suite(folder: Path, examples: Sequence[Example] = EXAMPLES, controls: Sequence[Example] = CONTROLS) -> Suite:
    """A finished suite, read back."""
    write_jsonl(folder / "examples.jsonl", examples)
    write_jsonl(folder / "controls.jsonl", controls)
    finish(folder, Origin("suite", "tiny", {}, {}, 0, Revision(1)), {"examples": len(examples)}, {}, 0.0)
    return load_suite(folder)
