"""A build without examples says which stage left nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.emptiness import refuse_empty


def stages(folder: Path, counts: Mapping[str, Mapping[str, int]], rejects: Mapping[str, int]) -> dict[str, Artifact]:
    """Finished stages with these counts; all reject the same."""
    found = {}
    for name, count in counts.items():
        (folder / name).mkdir()
        origin = ArtifactOrigin("stage", name, {}, {}, 0, Revision(1))
        finish(folder / name, origin, dict(count), dict(rejects), 0.0)
        found[name] = Artifact.open_unverified(folder / name)
    return found


QUERIES = {"proposals": 7, "to build": 5}


def test_no_pair_could_be_made(tmp_path: Path) -> None:
    counts = {"queries": QUERIES, "pairs": {"drafts": 0}, "kept": {"checked": 0}, "tagged": {"examples": 0}}
    with pytest.raises(UserError, match=r"5 queries, but no two documents .* \(couple:length_ratio 3\)"):
        refuse_empty(stages(tmp_path, counts, {"couple:length_ratio": 3}))


def test_every_pair_was_left_out(tmp_path: Path) -> None:
    counts = {"queries": QUERIES, "pairs": {"drafts": 9}, "kept": {"checked": 9}, "tagged": {"examples": 0}}
    with pytest.raises(UserError, match=r"all 9 pairs were left out \(unbalanced_position 6, unequal_y 3\)"):
        refuse_empty(stages(tmp_path, counts, {"unequal_y": 3, "unbalanced_position": 6}))


def test_a_build_with_an_example_passes(tmp_path: Path) -> None:
    counts = {"queries": QUERIES, "pairs": {"drafts": 9}, "kept": {"checked": 9}, "tagged": {"examples": 1}}
    refuse_empty(stages(tmp_path, counts, {}))
