"""What could be built from a corpus: coverage and ranked proposals, for a person to accept, reject or reword."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.stage import Pipeline
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import adapter, read_jsonl, write_jsonl
from constraintsuite.suites.build import STAGES, fingerprint_inputs, resolve
from constraintsuite.suites.corpus.files import StageRecords
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.records import Proposal, Snippet
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.queries import read_proposals
from constraintsuite.text.mentions import find_forms

SNIPPETS = 2


@dataclass(frozen=True)
class ProposalReport:
    """The answer of `csuite propose`."""

    coverage: CorpusCoverage
    proposals: tuple[Proposal, ...]
    file: Path

    def in_words(self, top: int) -> str:
        """Coverage, then the best proposals with evidence."""
        c = self.coverage
        unasked = sum(proposal.status == "build" for proposal in self.proposals)
        lines = [
            c.verdict,
            "",
            f"documents            {c.documents:,}",
            f"with a class         {c.documents_with_class:,} ({percent(c.class_share)})",
            f"facts per document   {c.facts_per_document:.2f}",
            f"topics               {c.topics:,}: "
            + ", ".join(f"{name} {count}" for name, count in c.largest_topics[:8]),
            "relations            "
            + (", ".join(f"{name} {count}" for name, count in c.facts_by_relation[:8]) or "none"),
            f"(topic, Y)           {len(self.proposals):,}, of which {unasked:,} are built unasked",
            "unknown classes      "
            + (", ".join(f"{name} {count}" for name, count in c.learned_classes[:10]) or "none"),
            "unknown relations    "
            + (", ".join(f"{name} {count}" for name, count in c.learned_relations[:10]) or "none"),
            f"expected examples    about {c.expected_examples:,} before filters",
            "",
        ]
        for number, proposal in enumerate(self.proposals[:top], 1):
            lines.append(f"{number:>3}. {proposal.query}   [{proposal.status}, {proposal.relation}, {proposal.split}]")
            lines.append(
                f"     {proposal.topic_documents} on topic, {len(proposal.violating)} affirm, {len(proposal.satisfying)} deny; about "
                f"{proposal.examples_expected} examples"
            )
            lines += [f"     {snippet.verdict:<8} {snippet.document}: {snippet.text}" for snippet in proposal.evidence]
        lines += [
            "",
            f"All {len(self.proposals):,} are in {self.file}. Set their status, then:",
            f"csuite build --corpus … --approved {self.file} --out suites/ours",
        ]
        return "\n".join(lines)

    def as_record(self, top: int) -> dict[str, object]:
        """Coverage, the first `top` proposals and the file, for --json."""
        return {"coverage": self.coverage, "proposals": self.proposals[:top], "file": self.file}


def propose_queries(recipe: Recipe, out: Path, *, engine: Engine, reporter: Reporter) -> ProposalReport:
    """Run the first stages in a scratch folder and write the proposals to `out`, whatever was approved before."""
    recipe = resolve(recipe.model_copy(update={"approved": None}))
    if out.is_file() and any(p.status in ("accepted", "rejected") for p in read_jsonl(out, Proposal)):
        raise UserError(f"{out}: holds proposals that a person has judged. Choose another --out, or move it away.")
    with tempfile.TemporaryDirectory() as scratch:
        first = Pipeline(tuple(stage for stage in STAGES if stage.name in ("documents", "mentions", "queries")))
        done = first.run(recipe, Path(scratch), fingerprint_inputs(recipe), engine, reporter)
        coverage = adapter(CorpusCoverage).validate_json((done["queries"].path / "coverage.json").read_bytes())
        documents = StageRecords.of(done["documents"].path, Document)
        proposals = tuple(_with_evidence(read_proposals(done["queries"].path), documents))
    write_jsonl(out, proposals)
    return ProposalReport(coverage, proposals, out)


def _with_evidence(proposals: Sequence[Proposal], documents: Mapping[str, Document]) -> Iterable[Proposal]:
    for proposal in proposals:
        if proposal.evidence:
            yield proposal
            continue
        snippets = [_snippet(documents[d], "affirms", proposal.constraint.forms) for d in proposal.violating[:SNIPPETS]]
        snippets += [
            _snippet(documents[d], "denies", proposal.constraint.forms) for d in proposal.satisfying[:SNIPPETS]
        ]
        yield replace(proposal, evidence=tuple(snippets))


def _snippet(document: Document, verdict: str, forms: Sequence[str]) -> Snippet:
    """The sentence around the first mention of Y."""
    spans = find_forms(document.text, forms)
    if not spans:
        return Snippet(document.id, verdict, document.text[:160])
    start = max((m.end() for m in re.finditer(r"[.!?] ", document.text[: spans[0].start])), default=0)
    end = re.compile(r"[.!?](?= |$)").search(document.text, spans[0].end)
    return Snippet(document.id, verdict, document.text[start : end.end() if end else None][:240])
