"""The training split of a suite as lists of two: never its dev or test split."""

from __future__ import annotations

from constraintsuite.errors import UserError
from constraintsuite.experiments.load import load_suite
from constraintsuite.tuning.data.records import DataContext, ListsBuilder, Prepared
from constraintsuite.tuning.data.settings import SuiteData


def read_suite(settings: SuiteData, bench: DataContext) -> Prepared:
    """Under each query of the chosen roles the better text, then the worse one."""
    suite = load_suite(settings.suite)
    everything = [*suite.examples, *(suite.controls if settings.controls else ())]
    examples = [e for e in everything if e.split == "train" and (not settings.slices or e.slice in settings.slices)]
    if not examples:
        raise UserError(
            f"{settings.suite}: no example of the split train{' in these slices' if settings.slices else ''}. "
            "Only that split is trained on; build a larger suite, or one with another share in `splits`."
        )
    builder = ListsBuilder(bench.exclusion)
    for example in examples:
        for preference in example.preferences:
            if preference.query in settings.roles:
                better, worse = example.document(preference.better).text, example.document(preference.worse).text
                builder.add(example.queries[preference.query], (better, worse), (1.0, 0.0))
    return builder.done({"examples": len(examples)})
