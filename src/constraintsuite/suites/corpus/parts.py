"""The files of a stage's shards."""

from __future__ import annotations

from pathlib import Path


def part_path(folder: Path, shard: int) -> Path:
    """The file of one shard."""
    return folder / f"part-{shard:05d}.jsonl"


def part_paths(folder: Path) -> list[Path]:
    """The files of all shards, in order; not what lies beside them, such as a list of records that broke the work."""
    return sorted(folder.glob("part-?????.jsonl"))
