"""ConstraintSuite: does a retrieval system do what it was asked?

    >>> import constraintsuite as cs
    >>> suite = cs.load_suite("suites/ours")
    >>> run = cs.evaluate("bm25", suite)
    >>> print(run.table(by="relation"))

Importing the package loads nothing else; each name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraintsuite.app.api.comparison import Comparison, GateResult, compare, gate
    from constraintsuite.app.api.models import list_models
    from constraintsuite.app.api.proposals import Proposals, propose
    from constraintsuite.app.api.run import Run, evaluate, load_run, report
    from constraintsuite.app.api.suite import Example, Suite, build, import_suite, load_suite
else:  # a type checker would take it that every name is there

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'constraintsuite' has no attribute {name!r}")
        return getattr(import_module(f"constraintsuite.app.api.{_MODULES[name]}"), name)


__version__ = "0.1.0"
__all__ = [
    "Comparison",
    "Example",
    "GateResult",
    "Proposals",
    "Run",
    "Suite",
    "build",
    "compare",
    "evaluate",
    "gate",
    "import_suite",
    "list_models",
    "load_run",
    "load_suite",
    "propose",
    "report",
]
_MODULES = {
    "Comparison": "comparison",
    "Example": "suite",
    "GateResult": "comparison",
    "Proposals": "proposals",
    "Run": "run",
    "Suite": "suite",
    "build": "suite",
    "compare": "comparison",
    "evaluate": "run",
    "gate": "comparison",
    "import_suite": "suite",
    "list_models": "models",
    "load_run": "run",
    "load_suite": "suite",
    "propose": "proposals",
    "report": "run",
}
"""The file of `app/api/` that defines each name."""


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
