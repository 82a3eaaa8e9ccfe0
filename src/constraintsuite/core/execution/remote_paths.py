"""Work that travels: what lies in the mirror of an object store is found in the mirror of whichever machine does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from constraintsuite.core.store.mirror import mirror_of, open_mirror

T = TypeVar("T")


def mirrors_in(value: object) -> dict[Path, str]:
    """The mirrors that paths in a value lie in: folder here, and URL."""
    found = (mirror_of(path) for path in paths_in(value))
    return {mirror.root: mirror.url for mirror in found if mirror is not None}


def arrive(value: T, mirrors: Mapping[Path, str]) -> T:
    """The value with its paths in the mirrors of this machine."""
    for planned, url in mirrors.items():
        value = moved(value, planned, open_mirror(url).root)
    return value


def send(path: Path) -> None:
    """Bring a file or folder to the store whose mirror it lies in, if there is one."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.push(path)


def fetch(path: Path, apart: Path | None = None) -> None:
    """Bring a file or folder here from the store whose mirror it lies in, if there is one, but for the folder `apart` in it."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.pull(path, apart if apart is not None and apart.is_relative_to(mirror.root) else None)


def clear(path: Path) -> None:
    """Take a folder out of the store whose mirror it lies in, if there is one; what is here stays."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.remove(path)


def moved(value: T, old: Path, new: Path) -> T:
    """The value with all paths inside `old` inside `new`."""
    return changed(value, lambda path: new / path.relative_to(old) if path.is_relative_to(old) else path)


def changed(value: T, change: Callable[[Path], Path]) -> T:
    """The value with all its paths changed; tuples and dataclasses are looked into."""
    result: Any = value
    if isinstance(value, Path):
        result = change(value)
    elif isinstance(value, tuple):
        result = tuple(changed(each, change) for each in value)
    elif is_dataclass(value) and not isinstance(value, type):
        result = replace(value, **{each.name: changed(getattr(value, each.name), change) for each in fields(value)})
    return result  # type: ignore[no-any-return]


def paths_in(value: object) -> Iterator[Path]:
    """The paths that a value names; tuples and dataclasses are looked into."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from paths_in(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from paths_in(getattr(value, each.name))
