from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Describing, Scorer, Workbench
from constraintsuite.models.model_names import load_scorer

PAIRS = [("soup", "leek soup"), ("bread", "rye")]
FUNCTION = "def score(pairs):\n    return [len(query) + len(text) / 10 for query, text in pairs]\n"
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits within a second would look alike
    yield
    for name in [name for name in sys.modules if name.startswith("users_code_")]:
        del sys.modules[name]


def load(source: str, attribute: str = "score") -> Scorer:
    """The model of a module with this source, in the current folder, under a name that was never imported."""
    module = f"users_code_{next(_numbers)}"
    Path(f"{module}.py").write_text(source)
    invalidate_caches()
    return load_scorer(f"python:{module}:{attribute}", Workbench())


@pytest.mark.parametrize(
    ("source", "attribute"),
    [
        (FUNCTION, "score"),
        (
            "import numpy as np\ndef score(pairs):\n    return np.array([len(q) + len(t) / 10 for q, t in pairs])\n",
            "score",
        ),
        ("def score(pairs):\n    for q, t in pairs:\n        yield len(q) + len(t) / 10\n", "score"),
        (
            "class Model:\n    def score(self, pairs):\n        return [len(q) + len(t) / 10 for q, t in pairs]\n",
            "Model",
        ),
        (
            "class Model:\n    def __init__(self, n):\n        self.n = n\n"
            "    def score(self, pairs):\n        return [len(q) + len(t) / self.n for q, t in pairs]\nmodel = Model(10)\n",
            "model",
        ),
        (
            "class Model:\n    def predict(self, pairs):\n        return [len(q) + len(t) / 10 for q, t in pairs]\n"
            "    def encode(self, texts):\n        raise NotImplementedError\n",
            "Model",
        ),
        (
            "class Box:\n    " + FUNCTION.replace("\n    ", "\n        ") + "    score = staticmethod(score)\n",
            "Box.score",
        ),
    ],
    ids=["function", "array", "generator", "class", "object", "predict", "dotted"],
)
def test_functions_objects_and_classes_are_models(source: str, attribute: str) -> None:
    assert load(source, attribute).score(PAIRS).tolist() == pytest.approx([4.9, 5.3])


def test_pairs_come_in_batches_and_in_order() -> None:
    scorer = load(
        "sizes = []\ndef score(pairs):\n    sizes.append(len(pairs))\n    return [int(t) for _, t in pairs]\n"
    )
    assert scorer.score([("q", str(i)) for i in range(2_500)]).tolist() == list(range(2_500))
    module = sys.modules[scorer.name.split(":")[1]]
    assert module.sizes == [1_024, 1_024, 452]
    assert scorer.score([]).shape == (0,)


def test_a_class_is_made_into_an_object_once() -> None:
    scorer = load(
        "made = []\nclass Model:\n    def __init__(self):\n        made.append(self)\n"
        "    def score(self, pairs):\n        return [len(made) for _ in pairs]\n",
        "Model",
    )
    assert [scorer.score(PAIRS).tolist() for _ in range(3)] == [[1, 1]] * 3


def test_a_class_is_made_into_an_object_only_when_it_is_needed() -> None:
    scorer = load(
        "class Model:\n    def __init__(self):\n        raise OSError('weights are missing')\n    score = None\n",
        "Model",
    )
    with pytest.raises(UserError, match="OSError: weights are missing"):
        scorer.score(PAIRS)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("[1.0]", r"gave scores of shape \(1,\) for 2 pairs"),
        ("[[1.0], [2.0]]", r"shape \(2, 1\)"),
        ("[[1.0], [2.0, 3.0]]", "expected a sequence of numbers"),
        ("[1.0, float('nan')]", "gave nan to query 'bread' and text 'rye'"),
        ("[float('inf'), 1.0]", "gave inf to query 'soup' and text 'leek soup'"),
        ("[1.0, None]", r"gave \[1.0, None\], expected a sequence of numbers"),
        ("['1', '2']", "expected a sequence of numbers"),
        ("None", "gave None, expected a sequence of numbers"),
        ("3.5", "gave 3.5, expected"),
    ],
)
def test_what_is_not_a_finite_number_a_pair_is_refused(result: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load(f"def score(pairs):\n    return {result}\n").score(PAIRS)


def test_an_error_in_the_users_code_shows_its_own_place_and_none_of_ours() -> None:
    source = (
        "def inner(text):\n    return {}[text]\n\n\ndef score(pairs):\n    return [inner(text) for _, text in pairs]\n"
    )
    with pytest.raises(UserError) as caught:
        load(source).score(PAIRS)
    said = str(caught.value)
    assert re.search(r'users_code_\d+\.py", line 6, in score', said)
    assert re.search(r'users_code_\d+\.py", line 2, in inner\n    return \{\}\[text\]', said)
    assert said.endswith("KeyError: 'leek soup'")
    assert "callable.py" not in said


def test_a_function_of_something_else_is_told_what_it_is_given() -> None:
    with pytest.raises(UserError, match=r"missing 1 required.* given one list of \(query, text\) pairs"):
        load("def score(query, text):\n    return 1.0\n").score(PAIRS)
    with pytest.raises(UserError, match="failed in its own code"):
        load("def score(pairs):\n    return len(1)\n").score(PAIRS)


def test_an_error_at_import_shows_its_own_place() -> None:
    with pytest.raises(
        UserError, match=r'(?s)users_code_\d+\.py", line 1.*ModuleNotFoundError: .*no_such_library'
    ) as caught:
        load("import no_such_library\n")
    assert "importlib" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("python", "write python:MODULE:OBJECT"),
        ("python:json", "write python:MODULE:OBJECT"),
        ("python:no_such_module:score", "there is no module 'no_such_module', neither in"),
        ("python:no.such.module:score", "there is no module"),
        ("python:json:scores", "has no 'scores'"),
        ("python:json:decoder", "neither a function of"),
        ("python:string:digits", "neither a function of"),  # a str has a method encode
        ("python:math:sqrt", "Give it an attribute `version`"),
        ("python:json:dumps,batch=3", "batch: unknown key"),
    ],
)
def test_wrong_names_are_explained(model: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_scorer(model, Workbench())


def test_the_version_is_what_the_user_says_or_the_source() -> None:
    module = Path("users_code_version.py")

    def fingerprint(source: str) -> str:
        module.write_text(source)
        sys.modules.pop("users_code_version", None)
        invalidate_caches()
        return load_scorer("python:users_code_version:score", Workbench()).fingerprint

    assert fingerprint(FUNCTION) == fingerprint(FUNCTION)
    assert fingerprint(FUNCTION) != fingerprint(FUNCTION + "# changed\n")
    said = "score.version = '1'\n"
    assert fingerprint(FUNCTION + said) == fingerprint(FUNCTION + "# changed\n" + said)
    assert fingerprint(FUNCTION + said) != fingerprint(FUNCTION + "score.version = '2'\n")


def test_what_is_said_of_the_model() -> None:
    scorer = load(FUNCTION + "score.fingerprint = 'v7'\n")
    assert isinstance(scorer, Describing)
    assert scorer.describe() == {"object": scorer.name.removeprefix("python:"), "version": "fingerprint v7"}


def test_scores_are_not_rounded() -> None:
    scorer = load("import numpy as np\ndef score(pairs):\n    return [np.float32(0.1) for _ in pairs]\n")
    assert scorer.score(PAIRS).tolist() == [float(np.float32(0.1))] * 2


@pytest.mark.parametrize("attribute", ["score", "Model", "model"])
def test_a_change_behind_a_module_that_only_hands_on_is_noticed(attribute: str) -> None:
    package = Path("users_code_package")
    package.mkdir()
    (package / "__init__.py").write_text(f"from users_code_package.inner import {attribute}\n")

    def fingerprint(sign: str) -> str:
        inner = f"""
def score(pairs):
    return [{sign}len(text) for _, text in pairs]
class Model:
    def score(self, pairs):
        return score(pairs)
model = Model()
"""
        (package / "inner.py").write_text(inner)
        for name in [name for name in sys.modules if name.startswith("users_code_package")]:
            del sys.modules[name]
        invalidate_caches()
        return load_scorer(f"python:users_code_package:{attribute}", Workbench()).fingerprint

    assert fingerprint("+") == fingerprint("+")
    assert fingerprint("+") != fingerprint("-")


def test_what_a_module_hands_on_without_source_is_refused() -> None:
    with pytest.raises(UserError, match="its source cannot be read"):
        load("from math import sqrt as score\n")
