"""A suite and a file of answers give one run folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.answers.questions import PairQuestion, questions_of
from constraintsuite.experiments.answers.verdicts import AnswersByQuestion, read_answers, scores_of
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.experiments.outcomes import keep_queries
from constraintsuite.experiments.run import run_folder
from constraintsuite.experiments.writing import RunContent, record_run, run_origin
from constraintsuite.models.base import ModelFact
from constraintsuite.records.examples import Example, QueryRole
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.files import sha256_of

_SHOWN_IDS = 10


@dataclass(frozen=True)
class AnswerFile:
    """Answers that somebody gave, and the name they go by."""

    path: Path
    name: str
    allow_missing: bool = False
    """Leave out examples that are not answered, instead of refusing the file."""


def record_answers(suite: Path, answers: AnswerFile, out: Path, reporter: Reporter, seed: int = 0) -> Artifact:
    """The run of people on a suite, in its own folder under `out`; if that is done already, nothing is computed."""
    if not (answers.name.isprintable() and answers.name.strip()):
        raise UserError(f"--name {answers.name!r}: give the run a name that can be printed.")
    model = f"human:{answers.name}"
    loaded = load_suite(suite)
    given = read_answers(answers.path, [*loaded.examples, *loaded.controls])
    answered, left_out = _answered(loaded, given, answers)
    settings, inputs = {"allow_missing": answers.allow_missing}, {"answers": sha256_of(answers.path)}
    origin = run_origin(loaded, model, settings, seed, inputs)
    scores = scores_of({question: given[question] for question in _asked(answered)})
    content = RunContent(
        answered,
        scores,
        facts={**_facts(given), "examples_left_out": left_out},
        left_out={"unanswered": left_out} if left_out else {},
    )
    folder = run_folder(out, suite.resolve().name, model)
    return record_run(loaded, origin, folder, lambda: content, reporter=reporter)


def _answered(suite: Suite, given: AnswersByQuestion, answers: AnswerFile) -> tuple[Suite, int]:
    """The suite with the questions that were answered, and how many examples it has lost.

    A role under which nobody answered anything was not asked; under the others, each example must be answered.
    """
    roles = _roles(suite, given)
    if "query" not in roles:
        raise UserError(
            f"{answers.path}: holds no answer under a query itself, only under opposites or restatements; every figure needs the former."
        )
    examples = [_with_roles(example, roles) for example in suite.examples]
    controls = [_with_roles(control, roles) for control in suite.controls]
    missing = {e.id for e in (*examples, *controls) if any(q not in given for q in questions_of(e).values())}
    if missing and not answers.allow_missing:
        raise UserError(_unanswered(answers.path, [e.id for e in (*examples, *controls)], missing))
    kept = tuple(example for example in examples if example.id not in missing)
    if not kept:
        raise UserError(f"{answers.path}: answers none of the suite's {len(examples)} main examples in full.")
    return Suite(suite.artifact, kept, tuple(c for c in controls if c.id not in missing)), len(missing)


def _roles(suite: Suite, given: AnswersByQuestion) -> set[QueryRole]:
    """Those that the answers are about, and those whose questions are all answered, if under another example's role."""
    asked: dict[QueryRole, list[bool]] = {}
    for example in (*suite.examples, *suite.controls):
        for preference, question in questions_of(example).items():
            asked.setdefault(preference.query, []).append(question in given)
    return {each.role for answer in given.values() for each in answer} | {r for r, done in asked.items() if all(done)}


def _with_roles(example: Example, roles: set[QueryRole]) -> Example:
    """The example without queries that nobody was asked: they have no score, and no figure may pretend that they do."""
    return keep_queries(example, {one.query for one in example.preferences} & roles)


def _asked(suite: Suite) -> list[PairQuestion]:
    return list(dict.fromkeys(q for e in (*suite.examples, *suite.controls) for q in questions_of(e).values()))


def _unanswered(file: Path, ids: Sequence[str], missing: Collection[str]) -> str:
    first = [each for each in ids if each in missing][:_SHOWN_IDS]
    more = f" and {len(missing) - len(first)} more" if len(missing) > len(first) else ""
    return (
        f"{file}: {len(missing)} of {len(ids)} examples are not answered, or not under each of their queries: "
        f"{', '.join(first)}{more}. Answer them, or pass --allow-missing to leave them out."
    )


def _facts(given: AnswersByQuestion) -> Mapping[str, ModelFact]:
    several = [answer for answer in given.values() if len(answer) > 1]
    agreed = sum(len({each.shares for each in answer}) == 1 for answer in several)
    return {
        "answers": sum(len(answer) for answer in given.values()),
        "questions": len(given),
        "annotators": len({each.annotator for answer in given.values() for each in answer}),
        "roles": sorted({each.role for answer in given.values() for each in answer}),
        "questions_answered_more_than_once": len(several),
        "share_of_these_with_one_voice": agreed / len(several) if several else None,
    }
