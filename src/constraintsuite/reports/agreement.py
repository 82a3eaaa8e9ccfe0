"""How far people agree, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.annotate.agreement import ALL, Attention, QuestionAgreement
from constraintsuite.records.tables import Column, Table


def agreement_table(rows: Sequence[QuestionAgreement]) -> Table:
    """One row a question, and by group where there are groups; each figure with its interval."""
    several = {row.group for row in rows} - {ALL}
    return Table(
        "agreement",
        "Agreement, with 95 % intervals",
        (
            Column("question"),
            *([Column("group")] if several else []),
            Column("raw", "share"),
            Column("kappa", "number"),
            Column("AC1", "number"),
            Column("alpha", "number"),
            Column("differ", "count"),
        ),
        tuple(
            (
                row.question,
                *([row.group] if several else []),
                row.figures.raw,
                row.figures.kappa,
                row.figures.ac1,
                row.figures.alpha,
                row.differing,
            )
            for row in rows
        ),
    )


def attention_table(people: Sequence[Attention]) -> Table:
    """One row a person: what can be checked without another."""
    return Table(
        "attention",
        "Annotators",
        (
            Column("annotator"),
            Column("items", "count"),
            Column("decoys right", "share"),
            Column("same again", "share"),
            Column("chose what was shown first", "share"),
        ),
        tuple((one.annotator, one.answered, one.decoys, one.repeats, one.shown_first) for one in people),
    )
