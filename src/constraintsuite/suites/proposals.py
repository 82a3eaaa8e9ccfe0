"""Proposes what could be built from a corpus: coverage and ranked proposals, for a person to accept, reject or reword."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.stage import Pipeline
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.text import Document, Span
from constraintsuite.core.store.jsonl import read_json, read_jsonl, write_jsonl
from constraintsuite.suites.build import STAGES, fingerprint_inputs, resolve
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.corpus.files import StageRecords
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.queries.considered import CONSIDERED, ConsideredAttribute
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.records import Proposal, Snippet
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.queries import read_proposals
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms

SNIPPETS = 2


@dataclass(frozen=True)
class ProposalReport:
    """The result of `csuite propose`."""

    coverage: CorpusCoverage
    proposals: tuple[Proposal, ...]
    considered: tuple[ConsideredAttribute, ...]
    """Every attribute that was looked at, those with most denials first."""
    file: Path

    def in_words(self, top: int) -> str:
        """Coverage, then the best proposals with evidence, for people."""
        c = self.coverage
        sure = sum(proposal.status == "build" for proposal in self.proposals)
        figures = {
            "documents": f"{c.documents:,}",
            "with a class": f"{c.documents_with_class:,} ({percent(c.class_share)})",
            "facts per document": f"{c.facts_per_document:.2f}",
            "topics": f"{c.topics:,}: {_list_counts(c.largest_topics[:8])}",
            "relations": _list_counts(c.facts_by_relation[:8]) or "none",
            "proposals": f"{len(self.proposals):,}, of which {sure:,} are built without approval",
            "unknown classes": _list_counts(c.learned_classes[:10]) or "none",
            "unknown relations": _list_counts(c.learned_relations[:10]) or "none",
            "expected examples": f"about {c.expected_examples:,} before filters",
        }
        lines = [c.verdict, "", *(f"{title:<20} {text}" for title, text in figures.items()), ""]
        for number, proposal in enumerate(self.proposals[:top], 1):
            lines += [
                f"{number:>3}. {proposal.query}   [{proposal.status}, {proposal.relation}, {proposal.split}]",
                f"     {proposal.topic_documents} on topic, {_count_sides(proposal)}; about {proposal.examples_expected} examples",
                *(f"     {snippet.verdict:<8} {snippet.document}: {snippet.text}" for snippet in proposal.evidence),
            ]
        unused = [one for one in self.considered if one.outcome != "proposed"]
        if unused and top:
            lines += ["", f"Not asked for ({len(unused):,}; --json gives all):"]
            lines += [f"     {one.in_words()}" for one in unused[:top]]
        lines += [
            "",
            f"All {len(self.proposals):,} are in {self.file}. Set their status, then:",
            f"csuite build --corpus … --approved {self.file} --out suites/ours",
        ]
        return "\n".join(lines)

    def as_record(self, top: int) -> dict[str, object]:
        """Coverage, the first `top` proposals, all that was considered, and the file, for --json."""
        return {
            "coverage": self.coverage,
            "proposals": self.proposals[:top],
            "considered": self.considered,
            "file": self.file,
        }


def propose_queries(recipe: Recipe, out: Path, *, engine: Engine, reporter: Reporter) -> ProposalReport:
    """Run the first stages in a temporary folder and write the proposals to `out`; an earlier approval is ignored."""
    recipe = resolve(recipe.model_copy(update={"approved": None}))
    if out.is_file() and any(p.status in ("accepted", "rejected") for p in read_jsonl(out, Proposal)):
        raise UserError(f"{out}: holds proposals that a person has judged. Choose another --out, or move it away.")
    with tempfile.TemporaryDirectory() as scratch:
        first = Pipeline(tuple(stage for stage in STAGES if stage.name in ("documents", "mentions", "queries")))
        done = first.run(recipe, Path(scratch), fingerprint_inputs(recipe), engine, reporter)
        coverage = read_json(done["queries"].path / "coverage.json", CorpusCoverage)
        considered = tuple(read_jsonl(done["queries"].path / CONSIDERED, ConsideredAttribute))
        documents = StageRecords.of(done["documents"].path, Document)
        proposals = tuple(_with_evidence(proposal, documents) for proposal in read_proposals(done["queries"].path))
    write_jsonl(out, proposals)
    return ProposalReport(coverage, proposals, considered, out)


def _list_counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)


def _count_sides(proposal: Proposal) -> str:
    violating, satisfying = len(proposal.violating), len(proposal.satisfying)
    if isinstance(proposal.constraint, Exclude):
        return f"{violating} affirm, {satisfying} deny"
    return f"{satisfying} obey it, {violating} break it"


def _with_evidence(proposal: Proposal, documents: Mapping[str, Document]) -> Proposal:
    """The proposal with sentences of some of its documents, unless it has some."""
    is_exclusion = isinstance(proposal.constraint, Exclude)
    words = ("affirms", "denies") if is_exclusion else ("breaks", "obeys")
    sides = zip(words, (proposal.violating[:SNIPPETS], proposal.satisfying[:SNIPPETS]), strict=True)
    snippets = tuple(_quote(documents[name], word, proposal.constraint) for word, names in sides for name in names)
    return replace(proposal, evidence=proposal.evidence or snippets)


def _quote(document: Document, verdict: str, constraint: Constraint) -> Snippet:
    """The sentence around the first place that decides."""
    if isinstance(constraint, Exclude):
        spans = find_forms(document.text, constraint.forms)
    else:
        (analysis,) = get_analyser("rules").analyse([document.text])
        found = load_builder(constraint.type).read(constraint, "", analysis, document.title, load_knowledge())
        spans = [Span(one.start, one.end) for one in found]
    if not spans:
        return Snippet(document.id, verdict, document.text[:160])
    start = max((m.end() for m in re.finditer(r"[.!?] ", document.text[: spans[0].start])), default=0)
    end = re.compile(r"[.!?](?= |$)").search(document.text, spans[0].end)
    return Snippet(document.id, verdict, document.text[start : end.end() if end else None][:240])
