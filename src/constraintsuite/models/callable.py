"""A Python function or object as a model: `python:module:object`, or passed to `constraintsuite.evaluate`."""

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
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.models.base import ModelFact, Pair, Scorer, TextError, TextRole, Workbench
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.models.model_names import ModelName

_BATCH = 1_024
_OF_PAIRS = "It is given one list of (query, text) pairs and returns one number for each: def score(pairs): ..."
_OF_TEXTS = "It is given one list of texts and returns one vector for each: def encode(texts): ..."
T = TypeVar("T")


def make_python(name: ModelName, bench: Workbench) -> Scorer:
    """`python:module:object`: a function of pairs, or an object or class with a method `score`, `predict` or `encode`."""
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
    if not isclass(found):
        _choose_method(str(name), found)
    return PythonScorer(str(name), found, _version(name, module, found), bench)


class ScoringMethod(NamedTuple):
    """How an object scores pairs."""

    call: Callable[[list[Pair]], object]
    expected: str
    """The arguments and the result of the call, for messages."""
    facts: Mapping[str, str]


def _choose_method(name: str, target: object) -> ScoringMethod:
    """How an object scores pairs: with its method `score` or `predict`, with vectors of `encode`, or as a function.

    Calling it comes last, since a model of sentence-transformers can be called too, but gives no scores then.
    """
    for method in ("score", "predict"):
        if callable(found := getattr(target, method, None)):
            return ScoringMethod(found, _OF_PAIRS, {"method": method})
    if callable(getattr(target, "encode", None)) and not isinstance(target, str):
        similarity = _similarity_of(name, target)
        return ScoringMethod(
            VectorComparison(name, target, similarity), _OF_TEXTS, {"method": "encode", "similarity": similarity}
        )
    if callable(target):
        return ScoringMethod(target, _OF_PAIRS, {})
    raise UserError(
        f"Model {name!r} cannot score: it is neither a function of (query, text) pairs, nor has it a method "
        "score(pairs), predict(pairs) or encode(texts)."
    )


class PythonScorer:
    """Calls the user's code with lists of (query, text); a class is instantiated at the first call."""

    def __init__(self, name: str, target: object, version: str, bench: Workbench) -> None:
        self.name = name
        self.fingerprint = sha256_text("python", name, version)
        self._target = target
        self._version = version
        self._bench = bench

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The scores of the user's code, unchanged; its errors are shown with their own traceback."""
        parts: list[npt.NDArray[np.float64]] = [np.empty(0, dtype=np.float64)]
        with self._bench.reporter.track(self.name, len(pairs)) as advance:
            for start in range(0, len(pairs), _BATCH):
                batch = list(pairs[start : start + _BATCH])
                scores = _call(self.name, self.method.call, list(batch), expected=self.method.expected)
                parts.append(check_scores(self.name, batch, _from_torch(scores)))
                advance(len(batch))
        return np.concatenate(parts)

    def describe(self) -> Mapping[str, ModelFact]:
        """The object, its version and its method."""
        return {"object": self.name.partition(":")[2], "version": self._version, **self.method.facts}

    @cached_property
    def method(self) -> ScoringMethod:
        """How the object scores; a class is instantiated here."""
        target = _call(self.name, self._target) if isclass(self._target) else self._target
        return _choose_method(self.name, target)


class VectorComparison:
    """Scores pairs by the vectors that an object with a method `encode` gives; each query and text is encoded once.

    Queries and texts go through `encode_query` and `encode_document` if the object has them. Vectors are compared one pair at
    a time by the object's method `similarity`, so they may be sparse or one per token. Without that method they are compared as
    arrays in double precision, by the similarity that the object names.
    """

    def __init__(self, name: str, model: Any, similarity: str) -> None:  # noqa: ANN401 - the user's object
        self._name = name
        self._model = model
        self._similarity = similarity
        self._vectors: dict[tuple[TextRole, str], Any] = {}

    def __call__(self, pairs: list[Pair]) -> npt.NDArray[np.float64]:
        """The similarity of each query and text."""
        queries = self._encode([query for query, _ in pairs], "query")
        texts = self._encode([text for _, text in pairs], "document")
        if self._compares_itself:
            return np.array([self._compare(*vectors) for vectors in zip(queries, texts, strict=True)])
        sizes = sorted({vector.shape for vector in (*queries, *texts)})
        if len(sizes) > 1:
            raise UserError(f"Model {self._name!r} gave vectors of different sizes: {', '.join(map(str, sizes))}.")
        return SIMILARITIES[self._similarity](np.stack(queries), np.stack(texts))  # type: ignore[index]

    @property
    def _compares_itself(self) -> bool:
        return callable(getattr(self._model, "similarity", None))

    def _encode(self, texts: Sequence[str], role: TextRole) -> list[Any]:
        new = [text for text in dict.fromkeys(texts) if (role, text) not in self._vectors]
        if new:
            encode = getattr(self._model, f"encode_{role}", self._model.encode)
            vectors = self._check(encode(new), len(new))
            self._vectors.update({(role, text): vectors[row] for row, text in enumerate(new)})
        return [self._vectors[role, text] for text in texts]

    def _check(self, given: Any, count: int) -> Any:  # noqa: ANN401 - arrays, tensors or lists of them
        """One vector per text, as an array unless the object compares its vectors itself."""
        if isinstance(given, Mapping) or not hasattr(given, "__len__") or len(given) != count:
            size = f" of {len(given)}" if hasattr(given, "__len__") else ""
            raise UserError(f"Model {self._name!r} gave a {type(given).__name__}{size} for {count} texts. {_OF_TEXTS}")
        if self._compares_itself:
            return given
        try:
            vectors = np.asarray(_from_torch(given), dtype=np.float64)
        except (TypeError, ValueError):
            raise UserError(
                f"Model {self._name!r} gave {given!r:.80}, expected a vector per text. {_OF_TEXTS}"
            ) from None
        if vectors.ndim != 2:
            raise UserError(
                f"Model {self._name!r} gave vectors of shape {vectors.shape} for {count} texts. {_OF_TEXTS}"
            )
        return vectors

    def _compare(self, query: object, text: object) -> float:
        found = np.asarray(_from_torch(self._model.similarity(query, text)), dtype=np.float64)
        if found.size != 1:
            raise UserError(f"Model {self._name!r}: similarity gave shape {found.shape} for one query and one text.")
        return float(found.item())


def check_scores(model: str, pairs: Sequence[Pair], values: object) -> npt.NDArray[np.float64]:
    """The scores of a model for pairs as an array. Raises UserError unless there is one finite number per pair."""
    try:
        array = np.asarray(values if hasattr(values, "__array__") else list(values))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        array = None
    if array is None or array.dtype.kind not in "fiub":
        raise UserError(f"Model {model!r} gave {values!r:.80}, expected a sequence of numbers, one per pair.")
    if array.shape != (len(pairs),):
        raise UserError(
            f"Model {model!r} gave scores of shape {array.shape} for {len(pairs)} pairs, expected one number each."
        )
    scores = array.astype(np.float64)
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        query, text = pairs[place]
        raise TextError(f"Model {model!r} gave {scores[place]} to query {query!r} and text {text[:80]!r}.")
    return scores


def _similarity_of(name: str, model: object) -> str:
    """The name of an object's similarity, by default `cosine`. Raises UserError if it is unknown."""
    own = getattr(model, "similarity", None)
    stated = getattr(model, "similarity_fn_name", None) or (None if callable(own) else own)
    similarity = str(getattr(stated, "value", stated) or ("its own" if callable(own) else "cosine"))
    if similarity not in SIMILARITIES and not callable(own):
        raise UserError(f"Model {name!r} has the similarity {similarity!r}. Known are: {', '.join(SIMILARITIES)}.")
    return similarity


def _from_torch(value: Any) -> Any:  # noqa: ANN401 - whatever the user's code gave
    """Tensors of any device as arrays; other values unchanged."""
    if hasattr(value, "detach"):
        return value.detach().cpu().double().numpy()
    if isinstance(value, list | tuple) and value and hasattr(value[0], "detach"):
        return [_from_torch(each) for each in value]
    return value


def _import(name: ModelName, module: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does; the module may import its neighbours later
    try:
        known = find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):  # a parent package is missing, or the name is not valid
        known = False
    if not known:
        raise UserError(f"Model {str(name)!r}: there is no module {module!r}, neither in {here} nor installed.")
    return _call(str(name), import_module, module)


def _version(name: ModelName, module: ModuleType, found: object) -> str:
    """The object's attribute `fingerprint` or `version`, else the hash of its source files."""
    for attribute in ("fingerprint", "version"):
        value = getattr(found, attribute, None)
        if isinstance(value, str | int | float):
            return f"{attribute} {value}"
    # The module may only import the object, or its class, from another one.
    sources = dict.fromkeys(
        Path(getattr(each, "__file__", None) or "") for each in (module, getmodule(found) or module)
    )
    if not all(source.suffix == ".py" and source.is_file() for source in sources):
        raise UserError(
            f"Model {str(name)!r}: its source cannot be read, so a change would go unnoticed. Give it an attribute "
            "`version`, a string."
        )
    return f"sha256 {' '.join(map(sha256_of, sources))}"


def _call(name: str, function: Callable[..., T], *arguments: object, expected: str = _OF_PAIRS) -> T:
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
        if isinstance(error, TypeError) and not theirs:  # the call itself failed
            raise UserError(f"Model {name!r} cannot be called so: {error}. {expected}") from None
        raise UserError(f"Model {name!r} failed in its own code:\n{shown}") from None
