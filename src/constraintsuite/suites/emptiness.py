"""Says why a build has no main example: which stage left nothing, and what would help."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_json
from constraintsuite.suites.queries.coverage import CorpusCoverage

SHOWN = 4
"""Reasons that are named, the most frequent first."""


def refuse_empty(stages: Mapping[str, Artifact]) -> None:
    """Raise UserError if the finished stages of a build have no main example."""
    queries, pairs, kept, tagged = (stages[name].manifest for name in ("queries", "pairs", "kept", "tagged"))
    if tagged.counts["examples"]:
        return
    if not queries.counts["to build"]:
        coverage = read_json(stages["queries"].path / "coverage.json", CorpusCoverage)
        doubtful = (
            f" {queries.counts['proposals']:,} proposals wait for approval." if queries.counts["proposals"] else ""
        )
        raise UserError(
            f"No example can be built: no query can be asked without approval. {coverage.verdict}{doubtful}"
        )
    if not pairs.counts["drafts"]:
        raise UserError(
            f"No example can be built: there are {queries.counts['to build']:,} queries, but no two documents that could be set "
            f"against each other{_most(pairs.rejects)}. More documents on the same topics would help."
        )
    raise UserError(
        f"No example can be built: all {kept.counts['checked']:,} pairs were left out{_most(kept.rejects)}. More documents would "
        "help, or other settings; the pairs are in stages/kept/rejected.jsonl."
    )


def _most(rejects: Mapping[str, int]) -> str:
    ranked = sorted(rejects.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    return (
        f" ({', '.join(f'{reason} {count:,}' for reason, count in ranked if count)})" if any(rejects.values()) else ""
    )
