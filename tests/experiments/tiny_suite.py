"""A suite small enough to be worked out by hand, written through the real records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Preference,
    Retrieval,
)
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.constraints.exclude import Exclude

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
    slice: str,
    queries: tuple[str, str, str],
    texts: tuple[str, str],
    *,
    y: str = "cream",
    couple: str = "",
    clusters: tuple[str, ...] = (),
    domain: str = "food",
) -> Example:
    """An example from its query, opposite and topic (empty: it has none), and its satisfying and violating texts."""
    query, opposite, topic = queries
    satisfying, violating = texts
    verdicts = (("satisfying", satisfying, "negated"), ("violating", violating, "affirmed"))
    evidence = tuple(
        Evidence(role, text.index(y), text.index(y) + len(y), verdict, "test")
        for role, text, verdict in verdicts
        if y in text
    )
    return Example(
        id=id,
        slice=slice,
        constraint=Exclude(value=y, cue="without", forms=(y,), evidence=evidence),
        query=query,
        opposite=opposite or None,
        topic=topic or None,
        restated=None,
        documents=(
            ExampleDocument(
                role="satisfying",
                id="d1",
                title="Satisfying",
                text=satisfying,
                source=satisfying,
                pools={"topic": PoolPlace(1)},
                edit="swap" if slice == "minpairs" else "",
            ),
            ExampleDocument("violating", "d2", "Violating", violating, violating, {"topic": PoolPlace(2)}),
        ),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE) if opposite else (QUERY_PREFERENCE,),
        source=ExampleSource("tiny", "q1", Retrieval("bm25", "memory", 10)),
        split="test",
        couple=couple,
        clusters=clusters,
        domain=domain,
        relation="contains",
        template="{topic} without {y}",
        template_family="without",
        tags={"difficulty": "easy", "overlap": "high", "length": "short", "explicitness": "explicit"},
        analyser="rules",
    )


CREAMLESS = make_example(
    "creamless",
    "minpairs",
    ("soups without cream", "soups with cream", "soups"),
    (LEEKS, CREAM),
    couple="soups",
    clusters=("p1",),
)
LEEKLESS = make_example(
    "leekless",
    "minpairs",
    ("soups without leeks", "soups with leeks", "soups"),
    (CREAM, LEEKS),
    y="leeks",
    couple="soups",
    clusters=("p1",),
)
DOGLESS = make_example(
    "dogless",
    "explicit",
    ("campsites without dogs", "campsites with dogs", "campsites"),
    (NO_DOGS, DOGS),
    y="dogs",
    clusters=("p2", "p3"),
    domain="travel",
)
SHOWERLESS = make_example(
    "showerless",
    "explicit",
    ("campsites without showers", "campsites with showers", "campsites"),
    (WOODS, SHOWERS),
    y="showers",
    clusters=("p3", "p4"),
    domain="travel",
)
NUTLESS = make_example(
    "nutless",
    "omission",
    ("rye bread without nuts", "rye bread with nuts", "rye bread"),
    (BREAD, NUTS),
    y="nuts",
    clusters=("p5",),
)
EXAMPLES = (CREAMLESS, LEEKLESS, DOGLESS, SHOWERLESS, NUTLESS)

LOUD = replace(
    CREAMLESS,
    id="loud",
    slice="nonflip",
    query="SOUPS WITHOUT CREAM",
    control=Control("case", original="creamless"),
    couple="",
)
ORPHAN = replace(LOUD, id="orphan", control=Control("punctuation", original="left-out-of-the-suite"))
IDIOM = replace(
    make_example(
        "idiom",
        "adversarial",
        ("without a doubt the best campsites with dogs", "campsites without dogs", "campsites"),
        (DOGS, NO_DOGS),
        y="dogs",
        clusters=("p2", "p3"),
        domain="travel",
    ),
    restated="campsites with dogs",
    preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
    control=Control("idiom", original="dogless", phrase="without a doubt"),
)
CONTROLS = (LOUD, ORPHAN, IDIOM)


def copied(examples: Sequence[Example], count: int = 10) -> list[Example]:
    """Each example so many times under other ids, couples and clusters: the same shares of more examples."""
    return [
        replace(
            example,
            id=f"{example.id}{i}",
            couple=f"{example.couple}{i}" if example.couple else "",
            clusters=tuple(f"{name}-{i}" for name in example.clusters),
            control=replace(c, original=f"{c.original}{i}" if c.original else "") if (c := example.control) else None,
        )
        for example in examples
        for i in range(count)
    ]


THREE = replace(
    CREAMLESS,
    id="three",
    documents=(
        *CREAMLESS.documents,
        ExampleDocument("worse", "d3", "Worse", "A soup of cream, served with cream.", "d3"),
    ),
    preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, Preference("query", "violating", "worse")),
    couple="",
)
"""More obeyed ranks higher: three documents, in the order in which the query wants them."""


def with_evidence(example: Example, *evidence: Evidence) -> Example:
    """The example with other evidence."""
    assert example.constraint is not None
    return replace(example, constraint=replace(example.constraint, evidence=evidence))


def with_documents(example: Example, satisfying: ExampleDocument, violating: ExampleDocument) -> Example:
    """The example with other documents."""
    return replace(example, documents=(satisfying, violating))


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
    origin = ArtifactOrigin("suite", name, {}, {}, 0, Revision(1))
    return _path(finish(folder, origin, {"examples": len(examples)}, rejects or {}, 0.0))


def _path(artifact: Artifact) -> Path:
    return artifact.path
