"""Files of settings that a user writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from constraintsuite.errors import UserError


def read_yaml(path: Path, kind: str, hint: str = "") -> Any:  # noqa: ANN401 - the caller's model decides what it must be
    """What stands in a YAML file of a kind ("recipe"); a missing, broken or ambiguous one is a UserError.

    `hint` is where to get one to start from.
    """
    if not path.is_file():
        raise UserError(f"{path}: there is no such {kind}.{f' {hint}' if hint else ''}")
    try:
        text = path.read_text(encoding="utf-8")
        data: Any = yaml.safe_load(text)
        repeated = next(_repeated_keys(yaml.compose(text, yaml.SafeLoader)), None)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    if repeated is not None:
        line, key = repeated
        raise UserError(f"{path}:{line}: {key!r} stands there a second time; the first would be lost. Join the two.")
    return data


def _repeated_keys(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Line and name of every key that stands twice in one mapping, which YAML forbids and its reader lets pass."""
    waiting, done = [node], set[int]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in done:
            continue
        done.add(id(node))  # an alias may lead back to where it stands
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        names: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in names:
                yield key.start_mark.line + 1, name
            names.add(name)
            waiting.append(value)
