"""What `csuite gold` prints."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraintsuite.memory.private.acceptance import BenchmarkExport, EvidenceAgreement
    from constraintsuite.suites.annotation.adjudication import Disagreement
    from constraintsuite.suites.annotation.agreement import Attention, QuestionAgreement
    from constraintsuite.suites.annotation.current_answers import AnnotatorProgress
    from constraintsuite.suites.annotation.kinds.gold import GoldSummary

SHOWN = 20
"""At most this many lines of a list are printed."""


def progress_line(progress: AnnotatorProgress) -> str:
    """How much of a queue a person has done."""
    left = "" if not progress.seconds_left else f", about {progress.seconds_left / 60:.0f} minutes left"
    return f"{progress.annotator}: {progress.done} of {progress.total} done{left}"


def disagreement_lines(found: list[Disagreement]) -> Iterator[str]:
    """The first open disagreements, and how many there are."""
    from constraintsuite.suites.annotation.records import spell_value

    for one in found[:SHOWN]:
        answers = ", ".join(f"{name}: {spell_value(value)}" for name, value in one.answers.items())
        yield f"{one.item}  {one.question}  {answers}"
    more = f" (the first {SHOWN} are shown; --json lists all)" if len(found) > SHOWN else ""
    yield f"Waiting for a ruling: {len(found)}{more}."


def agreement_text(rows: list[QuestionAgreement], people: list[Attention]) -> str:
    """Tables of questions and annotators, how many more items are needed, and whom not to rely on."""
    from constraintsuite.app.pages.agreement import agreement_table, attention_table

    compared = [row for row in rows if row.figures.raw.n]
    unasked = sorted({row.question for row in rows if row.group == "all" and not row.figures.raw.n})
    lines = [
        str(agreement_table(compared)),
        f"\nDistance that alpha uses: {'; '.join(sorted({f'{row.question}: {row.scale}' for row in compared}))}.\n",
        *(f"{row.question}: {row.needed}." for row in compared if row.group == "all"),
        *([f"Not answered by two people: {', '.join(unasked)}."] if unasked else []),
        f"\n{attention_table(people)}",
        *_attention_lines(people),
    ]
    return "\n".join(lines)


def gold_text(summary: GoldSummary, people: list[Attention], out: Path) -> str:
    """What an export of examples found, and whom not to rely on."""
    from constraintsuite.core.records.figures import say

    lines = [
        f"{out}: " + ", ".join(f"{count} {verdict}" for verdict, count in summary.verdicts.items()),
        f"label accuracy on settled items: {say(summary.right, 'share')}; {summary.needed}.",
        *_attention_lines(people),
    ]
    return "\n".join(lines)


def _attention_lines(people: list[Attention]) -> list[str]:
    """Whose answers not to rely on and by which rule, and about whom too little is known."""
    from constraintsuite.suites.annotation.agreement import ADVICE, RULE, find_concerns, too_few

    lines = [f"{concern.annotator} {concern.words}" for concern in find_concerns(people)]
    lines += [f"{RULE} {ADVICE} Leave them out with --without NAME."] if lines else []
    lines += [too_few(people)] if too_few(people) else []
    return ["", *lines] if lines else []


def evidence_text(found: EvidenceAgreement) -> str:
    """How far people agree on the evidence of private cases, and whether that is enough."""
    from constraintsuite.core.records.figures import say, show

    figures = {
        "mean Jaccard": show(found.jaccard, "number"),
        "mean F1": show(found.f1, "number"),
        "exactly the same": say(found.exact, "share"),
        "alpha (Jaccard)": show(found.alpha_jaccard, "number"),
        "alpha (MASI)": show(found.alpha_masi, "number"),
    }
    lines = ["\nEvidence", *(f"  {name:<17} {figure}" for name, figure in figures.items())]
    worst = [case for case in found.cases if case.jaccard < 1][:SHOWN]
    lines += [f"  {case.case}: Jaccard {case.jaccard:.2f}, F1 {case.f1:.2f}" for case in worst]
    verdict = "passed" if found.passed else "FAILED"
    rule = f"the lower bounds of mean Jaccard and of alpha (Jaccard) must both be {found.least:.2f} or more"
    return "\n".join([*lines, f"{verdict}  {rule}."])


def benchmark_text(found: BenchmarkExport, out: Path | None) -> str:
    """What an export of private cases wrote to `out`, or that it wrote nothing, and which criteria are met."""
    written = "nothing is written" if out is None else f"written to {out}"
    lines = [
        f"{found.golden} golden cases, {found.shadow} shadow cases: {written}.",
        *(f"  left out: {count} ({reason})" for reason, count in found.left_out.items()),
    ]
    for one in found.criteria:
        wanted = f"wanted: {one.wanted}{'' if one.binding else '; advice'}"
        lines.append(f"  {'met    ' if one.met else 'not met'}  {one.name}: {one.found} ({wanted})")
    verdict = "accepted." if found.accepted else "not accepted: say so wherever figures of this set are shown."
    return "\n".join([*lines, verdict])
