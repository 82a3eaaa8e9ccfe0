"""The one YAML loader: for files that a user writes, for YAML inside other documents, and for data of the package.

PyYAML's safe loader runs no code, but a file can still make it hang or raise its own errors. Here every file that it cannot read,
or that exceeds the limits below, raises a UserError with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import adapter

T = TypeVar("T")
MAX_BYTES = 1 << 20
MAX_DEPTH = 50
MAX_VALUES = 100_000
"""Values of one document, with every alias expanded."""
MAX_NUMBER_LENGTH = 64
MAX_INTEGER = 2**63 - 1
_SHOWN = 120
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_TYPED = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp"))
_SIGNS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("merge", "value"))
"""The tags of `<<` and `=`, which have no value as keys."""

_FAST_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, kind: str, hint: str = "") -> Any:  # noqa: ANN401 - the caller's model decides what it must be
    """Read a user's YAML file of a kind ("recipe"). Raises UserError if it is missing, invalid, ambiguous or too large.

    `hint` says where to get a file to start from.
    """
    return parse_yaml(_read_text(path, kind, hint), path)


def read_yaml_items(path: Path, kind: str) -> list[tuple[int, Any]]:
    """The items of a user's YAML file that holds one list, each with the line where it begins."""
    text = _read_text(path, kind)
    with _user_errors(text, path):
        loader = _Loader(text)
        node = loader.get_single_node()
        if isinstance(node, yaml.SequenceNode):
            return [(item.start_mark.line + 1, loader.construct_document(item)) for item in node.value]
    raise UserError(f"{path}:1: expected a list, each item of which begins with a dash.")


def _read_text(path: Path, kind: str, hint: str = "") -> str:
    if path.is_dir():
        raise UserError(
            f"{path}: this is a folder. Give the {kind} itself, which is a file.{f' {hint}' if hint else ''}"
        )
    if not path.is_file():
        raise UserError(f"{path}: there is no such {kind}.{f' {hint}' if hint else ''}")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UserError(
            f"{path}: the file has more than {MAX_BYTES:,} bytes, the limit. Is it a {kind}? Then shorten it."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line}: byte {data[error.start]:#04x} is not UTF-8. Save the file as UTF-8.") from None


def parse_yaml(text: str, path: Path, first_line: int = 1) -> Any:  # noqa: ANN401 - as above
    """Parse YAML text that begins at a line of a file, such as front matter. Raises UserError for a fault in it."""
    if len(text) > MAX_BYTES:
        raise UserError(
            f"{path}:{first_line}: the YAML here has more than {MAX_BYTES:,} characters, the limit. Shorten it."
        )
    with _user_errors(text, path, first_line):
        return _Loader(text).get_single_data()


@contextmanager
def _user_errors(text: str, path: Path, first_line: int = 1) -> Iterator[None]:
    """Turn the errors of reading a text into a UserError with the line."""
    try:
        yield
        return
    except _RefusedValueError as error:
        line, message = error.line, str(error)
    except yaml.reader.ReaderError as error:
        line, message = text.count("\n", 0, error.position), _no_character(chr(error.character))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        problem = str(error.problem or error.context)[:_SHOWN]
        message = f"this is not valid YAML: {problem}. Is a bracket, a quote or an indent missing?"
    raise UserError(f"{path}:{line + first_line}: {message}")


def read_package_yaml(kind: type[T], package: str, *parts: str) -> T:
    """A data file of this package as a `kind`. It is given by the dotted name of its folder and the path below it.

    It comes with the program, so it goes through PyYAML's fast loader; a test reads all such files with the strict one.
    """
    file = resources.files(package).joinpath(*parts)
    return adapter(kind).validate_python(_FAST_LOADER(file.read_text(encoding="utf-8")).get_single_data())


class _RefusedValueError(Exception):
    """A value that YAML allows and we refuse; `line` counts from 0."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with a check of each value while its line is still known."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._values = 0
        self._sizes: dict[int, int] = {}  # values below a node, itself included, by the node's identity

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """As the base class, which calls it for every value, with checks."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        alias = isinstance(event, yaml.AliasEvent)
        if not alias and event.tag not in (None, "!"):
            message = f"the tag {_short(event.tag)} is not allowed. Take it out, and quote the value if it is text."
            self._refuse(event, message)
        if self._depth == MAX_DEPTH and isinstance(event, yaml.CollectionStartEvent):
            self._refuse(event, f"lists and mappings are nested more than {MAX_DEPTH} deep. Remove some levels.")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        assert node is not None
        if alias and id(node) not in self._sizes:
            self._refuse(event, "this alias refers to itself. Write the value out.")
        if not alias:
            self._check(node)
        self._values += self._sizes[id(node)] if alias else 1
        if self._values > MAX_VALUES:
            message = f"with every alias written out, there are more than {MAX_VALUES:,} values up to here. Shorten it."
            self._refuse(event, message)
        return node

    def _check(self, node: yaml.Node) -> None:
        """Refuse a wrong value, and count the values inside it."""
        below: Sequence[yaml.Node] = ()
        if isinstance(node, yaml.ScalarNode):
            self._check_scalar(node)
        elif isinstance(node, yaml.MappingNode):
            self._check_keys(node)
            below = [each for pair in node.value for each in pair]
        elif isinstance(node, yaml.SequenceNode):
            below = node.value
        self._sizes[id(node)] = 1 + sum(self._sizes[id(each)] for each in below)

    def _check_scalar(self, node: yaml.ScalarNode) -> None:
        control = _CONTROL.search(node.value)
        if control:
            self._refuse(node, _no_character(control[0]))
        if node.tag not in _TYPED:
            return
        if len(node.value) > MAX_NUMBER_LENGTH:
            message = f"this number has {len(node.value):,} characters. Shorten it, or quote it if it is text."
            self._refuse(node, message)
        try:
            value = self.construct_object(node)
        except ValueError as error:
            message = (
                f"{_short(node.value)} is neither a number nor a date ({error}). Correct it, or quote it if it is text."
            )
            self._refuse(node, message)
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            self._refuse(
                node, f"{_short(node.value)} is more than 64 bits can hold. Correct it, or quote it if it is text."
            )

    def _check_keys(self, node: yaml.MappingNode) -> None:
        """Refuse a key that occurs twice, in any spelling: YAML forbids it, but PyYAML allows it."""
        spelt: dict[object, str] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._refuse(key, "a key is a list or a mapping here. Write a word, or quote it if it is text.")
            value: object = key.value if key.tag in _SIGNS else self.construct_object(key)
            first = spelt.get(key.value, spelt.get(value))
            if first is not None:
                same = "" if first == key.value else f" (the same as {_short(first)})"
                self._refuse(key, f"duplicate key {_short(key.value)}{same}. Remove one of the two.")
            spelt |= {key.value: key.value, value: key.value}

    def _refuse(self, at: yaml.Node | yaml.Event, message: str) -> NoReturn:
        raise _RefusedValueError(at.start_mark.line if at.start_mark else 0, message)

    def scan_flow_scalar_non_spaces(self, double: bool, start_mark: yaml.Mark) -> list[str]:
        """As the base class, for a part of a quoted text; refuses an escape such as "\\UFFFFFFFF", which is not a character."""
        line = self.line
        try:
            return super().scan_flow_scalar_non_spaces(double, start_mark)
        except (ValueError, OverflowError):
            raise _RefusedValueError(
                line, 'an escape in this quoted text names no character. Write "\\\\" for a \\.'
            ) from None


def _no_character(character: str) -> str:
    return f"the character {ord(character):#06x} is not allowed in text. Remove it."


def _short(value: str) -> str:
    return repr(value if len(value) <= 40 else f"{value[:40]}…")
