"""Tables of how far annotators agree, and how attentive they are."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.core.records.tables import ItemColumns, Table, tabulate
from constraintsuite.suites.annotation.agreement import ALL, Attention, QuestionAgreement

_AGREEMENT: ItemColumns[QuestionAgreement] = {
    "question": ("text", lambda row: row.question),
    "group": ("text", lambda row: row.group),
    "raw": ("share", lambda row: row.figures.raw),
    "kappa": ("number", lambda row: row.figures.kappa),
    "AC1": ("number", lambda row: row.figures.ac1),
    "alpha": ("number", lambda row: row.figures.alpha),
    "differ": ("count", lambda row: row.differing),
}
_ATTENTION: ItemColumns[Attention] = {
    "annotator": ("text", lambda one: one.annotator),
    "items": ("count", lambda one: one.answered),
    "decoy accuracy": ("share", lambda one: one.decoys),
    "self-agreement": ("share", lambda one: one.repeats),
    "chose first text": ("share", lambda one: one.shown_first),
}


def agreement_table(rows: Sequence[QuestionAgreement]) -> Table:
    """One row per question, or per question and group; each figure with its interval."""
    several = {row.group for row in rows} - {ALL}
    columns = {title: column for title, column in _AGREEMENT.items() if several or title != "group"}
    return tabulate("agreement", "Agreement, with 95 % intervals", rows, columns)


def attention_table(people: Sequence[Attention]) -> Table:
    """One row per annotator: answers to decoys and repeats, and the habit of choosing the first text."""
    return tabulate("attention", "Annotators", people, _ATTENTION)
