"""A collection of any size to ingest: contracts in Markdown, with headings, numbered clauses, citations and names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.sample import SampleSource
from passages import NoDescriptionsError, collect_sentences, read_descriptions

SECTIONS, CLAUSES = 4, 5
UNITS = SECTIONS * CLAUSES
"""Of a document: its title and headings are none."""
KINDS = ("Supply Agreement", "Service Schedule", "Operations Manual", "Storage Lease", "Licence Deed")
HEADINGS = ("Scope", "Delivery", "Payment", "Faults", "Notices", "Term", "Records", "Access")
ONSETS = (
    "Bar",
    "Cor",
    "Del",
    "Fen",
    "Gal",
    "Har",
    "Kel",
    "Lin",
    "Mor",
    "Nor",
    "Pel",
    "Ros",
    "Sten",
    "Tor",
    "Vel",
    "Wex",
)
MIDDLES = ("an", "ber", "dim", "el", "for", "gar", "hol", "in", "lo", "mar", "ner", "ov", "ran", "sel", "ter", "vin")
ENDINGS = ("by", "dale", "field", "ford", "gate", "ham", "ley", "mere", "mouth", "port", "stad", "stone", "ton", "wick")
WELL_KNOWN = 12
"""Names that any document may give: more units name them than may join others, and that bound is part of the work."""
UNITS_A_NAME = 10
"""How many units there are for each of the other names, however many units there are."""


@dataclass(frozen=True)
class Corpus:
    """What clauses are made of."""

    sentences: Sequence[str]
    documents: int
    rng: random.Random

    def title(self, number: int) -> str:
        """Of a document: no two have the same."""
        return f"{name(number)} {KINDS[number % len(KINDS)]}"

    def sentence(self) -> str:
        """Any."""
        return self.rng.choice(self.sentences)

    def party(self) -> str:
        """A name that some other clauses give, too."""
        if self.rng.random() < 0.1:
            return f"{name(self.rng.randrange(WELL_KNOWN))} Council"
        return f"{name(self.rng.randrange(max(1, self.documents * UNITS // UNITS_A_NAME)))} Works"


def write_documents(folder: Path, units: int, seed: int) -> Path:
    """A folder of Markdown files with at least that many units; the same seed gives the same files on the same machine."""
    folder.mkdir(parents=True)
    documents = -(-units // UNITS)
    corpus = Corpus(sentences(), documents, random.Random(seed))
    for number in range(documents):
        write_document(folder / f"d{number:06}.md", corpus, number)
    return folder


def write_document(path: Path, corpus: Corpus, number: int) -> None:
    """One contract."""
    lines = [f"# {corpus.title(number)}", ""]
    for section, heading in enumerate(corpus.rng.sample(HEADINGS, SECTIONS), 1):
        lines += [f"## {section}. {heading}", ""]
        for clause in range(1, CLAUSES + 1):
            lines += [f"{section}.{clause} {_clause(corpus, section, clause)}", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def _clause(corpus: Corpus, section: int, clause: int) -> str:
    """Two or three sentences: one is a rule of this contract, the others come from the corpus."""
    cited = f"clause {section}.{corpus.rng.randint(1, clause - 1)}" if clause > 1 else f"section {section - 1 or 2}"
    other = corpus.title(corpus.rng.randrange(corpus.documents))
    party, days = corpus.party(), corpus.rng.randint(2, 90)
    rules = (
        f"{party} shall give notice within {days} days.",
        f"Subject to {cited}, {party} must keep the records for {days} days.",
        f"If {party} is late, the fee under {cited} is reduced by {days} percent.",
        f"Notwithstanding {cited}, {party} may refuse a delivery after {days} days.",
        f"This does not apply to {party}.",
        f"Terms of the {other} apply to {party} as well.",
    )
    return " ".join((corpus.rng.choice(rules), *(corpus.sentence() for _ in range(corpus.rng.randint(1, 2)))))


def name(number: int) -> str:
    """A place that is in no dictionary; the first 3,584 are of three syllables, later ones of more."""
    rest, onset = divmod(number, len(ONSETS))
    rest, ending = divmod(rest, len(ENDINGS))
    middles = ""
    while True:
        rest, middle = divmod(rest, len(MIDDLES))
        middles += MIDDLES[middle]
        if not rest:
            return ONSETS[onset] + middles + ENDINGS[ending]
        rest -= 1


def sentences() -> Sequence[str]:
    """Of Debian's package descriptions; where this machine has none, of the bundled corpus."""
    try:
        found = collect_sentences(read_descriptions())
    except NoDescriptionsError:
        texts = (document.text for document in SampleSource(SourceSettings(source="sample")).documents(STRICT))
        found = collect_sentences(texts)
    return (*found.openers, *found.others)
