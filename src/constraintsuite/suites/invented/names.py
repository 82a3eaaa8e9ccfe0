"""Invented names of people and titles of works, chosen by hash from the parts in `names.yaml`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml


class NameGroup(StrictModel):
    """Given names, and beginnings and endings of surnames, that go together."""

    name: str
    nationalities: tuple[str, ...]
    male: tuple[str, ...]
    female: tuple[str, ...]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]


class TitleParts(StrictModel):
    """The first and the last words of titles."""

    beginnings: tuple[str, ...]
    endings: tuple[str, ...]


class NameParts(StrictModel):
    """The content of `names.yaml`."""

    groups: tuple[NameGroup, ...]
    titles: TitleParts


@cache
def name_parts() -> NameParts:
    """The parts of invented names."""
    return read_package_yaml(NameParts, "constraintsuite.suites", "invented", "names.yaml")


def group_for(nationalities: Sequence[str]) -> NameGroup:
    """The group of the first nationality or language that a group knows; the first group if there is none."""
    groups = name_parts().groups
    known = {nationality: group for group in groups for nationality in group.nationalities}
    return next((known[one] for one in nationalities if one in known), groups[0])


def invent_person(real: str, group: NameGroup, split: Split, taken: Collection[str] = ()) -> str:
    """A name for a person: the same for the same real name, never in two splits, and not one of `taken`.

    A surname belongs to one split, and so does every name with it.
    """
    female = any(real.split(maxsplit=1)[0] in other.female for other in name_parts().groups)
    given = group.female if female else group.male
    used = {name.split()[-1] for name in taken}
    surnames = [name for name in _surnames(group, split) if name not in used]
    surname = _choose(surnames, "surname", real)
    return f"{_choose(given, 'given', real)} {surname}"


def invent_title(real: str, split: Split) -> str:
    """A title for a work: the same for the same real one, and never in two splits."""
    parts = name_parts().titles
    titles = [f"{first} {last}" for first in parts.beginnings for last in parts.endings]
    return _choose([title for title in titles if _split_of(title) == split], "title", real)


@cache
def _surnames(group: NameGroup, split: Split) -> tuple[str, ...]:
    names = (f"{first}{last}" for first in group.beginnings for last in group.endings if first[-1] != last[0])
    return tuple(name for name in names if _split_of(name) == split)


def _split_of(name: str) -> Split:
    return SPLITS[stable_hash("invented", name) % len(SPLITS)]


def _choose(options: Sequence[str], purpose: str, key: str) -> str:
    return options[stable_hash(purpose, key) % len(options)]
