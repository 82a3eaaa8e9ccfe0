"""Any Python function as a model: `python:module:object`."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import getmodule, isclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Fact, Pair, Scorer, Workbench
from constraintsuite.models.checking import check_scores
from constraintsuite.models.naming import ModelName
from constraintsuite.store.files import sha256_of, sha256_text

_BATCH = 1_024
_EXPECTED = "It is given one list of (query, text) pairs and returns one number for each: def score(pairs): ..."
T = TypeVar("T")


def make_python(name: ModelName, bench: Workbench) -> Scorer:
    """`python:module:object`: a function of pairs, or an object or class that has a method `score`."""
    name.refuse_options()
    module_name, _, attribute = name.argument.partition(":")
    if not module_name or not attribute:
        raise UserError(f"Model {str(name)!r}: write python:MODULE:OBJECT, as in python:my_model:score")
    module = _import(name, module_name)
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UserError(f"Model {str(name)!r}: {module.__file__ or module_name} has no {attribute!r}.")
        found = getattr(found, part)
    if not callable(found) and not callable(getattr(found, "score", None)):
        raise UserError(f"Model {str(name)!r}: {attribute} is neither a function nor has it a method score(pairs).")
    return PythonScorer(str(name), found, _version(name, module, found), bench)


class PythonScorer:
    """Calls the user's code with lists of (query, text); a class is made into an object at the first call."""

    def __init__(self, name: str, target: object, version: str, bench: Workbench) -> None:
        self.name = name
        self.fingerprint = sha256_text("python", name, version)
        self._target = target
        self._version = version
        self._bench = bench

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """What the user's code gives, unchanged; errors in it are shown as it would show them."""
        parts: list[npt.NDArray[np.float64]] = [np.empty(0, dtype=np.float64)]
        with self._bench.reporter.track(self.name, len(pairs)) as advance:
            for start in range(0, len(pairs), _BATCH):
                batch = list(pairs[start : start + _BATCH])
                parts.append(check_scores(self.name, batch, _call(self.name, self._function, list(batch))))
                advance(len(batch))
        return np.concatenate(parts)

    def describe(self) -> Mapping[str, Fact]:
        """What was called, and the version that it goes by."""
        return {"object": self.name.partition(":")[2], "version": self._version}

    @cached_property
    def _function(self) -> Callable[[list[Pair]], object]:
        target = _call(self.name, self._target) if isclass(self._target) else self._target
        method = getattr(target, "score", None)
        function: object = method if callable(method) else target
        if not callable(function):
            raise UserError(f"Model {self.name!r}: its object has no method score(pairs).")
        return function


def _import(name: ModelName, module: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does; the module may import its neighbours later, too
    try:
        known = find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):  # a package on the way is missing, or the name is none
        known = False
    if not known:
        raise UserError(f"Model {str(name)!r}: there is no module {module!r}, neither in {here} nor installed.")
    return _call(str(name), import_module, module)


def _version(name: ModelName, module: ModuleType, found: object) -> str:
    """What the user says of the object, else the hash of the source: its module's, and that of where it was defined."""
    for attribute in ("fingerprint", "version"):
        said = getattr(found, attribute, None)
        if isinstance(said, str | int | float):
            return f"{attribute} {said}"
    # The module may only hand on what another defines; of an object, its class is meant.
    sources = dict.fromkeys(
        Path(getattr(each, "__file__", None) or "") for each in (module, getmodule(found) or module)
    )
    if not all(source.suffix == ".py" and source.is_file() for source in sources):
        raise UserError(
            f"Model {str(name)!r}: its source cannot be read, so that a change would go unnoticed. Give it an attribute "
            "`version`, a string."
        )
    return f"sha256 {' '.join(map(sha256_of, sources))}"


def _call(name: str, function: Callable[..., T], *arguments: object) -> T:
    """Call the user's code; an error in it becomes a UserError that shows its own traceback, without our frames."""
    try:
        return function(*arguments)
    except UserError:
        raise
    except Exception as error:
        report = traceback.TracebackException.from_exception(error)
        theirs = [frame for frame in report.stack if frame.filename != __file__ and "importlib" not in frame.filename]
        report.stack = traceback.StackSummary.from_list(theirs)
        shown = "".join(report.format()).rstrip()
        if isinstance(error, TypeError) and not theirs:  # the call itself did not fit
            raise UserError(f"Model {name!r} cannot be called so: {error}. {_EXPECTED}") from None
        raise UserError(f"Model {name!r} failed in its own code:\n{shown}") from None
