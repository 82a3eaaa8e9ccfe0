"""Examples with some of their parts changed."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import Example


def with_document(example: Example, role: str, **changes: object) -> Example:
    """The example with other fields in the document of this role."""
    documents = (replace(one, **changes) if one.role == role else one for one in example.documents)  # type: ignore[arg-type]
    return replace(example, documents=tuple(documents))


def with_evidence(example: Example, *evidence: Evidence) -> Example:
    """The example with other evidence."""
    return replace(example, constraint=replace(constraint_of(example), evidence=evidence))


def constraint_of(example: Example) -> Constraint:
    """The constraint of an example that has one."""
    assert example.constraint is not None
    return example.constraint
