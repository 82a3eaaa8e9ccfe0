"""The report of runs: one page, and its tables as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from constraintsuite.app.pages.first_page import make_first_page
from constraintsuite.app.pages.page import PAGE, TABLE_FILES, Masthead, write_files
from constraintsuite.app.pages.sections import SECTIONS
from constraintsuite.app.pages.view import ReportView, TokenMatch, environment_of, make_view, model_facts
from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.artifact import ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.load import Run, load_run, load_suite
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.models.base import Encoder, Workbench
from constraintsuite.models.dense import SIMILARITIES, load_encoder
from constraintsuite.models.model_names import load_scorer

if TYPE_CHECKING:
    from constraintsuite.models.torch.colbert import MaxSim


@dataclass(frozen=True)
class Extras:
    """Options of a report that go beyond what its runs hold."""

    rule: TieRule = STRICT
    """How a tie counts."""
    vectors: tuple[str, ...] = ()
    """Bi-encoders whose vectors of the two documents of an example are compared."""
    maxsim: tuple[str, ...] = ()
    """Late-interaction models whose token matches are shown."""
    examples: tuple[str, ...] = ()
    """Ids of the examples for which they are shown."""


def write_report(
    suite: Path,
    runs: Sequence[Path],
    out_folder: Path,
    extras: Extras | None = None,
    bench: Workbench | None = None,
    *,
    baseline: Run | None = None,
) -> Path:
    """Write the page and the tables of a suite and its runs as an artifact, and return the path of the page.

    With a `baseline`, an earlier run on the same suite, the page says what has changed since.
    """
    wanted, bench = extras or Extras(), bench or Workbench()
    if bool(wanted.maxsim) != bool(wanted.examples):
        raise UserError("--maxsim and --example go together: name the model and the examples.")
    encoders = {name: load_encoder(name, bench).encoder for name in wanted.vectors}
    readers = {name: load_late_interaction(name, bench) for name in wanted.maxsim}
    view = make_view(load_suite(suite), [load_run(run) for run in runs], wanted.rule, baseline)
    examples = pick_examples(view.suite.examples, wanted.examples)

    def write(folder: Path) -> OutputCounts:
        """Run the models and write the files; not called if the report is up to date."""
        whole = replace(
            view,
            likenesses={name: pair_similarity(e, view.suite.examples) for name, e in encoders.items()},
            matches=tuple(match for name, r in readers.items() for match in match_tokens(name, r, examples)),
        )
        sections = [made for name in SECTIONS.names() if (made := SECTIONS.load(name)(whole)) is not None]
        tables = write_files(folder, _masthead(whole), sections, make_first_page(whole))
        return OutputCounts({"runs": len(whole.runs), "examples": len(whole.suite.examples), "tables": tables})

    settings = {
        "ties": str(wanted.rule),
        "examples": list(wanted.examples),
        **{f"vectors {name}": encoder.fingerprint for name, encoder in encoders.items()},
        **{f"maxsim {name}": reader.fingerprint for name, reader in readers.items()},
    }
    origin = ArtifactOrigin("report", view.suite.name, _inputs(view), settings, 0, REVISIONS["report"])
    write_once(out_folder, origin, (PAGE, *TABLE_FILES), write, events=bench.events)
    return out_folder / PAGE


def _inputs(view: ReportView) -> dict[str, str]:
    inputs = {"suite": view.suite.content}
    if view.baseline is not None:
        inputs["baseline"] = view.baseline.artifact.manifest.content
    for label, run in view.runs.items():
        inputs[f"run {label}"] = run.artifact.manifest.content
        # These are not part of a run's content, but the page shows them.
        place = [environment_of(run.artifact.path), model_facts(run)]
        inputs[f"versions {label}"] = sha256_text(json.dumps(place, sort_keys=True))
    return inputs


def _masthead(view: ReportView) -> Masthead:
    suite, systems = view.suite, len(view.runs)
    about = (
        f"{len(suite.examples):,} examples, each a query with a text that satisfies it and a text that violates it; "
        f"{len(suite.controls):,} controls; {systems} {'system' if systems == 1 else 'systems'}."
    )
    return Masthead(f"Constraint suite: {suite.name}", "report", about)


def pair_similarity(encoder: Encoder, examples: Sequence[Example]) -> FloatArray:
    """The cosine of the vectors of each example's two documents; each distinct text is encoded once."""
    satisfying = [example.satisfying.text for example in examples]
    violating = [example.violating.text for example in examples]
    rows = {text: row for row, text in enumerate(dict.fromkeys([*satisfying, *violating]))}
    vectors = encoder.encode(list(rows), "document").astype(np.float64)
    first, second = (vectors[[rows[text] for text in texts]] for texts in (satisfying, violating))
    return SIMILARITIES["cosine"](first, second)


@runtime_checkable
class LateInteraction(Protocol):
    """A model that scores a pair by comparing tokens."""

    fingerprint: str

    def maxsim(self, query: str, text: str) -> MaxSim:
        """The token similarities that make up the score of one pair."""


def load_late_interaction(model: str, bench: Workbench) -> LateInteraction:
    """The model of this name. Raises UserError if it does not compare tokens."""
    scorer = load_scorer(model, bench)
    if not isinstance(scorer, LateInteraction):
        raise UserError(f"--maxsim {model}: this model does not compare tokens. Name a ColBERT model: colbert:FOLDER")
    return scorer


def match_tokens(model: str, scorer: LateInteraction, examples: Sequence[Example]) -> Iterator[TokenMatch]:
    """The token matches of the query of each example with both of its documents."""
    for example in examples:
        for document in (example.satisfying, example.violating):
            found = scorer.maxsim(example.query, document.text)
            tokens = (found.query_tokens, found.document_tokens)
            yield TokenMatch(model, example.id, example.query, document.role, *tokens, found.matrix)


def pick_examples(examples: Sequence[Example], ids: Sequence[str]) -> list[Example]:
    """The examples with these ids. Raises UserError if an id is unknown."""
    known = {example.id: example for example in examples}
    for wanted in ids:
        if wanted not in known:
            hint = hint_for(wanted, known, "`csuite suite sample SUITE` prints some with their ids.")
            raise UserError(f"--example {wanted}: no main example has this id. {hint}")
    return [known[wanted] for wanted in dict.fromkeys(ids)]
