"""What to call several runs: by system, and where that is not enough, by folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments.load import Run


def name_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """The runs by system; where two have the same, also by as much of their folders' paths as tells them apart."""
    labels = name_folders([(run.summary.system, run.artifact.path) for run in runs])
    return dict(zip(labels, runs, strict=True))


def name_folders(named: Sequence[tuple[str, Path]]) -> list[str]:
    """A label for each system and the folder it is of: its name, and where two have the same, the end of the path too."""
    folders = [folder.resolve() for _, folder in named]
    counts = Counter((name, folder) for (name, _), folder in zip(named, folders, strict=True))
    for (_, folder), count in counts.items():
        if count > 1:
            raise UserError(f"{folder}: this run is named twice. Give each once.")
    alike: dict[str, list[Path]] = defaultdict(list)
    for name, folder in counts:
        alike[name].append(folder)
    return [
        name if len(alike[name]) == 1 else f"{name} ({_short_path(folder, alike[name])})" for name, folder in counts
    ]


def short_paths(folders: Sequence[Path]) -> list[str]:
    """For each folder its name, with as many folders above it as tell it apart from the others."""
    resolved = [folder.resolve() for folder in folders]
    return [_short_path(folder, resolved) for folder in resolved]


def _short_path(folder: Path, among: Sequence[Path]) -> str:
    """The end of a path that none of the others has: what stands before it depends on the machine."""
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in among].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)
