"""How fast suites are built. Prints tables; nothing here fails because something is slow.

    python benchmarks/build.py pairs
    python benchmarks/build.py growth
    python benchmarks/build.py engines --numba-python /tmp/numba/bin/python --tantivy-python /tmp/tantivy/bin/python

`pairs` compares with the sketch in the construction guide. `growth` and `engines` need Debian's package descriptions and
are skipped where there are none. Times are processor seconds unless said: on a machine that others use too, the clock on
the wall says little.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.corpus.files import walk
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.pairs.couples import find_couples, natural_drafts
from constraintsuite.suites.pairs.matching import Matching, measure
from constraintsuite.suites.pairs.singles import single_drafts
from constraintsuite.suites.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import classes_of
from constraintsuite.suites.queries.view import read_heads
from constraintsuite.suites.reading.records import DocumentReading, NounsRead
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.suites.stages.candidates import Pool, read_pools
from constraintsuite.suites.stages.documents import read_clusters, read_documents
from constraintsuite.suites.stages.mentions import read_all
from constraintsuite.suites.stages.queries import read_proposals, read_splits
from engines import engines
from growth import growth
from measure import run_measured
from tables import load, show, target

T = TypeVar("T")
Query = tuple[str, str]
"""Topic and Y."""


@click.group()
def main() -> None:
    """Benchmarks of csuite build."""


main.add_command(growth)
main.add_command(engines)


@main.command()
@click.option("--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="Runs; the median counts.")
def pairs(repeat: int) -> None:
    """Queries mined per second from pools to pairs, against the guide's sketch of stages 4 and 5."""
    corpora = {"sample": "sample"}
    data = os.environ.get("CSUITE_TEST_DATA")
    if data:
        corpora["wiki"] = str(Path(data) / "wiki_2hop_corpus" / "corpus.json")
    else:
        click.echo("wiki: skipped, CSUITE_TEST_DATA is not set.")
    for name, source in corpora.items():
        with tempfile.TemporaryDirectory() as folder:
            compare(name, _prepare(source, Path(folder)), repeat)


@dataclass(frozen=True)
class Case:
    """Finished stages up to the pools, in memory."""

    proposals: Sequence[Proposal]
    pools: Mapping[str, Pool]
    documents: Mapping[str, Document]
    readings: Mapping[str, DocumentReading]
    years: Mapping[str, int]
    clusters: Mapping[str, str]
    splits: Mapping[str, Any]

    @property
    def pooled(self) -> list[Document]:
        """The documents of all pools, each once."""
        return [self.documents[d] for d in sorted({d for pool in self.pools.values() for d in pool.documents})]


class Row(NamedTuple):
    """What one way of mining did."""

    way: str
    answered: int
    pairs: int
    seconds: float

    @property
    def rate(self) -> float:
        """Distinct (topic, Y) with at least one pair, per second."""
        return self.answered / self.seconds


def compare(name: str, case: Case, repeat: int) -> None:
    """Both ways on the same pools and documents, in turn."""
    documents = case.pooled
    list(read_all(documents[:3], "rules"))  # word lists are loaded once a process, outside the clock
    reading, _ = _clock(lambda: list(read_all(documents, "rules")))
    collecting = statistics.median(_clock(lambda: _evidence(case))[0] for _ in range(repeat))
    one_pool = {p.id: _candidates(case, p.opposite) for p in case.proposals}
    two_pools = {p.id: _candidates(case, p.topic, p.opposite) for p in case.proposals}
    matching = _matching(case, _evidence(case))
    guide, unfiltered, both, ours = _in_turn(
        {
            "guide, pool of the opposite query": lambda: _sketch(case.proposals, one_pool),
            "guide, the same without its filters": lambda: _sketch(case.proposals, one_pool, filters=False),
            "guide, pools of topic and that query": lambda: _sketch(case.proposals, two_pools),
            "ours, pools and evidence to drafts": lambda: _mine(case.proposals, matching),
        },
        repeat,
    )
    with_evidence = ours._replace(way="ours, with evidence", seconds=ours.seconds + collecting)
    with_mentions = ours._replace(way="ours, with evidence and mentions", seconds=with_evidence.seconds + reading)
    show(
        f"{name}: {len(case.documents):,} documents, {len(documents):,} of them in {len(case.pools):,} pools, "
        f"{len({(p.topic, p.constraint.value) for p in case.proposals}):,} (topic, Y); median of {repeat}; {load()}",
        ("", "answered", "pairs", "seconds", "answered/s", "to guide"),
        [
            (*row, row.rate, row.rate / guide.rate)
            for row in (guide, unfiltered, both, ours, with_evidence, with_mentions)
        ],
    )
    target("pools to pairs, ours to guide", ours.rate / guide.rate, 1.0, at_most=False)
    target("with the mention stage, ours to guide", with_mentions.rate / guide.rate, 0.1, at_most=False)


def _in_turn(ways: Mapping[str, Callable[[], list[Query]]], repeat: int) -> list[Row]:
    """Every way once a round, so that a busy spell of the machine meets all of them."""
    rounds = [[(way, *_clock(work)) for way, work in ways.items()] for _ in range(repeat)]
    return [
        Row(runs[0][0], len(set(runs[0][2])), len(runs[0][2]), statistics.median(seconds for _, seconds, _ in runs))
        for runs in zip(*rounds, strict=True)
    ]


def _prepare(source: str, folder: Path) -> Case:
    """Build up to the pools in another process, which leaves no warm caches here, and read its stages."""
    command = ["build", "--corpus", source, "--analyser", "rules", "--until", "candidates", "--out", str(folder)]
    run_measured([sys.executable, "-m", "constraintsuite", *command])
    stages = folder / "stages"
    readings = {row.id: row.parse(DocumentReading) for row in walk(stages / "mentions")}
    heads = read_heads(stages / "mentions", load_knowledge(()))
    classes = {name: classes_of(reading.classes, heads, load_knowledge(())) for name, reading in readings.items()}
    return Case(
        [p for p in read_proposals(stages / "queries") if p.status == "build"],
        {pool.query: pool for pool in read_pools(stages / "candidates")},
        {document.id: document for document in read_documents(stages / "documents")},
        readings,
        {name: found[0].year for name, found in classes.items() if found and found[0].year is not None},
        read_clusters(stages / "documents", readings),
        read_splits(stages / "queries", readings),
    )


def _clock(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


# Ours: what the stage `pairs` does for natural pairs.


def _mine(proposals: Sequence[Proposal], matching: Matching) -> list[Query]:
    """The (topic, Y) of every draft."""
    settings = PairSettings()
    couples = list(find_couples(proposals, matching, settings, Counter(), explicit=True))
    couples += find_couples(proposals, matching, settings, Counter(), explicit=False)
    drafts = list(natural_drafts(couples, matching))
    drafts += list(single_drafts(proposals, drafts, matching, settings))
    asked = {p.id: (p.topic, p.constraint.value) for p in proposals}
    return [asked[draft.proposal] for draft in drafts]


def _evidence(case: Case) -> dict[str, Stances]:
    by_words: dict[YWords, list[str]] = defaultdict(list)
    for proposal in case.proposals:
        by_words[_words(proposal)].append(proposal.id)
    entries = {str(i): words for i, words in enumerate(by_words)}
    documents = {d for p in case.proposals for d in (*p.violating, *p.satisfying, *p.on_topic)}
    found = collect_evidence(entries, ((case.documents[d], _nouns(case.readings[d])) for d in sorted(documents)))
    return {proposal: found[str(i)] for i, ids in enumerate(by_words.values()) for proposal in ids}


def _words(proposal: Proposal) -> YWords:
    constraint = proposal.constraint
    return YWords(constraint.forms, constraint.kinds if isinstance(constraint, Exclude) else (), proposal.is_attribute)


def _nouns(reading: DocumentReading) -> NounsRead:
    return NounsRead(reading.id, reading.scopes, reading.nouns)


def _matching(case: Case, evidence: Mapping[str, Stances]) -> Matching:
    pools = case.pools
    return Matching(
        documents=case.documents,
        readings=case.readings,
        measures={name: measure(one.text, case.readings[name].scopes) for name, one in case.documents.items()},
        clusters=case.clusters,
        years=case.years,
        splits=case.splits,
        evidence=evidence,
        topic_scores={
            p.topic: dict(zip(pools[p.topic].documents, pools[p.topic].scores, strict=True)) for p in case.proposals
        },
        best_scores={p.topic: max(pools[p.topic].scores, default=1.0) or 1.0 for p in case.proposals},
        pooled={p.id: frozenset((*pools[p.topic].documents, *pools[p.opposite].documents)) for p in case.proposals},
    )


# The peer: stages 4 and 5 as the guide sketches them. It names no thresholds: those of ours are used where we have them.

GUIDE_CONFIG = {
    "max_doc_length_ratio": PairSettings().max_length_ratio,
    "min_doc_length": 50,
    "min_lexical_overlap": FilterSettings().min_topic_overlap,
}


def _candidates(case: Case, *queries: str) -> list[dict[str, Any]]:
    """Pools as the guide's stage 3 hands them over."""
    documents = dict.fromkeys(d for query in queries for d in case.pools[query].documents)
    return [{"doc_id": d, "text": case.documents[d].text, "bm25_rank": rank} for rank, d in enumerate(documents)]


def _sketch(
    proposals: Sequence[Proposal], pools: Mapping[str, list[dict[str, Any]]], *, filters: bool = True
) -> list[Query]:
    """The (topic, Y) that the guide's functions find a pair for."""
    answered = []
    for proposal in proposals:
        pair = mine_pair(pools[proposal.id], list(proposal.constraint.forms))
        if pair is not None and (not filters or passes_filters(*pair, proposal.opposite, GUIDE_CONFIG)):
            answered.append((proposal.topic, proposal.constraint.value))
    return answered


NEG_MARKERS = [r"\bno\b", r"\bwithout\b", r"\bfree of\b", r"\bexclude[sd]?\b", r"\bnot\b"]


def contains_y(text: str, y_forms: list[str]) -> bool:
    """Check if text contains any surface form of Y."""
    text_lower = text.lower()
    return any(form.lower() in text_lower for form in y_forms)


def y_is_negated_nearby(text: str, y: str, window: int = 40) -> bool:
    """Check if Y appears near a negation marker."""
    text_lower = text.lower()
    y_lower = y.lower()
    idx = text_lower.find(y_lower)
    if idx == -1:
        return False
    left = max(0, idx - window)
    right = min(len(text_lower), idx + len(y_lower) + window)
    span = text_lower[left:right]
    return any(re.search(pat, span) for pat in NEG_MARKERS)


def mine_pair(candidates: list[dict[str, Any]], y_forms: list[str]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Mine a (doc_pos, doc_neg) pair from candidates; None if no valid pair is found."""
    violators = [
        c for c in candidates if contains_y(c["text"], y_forms) and not y_is_negated_nearby(c["text"], y_forms[0])
    ]
    satisfiers = [
        c for c in candidates if not contains_y(c["text"], y_forms) or y_is_negated_nearby(c["text"], y_forms[0])
    ]
    if not violators or not satisfiers:
        return None
    doc_neg = violators[0]
    doc_pos = min(satisfiers, key=lambda c: abs(c["bm25_rank"] - doc_neg["bm25_rank"]))
    return doc_pos, doc_neg


def passes_filters(
    doc_pos: dict[str, Any], doc_neg: dict[str, Any], query_base: str, config: Mapping[str, float]
) -> bool:
    """Check if a pair passes all quality filters."""
    len_pos = len(doc_pos["text"])
    len_neg = len(doc_neg["text"])
    ratio = max(len_pos, len_neg) / max(min(len_pos, len_neg), 1)
    if ratio > config["max_doc_length_ratio"]:
        return False
    if len_pos < config["min_doc_length"] or len_neg < config["min_doc_length"]:
        return False
    query_terms = set(query_base.lower().split())
    pos_terms = set(doc_pos["text"].lower().split())
    neg_terms = set(doc_neg["text"].lower().split())
    overlap_pos = len(query_terms & pos_terms) / len(query_terms)
    overlap_neg = len(query_terms & neg_terms) / len(query_terms)
    return overlap_pos >= config["min_lexical_overlap"] and overlap_neg >= config["min_lexical_overlap"]


if __name__ == "__main__":
    main()
