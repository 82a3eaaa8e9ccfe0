"""A lease of six clauses and cases about it, small enough to see everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from constraintsuite.memory.cases.files import Grounded, ground, read_cases

LEASE = """# Lease

1 The landlord repairs the boiler.

2 Clause 1 does not apply to a boiler that the tenant has altered.

3 The tenant pays the rent to Brennan Joinery each month.

4 Brennan Joinery may end the lease after two months of arrears.

5 Notices are given in writing.

6 The landlord repairs the roof.
"""


def case(case_id: str = "boiler", query: str = "who repairs the boiler", **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A case as it stands in a file; fields of an expectation go there, all others to the case."""
    own = {"tags", "paraphrases", "hard_negatives", "answer"}
    expectation = {"evidence_node_ids": ["lease:1"]} | {key: v for key, v in changes.items() if key not in own}
    return {"case_id": case_id, "query": query, "expectation": expectation} | {
        key: value for key, value in changes.items() if key in own
    }


def dataset(*cases: dict[str, Any], **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    head = {"dataset_id": "tiny", "dataset_name": "Tiny", "domain_pack_name": "contract_pack"}
    return head | {"document_directory": "docs", "cases": list(cases or [case()])} | changes


def write_dataset(folder: Path, data: object, text: str = LEASE) -> Path:
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    (folder / "docs" / "lease.md").write_text(text, encoding="utf-8")
    path = folder / "cases.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def grounded(folder: Path, *cases: dict[str, Any], **changes: Any) -> Grounded:  # noqa: ANN401
    return ground(read_cases(write_dataset(folder, dataset(*cases, **changes))))
