"""Stage 5: couples, singles, inserted contrasts, exchanged fillers, negated sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from constraintsuite.build.domain import load_knowledge
from constraintsuite.build.pairs.contrast import Passage, contrast_drafts
from constraintsuite.build.pairs.couples import Matching, find_couples, natural_drafts, single_drafts
from constraintsuite.build.pairs.flips import flip_drafts
from constraintsuite.build.pairs.records import Draft
from constraintsuite.build.pairs.swaps import natural_swaps
from constraintsuite.build.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.queries.view import CorpusView
from constraintsuite.build.recipe import Recipe
from constraintsuite.build.stages.candidates import Pool, read_pools
from constraintsuite.build.stages.documents import read_clusters
from constraintsuite.build.stages.mentions import read_readings
from constraintsuite.build.stages.queries import read_proposals, read_splits
from constraintsuite.build.stages.viewing import view_corpus
from constraintsuite.execution.spread import Outcome
from constraintsuite.execution.stage import Job
from constraintsuite.store.jsonl import read_jsonl, write_jsonl


def work(job: Job[Recipe]) -> Outcome:
    """Write `drafts.jsonl`."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    view = view_corpus(job.inputs["documents"], job.inputs["mentions"], knowledge, recipe.queries.min_topic_documents)
    proposals = [p for p in read_proposals(job.inputs["queries"]) if p.status in ("build", "accepted")]
    matching = _matching(job, view, proposals)
    rejects: Counter[str] = Counter()
    couples = list(find_couples(proposals, matching, recipe.pairs, rejects, explicit=True))
    couples += find_couples(proposals, matching, recipe.pairs, Counter(), explicit=False)
    drafts = list(natural_drafts(couples, matching))
    drafts += single_drafts(proposals, drafts, matching, recipe.pairs)
    if recipe.pairs.insert_contrasts:
        passages = _passages(view, {document for couple in couples for document in (couple.a, couple.b)})
        for couple in couples:
            drafts += contrast_drafts(couple, passages, knowledge)
    attributes = [p for p in proposals if p.is_attribute]
    wanted = {d for p in attributes for d in (*p.affirming, *p.denying)}
    readings = {r.id: r for r in read_readings(job.inputs["mentions"]) if r.id in wanted}
    drafts += natural_swaps(attributes, readings, matching)
    if recipe.pairs.flips:
        drafts += flip_drafts(attributes, readings, matching)
    drafts, repeated = distinct(drafts)
    rejects["repeated"] += repeated
    write_jsonl(job.out / "drafts.jsonl", drafts)
    counts = Counter(
        f"{draft.slice.removeprefix('negation_')} ({draft.operator.partition(':')[0]})" for draft in drafts
    )
    return Outcome({"drafts": len(drafts), "couples": len(couples), **dict(sorted(counts.items()))}, dict(rejects))


def distinct(drafts: Sequence[Draft]) -> tuple[list[Draft], int]:
    """Drafts without repetitions (two couples can give one edited text), and how many were dropped; couples go whole."""
    seen: set[tuple[str, str, str]] = set()
    repeated: set[str] = set()
    kept = []
    for draft in drafts:
        key = (draft.proposal, draft.pos_text, draft.neg_text)
        if key not in seen:
            kept.append(draft)
        elif draft.couple:
            repeated.add(draft.couple)
        seen.add(key)
    whole = [draft for draft in kept if draft.couple not in repeated]
    return whole, len(drafts) - len(whole)


def _matching(job: Job[Recipe], view: CorpusView, proposals: Sequence[Proposal]) -> Matching:
    pools = read_pools(job.inputs["candidates"])
    years = {document: classes[0].year for document, classes in view.topics.classes.items()}
    return Matching(
        texts={document.id: document.text for document in view.documents.values()},
        clusters=read_clusters(job.inputs["documents"]),
        years=years,
        splits=read_splits(job.inputs["queries"]),
        evidence=_evidence(proposals, view),
        topic_scores={p.topic: _scores(pools, p.topic) for p in proposals},
        pooled={p.id: frozenset(pools[p.topic].documents) | frozenset(pools[p.base].documents) for p in proposals},
    )


def _evidence(proposals: Sequence[Proposal], view: CorpusView) -> dict[str, Stances]:
    """Evidence by proposal; proposals with the same words share it."""
    by_words: dict[YWords, list[str]] = defaultdict(list)
    for proposal in proposals:
        by_words[YWords(proposal.forms, proposal.blocked)].append(proposal.id)
    entries = {str(i): words for i, words in enumerate(by_words)}
    documents = {*view.topics.topics, *(d for p in proposals for d in p.on_topic)}
    found = collect_evidence(entries, (view.documents[d] for d in sorted(documents)), view.scopes)
    return {proposal: found[str(i)] for i, ids in enumerate(by_words.values()) for proposal in ids}


def _scores(pools: Mapping[str, Pool], query: str) -> dict[str, float]:
    pool = pools[query]
    return dict(zip(pool.documents, pool.scores, strict=True))


def _passages(view: CorpusView, documents: set[str]) -> dict[str, Passage]:
    return {
        d: Passage(
            view.documents[d].text, view.documents[d].title, view.facts.get(d, ()), view.sentences[d], _subject(view, d)
        )
        for d in documents
    }


def _subject(view: CorpusView, document: str) -> str:
    """How a new sentence may speak of the document's subject."""
    kinds = {c.kind for c in view.topics.classes.get(document, ())}
    pronoun = view.pronouns[document]
    return pronoun if "person" in kinds else "It"


def read_drafts(folder: Path) -> list[Draft]:
    """The drafts of the stage."""
    return list(read_jsonl(folder / "drafts.jsonl", Draft))
