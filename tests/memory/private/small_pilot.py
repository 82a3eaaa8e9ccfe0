"""Two short contracts, five cases, and people who label them: a pilot that can be followed by hand."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from constraintsuite.memory.private.acceptance import BenchmarkExport, export
from constraintsuite.memory.private.cases import PrivateCase, open_labels, write_case_sheet
from constraintsuite.memory.private.inventory import INVENTORY, write_inventory
from constraintsuite.memory.private.versions import freeze
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of
from constraintsuite.suites.annotation.records import AnswerValue, EventDraft

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LEASE = """# Garage Lease

## 1 Rent

1.1 The tenant pays 90 euros for the garage on the first day of each month.

1.2 If the rent is more than ten days late, the tenant owes five euros for each further day.

1.3 Section 1.2 does not apply in the first month of the lease.

## 2 End

2.1 Either party may end the lease with two months of notice, in writing.

2.2 The landlord may end the lease at once if a fuel tank is kept in the garage.
"""
SUPPLY = """# Candle Supply

## 1 Delivery

1.1 The chandler delivers 40 boxes of candles every second Tuesday before noon.

1.2 A delivery that comes after noon is free of charge unless a road was closed.

## 2 Payment

2.1 The shop pays each invoice within 20 days of the day on which it was sent.

2.2 The shop may hold back the price of broken candles until they are replaced.

2.3 Unpaid invoices bear six percent a year from the day after they fall due.
"""
GOLD: Mapping[str, tuple[str, ...]] = {
    "late-rent": ("garage_lease:1.2",),
    "first-month": ("garage_lease:1.2", "garage_lease:1.3"),
    "fuel": ("garage_lease:2.2",),
    "after-noon": ("candle_supply:1.2",),
    "broken": ("candle_supply:2.2",),
}
CASES: tuple[dict[str, str], ...] = (
    {
        "case": "late-rent",
        "documents": "garage_lease",
        "query": "What does a tenant owe who pays late?",
        "family": "direct",
    }
    | {
        "hard_negatives": "candle_supply:2.3",
        "answer": "Five euros a day.",
        "paraphrases": "Price of delay? | What if rent lags?",
    },
    {
        "case": "first-month",
        "documents": "garage_lease",
        "query": "Does lateness cost a new tenant anything?",
        "family": "exception",
    },
    {"case": "fuel", "documents": "garage_lease", "query": "May petrol be stored there?", "family": "direct"},
    {
        "case": "after-noon",
        "documents": "candle_supply",
        "query": "What is owed for candles that come at 3 pm?",
        "family": "exception",
    },
    {"case": "broken", "documents": "candle_supply", "query": "Must cracked candles be paid for?", "family": "direct"},
    {
        "case": "shadow-notice",
        "documents": "garage_lease",
        "query": "How long is the notice?",
        "family": "direct",
        "set": "shadow",
    }
    | {"evidence": "garage_lease:2.1"},
)


def write_documents(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "garage_lease.md").write_text(LEASE)
    (folder / "candle_supply.md").write_text(SUPPLY)
    return folder


def begun(folder: Path, cases: Sequence[Mapping[str, str]] = CASES) -> Path:
    """A pilot whose documents are selected and whose cases are written."""
    pilot = folder / "pilot"
    write_inventory(write_documents(folder / "documents"), pilot)
    select(pilot)
    write_case_sheet(pilot)
    write_cases(pilot, cases)
    return pilot


def select(pilot: Path, **changes: str) -> None:
    """Choose every document."""
    rows = read_rows(pilot / INVENTORY)
    write_rows(
        pilot / INVENTORY, [{**row, "type": "services", "selected": "yes", "why": "short", **changes} for row in rows]
    )


def write_cases(pilot: Path, cases: Sequence[Mapping[str, str]]) -> None:
    write_rows(pilot / "cases.csv", [{name: case.get(name, "") for name in PrivateCase.model_fields} for case in cases])


def labelled(folder: Path, *, differing: Mapping[str, tuple[str, ...]] | None = None) -> Path:
    """A pilot that ann and bob have labelled; bob differs on some evidence."""
    pilot = begun(folder)
    freeze(pilot)
    batch, _ = open_labels(pilot, draw=True)
    label(batch, "ann", {})
    label(batch, "bob", differing or {})
    return pilot


def export_pilot(pilot: Path, out: Path, *, require: bool = False) -> BenchmarkExport:
    batch, version = open_labels(pilot / "batches" / "1")
    assert version is not None
    return export(batch, version, out, require=require)


def label(batch: AnnotationBatch, name: str, differing: Mapping[str, tuple[str, ...]]) -> None:
    drafts: list[EventDraft] = []
    for task in tasks_of(batch, name):
        item = task.item
        evidence = item.expected["evidence"] if item.expected else differing.get(item.id, GOLD.get(item.id, ()))
        said: dict[str, AnswerValue] = {"evidence": evidence, "difficulty": "easy", "verdict": "good"}
        if item.id == "first-month":
            said |= {"path": ("garage_lease:1.3", "garage_lease:1.2"), "roles": ("exception",), "difficulty": "hard"}
        drafts += [EventDraft(name, item.id, question, value, task.copy) for question, value in said.items()]
    batch.store.append(drafts, NOW)


def read_rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write_rows(file: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
