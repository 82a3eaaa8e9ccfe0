"""A small world for the commands of a memory: documents, cases, and a way to call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.memory.group import memory
from constraintsuite.core.errors import UserError

LEASE = """# Harbour Lease

## 1 Rent
1.1 The tenant shall pay the rent on the first day of each month.
1.2 Clause 1.1 does not apply in March.

## 2 Repairs
2.1 The landlord shall repair the crane within ten days.
2.2 If the crane fails, the tenant shall call Norbrise.
"""
TEAMS = """# Teams

- Norbrise repairs cranes at night.
- The office opens at nine.
"""
CASES = {
    "dataset_id": "tiny",
    "dataset_name": "Tiny",
    "document_directory": "docs",
    "cases": [
        {
            "case_id": "rent",
            "query": "When is the rent to be paid?",
            "paraphrases": ["On which day must the tenant pay rent?"],
            "expectation": {"evidence_node_ids": ["lease:1.1"]},
        },
        {
            "case_id": "crane",
            "query": "Who repairs the crane?",
            "expectation": {"evidence_node_ids": ["lease:2.1"]},
            "hard_negatives": ["teams:p2"],
        },
    ],
}


def write_documents(folder: Path) -> Path:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "lease.md").write_text(LEASE)
    (docs / "teams.md").write_text(TEAMS)
    return docs


def write_cases(folder: Path) -> Path:
    write_documents(folder)
    file = folder / "cases.json"
    file.write_text(json.dumps(CASES))
    return file


def call(*arguments: object) -> Result:
    return CliRunner().invoke(memory, [str(each) for each in arguments], catch_exceptions=False)


def printed(*arguments: object) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*arguments: object) -> Any:  # noqa: ANN401 - whatever the command gives
    return json.loads(printed(*arguments, "--json"))


def refusal(*arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        call(*arguments)
    return str(caught.value)
