"""A large memory for benchmarks: recombined sentences, with edges and mentions as a linked collection has them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.sample import SampleSource
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.folder import write_memory
from constraintsuite.memory.records import Edge, Mention, Part, Unit
from constraintsuite.store.files import sha256_text
from passages import NoDescriptionsError, Sentences, collect_sentences, read_descriptions, recombine

UNITS_A_DOCUMENT = 20
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w+-]+(?: [A-Z][\w+-]+)*")  # capitals inside a sentence
_MOST_NAMES = 4


def write_corpus(path: Path, units: int, seed: int) -> None:
    """A memory folder of that many units; the same seed gives the same memory on the same machine."""
    write_memory(path, make_parts(units, seed), name=f"{units} units", settings={"seed": seed})


def make_parts(units: int, seed: int) -> Iterator[Part]:
    """Documents of 20 units: each leads to the next and to one of another document, and mentions names that it holds."""
    rng = random.Random(seed)
    texts = list(recombine(sentences(), units, rng))
    documents = -(-units // UNITS_A_DOCUMENT)
    for number in range(documents):
        yield make_part(
            f"d{number:06}", texts[number * UNITS_A_DOCUMENT : (number + 1) * UNITS_A_DOCUMENT], documents, rng
        )


def make_part(document: str, texts: list[str], documents: int, rng: random.Random) -> Part:
    """One document."""
    ids = [f"{document}:{n}" for n in range(len(texts))]
    units = tuple(Unit(name, document, text, (text.split(".")[0][:60],)) for name, text in zip(ids, texts, strict=True))
    steps = [Edge(a, b, "next", because="the next unit") for a, b in pairwise(ids)]
    others = (f"d{rng.randrange(documents):06}:{rng.randrange(UNITS_A_DOCUMENT)}" for _ in ids)
    links = [
        Edge(name, other, "refers_to", 1.0, 0.8, "drawn by lot")
        for name, other in zip(ids, others, strict=True)
        if not other.startswith(f"{document}:")
    ]
    mentions = [
        Mention(unit.id, normalise_entity(name), name)
        for unit in units
        for name in sorted(set(_NAME.findall(unit.text)))[:_MOST_NAMES]
    ]
    return Part(document, document, sha256_text(*texts), units, (*steps, *links), tuple(mentions))


def sentences() -> Sentences:
    """Of Debian's package descriptions; where this machine has none, of the bundled corpus."""
    try:
        return collect_sentences(read_descriptions())
    except NoDescriptionsError:
        return collect_sentences(
            document.text for document in SampleSource(SourceSettings(source="sample")).documents(STRICT)
        )
