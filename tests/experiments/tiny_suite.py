"""A suite small enough to be worked out by hand, written through the real records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.records.examples import (
    Constraint,
    Control,
    DocumentPair,
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
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.store.revisions import Revision

LEEKS = "A soup with leeks and no cream."
CREAM = "A soup with cream and no leeks."
NO_DOGS = "A campsite by the river where dogs are not allowed."
DOGS = "A campsite in the hills where dogs are welcome."
WOODS = "A campsite in the woods without showers."
SHOWERS = "A campsite by the sea with hot showers."
BREAD = "Bread made of rye, water and salt."
NUTS = "Bread made of rye, nuts and salt."


def make_example(
    id: str,
    slice: Slice,
    queries: tuple[str, str, str],
    docs: tuple[str, str],
    *,
    y: str = "cream",
    couple: str = "",
    clusters: tuple[str, ...] = (),
    domain: str = "food",
) -> Example:
    """An example from its (negated, affirmative, topic) queries and its (satisfying, violating) texts."""
    neg, base, topic = queries
    pos_text, neg_text = docs
    mentions = [("pos", pos_text), ("neg", neg_text)]
    return Example(
        id=id,
        suite=slice,
        source=Provenance("tiny", "q1", pos_text, neg_text, Retrieval("bm25", "memory", 10, 1, 2)),
        query=ExampleQuery(base, neg, "{topic} without {y}", topic, "without"),
        constraint=Constraint("exclude", y, "without", (y,)),
        docs=DocumentPair(ExampleDocument("d1", "Satisfying", pos_text), ExampleDocument("d2", "Violating", neg_text)),
        labels=Labels(),
        tags=Tags("easy", True, True, True, "high", "short", "explicit", edited=slice == "negation_minpairs"),
        domain=domain,
        relation="contains",
        split="test",
        couple=couple,
        clusters=clusters,
        analyser="rules",
        evidence=tuple(
            Evidence("pos" if side == "pos" else "neg", text.index(y), text.index(y) + len(y), verdict, None, "test")
            for (side, text), verdict in zip(mentions, ("negated", "affirmed"), strict=True)
            if y in text
        ),
    )


CREAMLESS = make_example(
    "creamless",
    "negation_minpairs",
    ("soups without cream", "soups with cream", "soups"),
    (LEEKS, CREAM),
    couple="soups",
    clusters=("p1",),
)
LEEKLESS = make_example(
    "leekless",
    "negation_minpairs",
    ("soups without leeks", "soups with leeks", "soups"),
    (CREAM, LEEKS),
    y="leeks",
    couple="soups",
    clusters=("p1",),
)
DOGLESS = make_example(
    "dogless",
    "negation_explicit",
    ("campsites without dogs", "campsites with dogs", "campsites"),
    (NO_DOGS, DOGS),
    y="dogs",
    clusters=("p2", "p3"),
    domain="travel",
)
SHOWERLESS = make_example(
    "showerless",
    "negation_explicit",
    ("campsites without showers", "campsites with showers", "campsites"),
    (WOODS, SHOWERS),
    y="showers",
    clusters=("p3", "p4"),
    domain="travel",
)
NUTLESS = make_example(
    "nutless",
    "negation_omission",
    ("rye bread without nuts", "rye bread with nuts", "rye bread"),
    (BREAD, NUTS),
    y="nuts",
    clusters=("p5",),
)
EXAMPLES = (CREAMLESS, LEEKLESS, DOGLESS, SHOWERLESS, NUTLESS)

LOUD = replace(
    CREAMLESS,
    id="loud",
    suite="controls_nonflip",
    query=replace(CREAMLESS.query, neg="SOUPS WITHOUT CREAM"),
    control=Control("case", of="creamless"),
    couple="",
)
ORPHAN = replace(LOUD, id="orphan", control=Control("punctuation", of="left-out-of-the-suite"))
IDIOM = replace(
    make_example(
        "idiom",
        "controls_adversarial",
        ("without a doubt the best campsites with dogs", "campsites with dogs", "campsites"),
        (DOGS, NO_DOGS),
        y="dogs",
        clusters=("p2", "p3"),
        domain="travel",
    ),
    labels=Labels(pairwise_preference_for_query_base="pos_over_neg"),
    control=Control("idiom", of="dogless", idiom="without a doubt", twin_query="campsites without dogs"),
)
CONTROLS = (LOUD, ORPHAN, IDIOM)


def write_suite(
    folder: Path,
    examples: Sequence[Example] = EXAMPLES,
    controls: Sequence[Example] = CONTROLS,
    name: str = "tiny",
    rejects: Mapping[str, int] | None = None,
) -> Path:
    """A finished suite folder."""
    write_jsonl(folder / "examples.jsonl", examples)
    write_jsonl(folder / "controls.jsonl", controls)
    origin = Origin("suite", name, {}, {}, 0, Revision(1))
    return _path(finish(folder, origin, {"examples": len(examples)}, rejects or {}, 0.0))


def _path(artifact: Artifact) -> Path:
    return artifact.path
