"""Rewrites paths in tasks for other machines, where the mirror of an object store is in a different folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from constraintsuite.core.store.mirror import mirror_of, open_mirror

T = TypeVar("T")


def map_paths(value: T, change: Callable[[Path], Path]) -> T:
    """The value with every path in it changed; searches tuples and dataclasses."""
    result: Any = value
    if isinstance(value, Path):
        result = change(value)
    elif isinstance(value, tuple):
        result = tuple(map_paths(each, change) for each in value)
    elif is_dataclass(value) and not isinstance(value, type):
        result = replace(value, **{each.name: map_paths(getattr(value, each.name), change) for each in fields(value)})
    return result  # type: ignore[no-any-return]


def paths_in(value: object) -> list[Path]:
    """All paths in a value; searches tuples and dataclasses."""
    found: list[Path] = []

    def collect(path: Path) -> Path:
        found.append(path)
        return path

    map_paths(value, collect)
    return found


def mirrors_in(value: object) -> dict[Path, str]:
    """The mirrors that contain the paths in a value: the folder on this machine, and its URL."""
    found = (mirror_of(path) for path in paths_in(value))
    return {mirror.root: mirror.url for mirror in found if mirror is not None}


def localize(value: T, mirrors: Mapping[Path, str]) -> T:
    """The value with its paths moved from the mirrors of the sending machine to the mirrors of this one."""
    for root, url in mirrors.items():
        here = open_mirror(url).root

        def move(path: Path, root: Path = root, here: Path = here) -> Path:
            return here / path.relative_to(root) if path.is_relative_to(root) else path

        value = map_paths(value, move)
    return value
