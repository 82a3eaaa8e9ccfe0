"""A suite and a file of answers give one run folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.examples import Example, ExampleDocument, Preference, QueryRole
from constraintsuite.core.statistics.pairwise import keep_queries
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import sha256_of
from constraintsuite.experiments.answers.files import AnswerRow, PairQuestion, questions_of, read_rows
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.experiments.run import RunContent, record_run, run_folder, run_origin
from constraintsuite.models.base import ModelFact
from constraintsuite.suites.annotation.tables import RowFault, refuse

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
            f"{answers.path}: there is no answer to a query itself, only to opposites or restatements. Every figure needs answers to "
            "queries: add some."
        )
    examples = [_with_roles(example, roles) for example in suite.examples]
    controls = [_with_roles(control, roles) for control in suite.controls]
    missing = {e.id for e in (*examples, *controls) if any(q not in given for q in questions_of(e).values())}
    if missing and not answers.allow_missing:
        raise UserError(_unanswered(answers.path, [e.id for e in (*examples, *controls)], missing))
    kept = tuple(example for example in examples if example.id not in missing)
    if not kept:
        raise UserError(
            f"{answers.path}: none of the suite's {len(examples)} main examples is answered completely. Answer at least one."
        )
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


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One person's answer: how much each of a question's two texts got, 1 and 0, or a half each."""

    annotator: str
    role: QueryRole
    shares: tuple[float, float]


AnswersByQuestion = Mapping[PairQuestion, Sequence[GivenAnswer]]


class _Fault(Exception):  # noqa: N818 - gathered, then told together
    """What is wrong with a row."""


def read_answers(file: Path, examples: Sequence[Example]) -> AnswersByQuestion:
    """All answers of a file by question; a row that cannot be understood is a UserError that names it, and the others."""
    known = {example.id: example for example in examples}
    given: dict[PairQuestion, list[GivenAnswer]] = {}
    faults: list[RowFault] = []
    lines: dict[tuple[str, str, Preference], int] = {}
    for line, row, fault in read_rows(file):
        try:
            if row is None:
                raise _Fault(fault.rstrip("."))
            if not row.choice:
                continue
            example = known.get(row.example)
            if example is None:
                raise _Fault(f"the suite has no example {row.example!r}")
            preference = _preference(row, example)
            question = questions_of(example)[preference]
            before = lines.setdefault((row.annotator, example.id, preference), line)
            if before != line:
                who = row.annotator or "no one; name them in a column `annotator`"
                raise _Fault(f"answered already in line {before} (by {who})")
            shares = _shares(row, example, preference, question)
            given.setdefault(question, []).append(GivenAnswer(row.annotator, preference.query, shares))
        except _Fault as reason:
            faults.append(RowFault(line, f"{reason}."))
    refuse(file, faults)
    return given


def scores_of(answers: AnswersByQuestion) -> dict[tuple[str, str], float]:
    """A number from 0 to 1 for each text under its query: the mean of what it got.

    Where one query has several questions about the same text, means could say of two texts what nobody said. There the
    texts are put on levels instead, which keep every verdict; verdicts that go round in a circle are a UserError.
    """
    by_query: dict[str, dict[PairQuestion, tuple[float, float]]] = {}
    for question, given in answers.items():
        by_query.setdefault(question.query, {})[question] = verdict(given)
    scores: dict[tuple[str, str], float] = {}
    for query, verdicts in by_query.items():
        numbers = _means(verdicts)
        if any(_order(*shares) != _order(*(numbers[text] for text in q.texts)) for q, shares in verdicts.items()):
            numbers = _levels(query, verdicts)
        scores |= {(query, text): number for text, number in numbers.items()}
    return scores


def verdict(given: Sequence[GivenAnswer]) -> tuple[float, float]:
    """The mean shares of a question's two texts."""
    return sum(each.shares[0] for each in given) / len(given), sum(each.shares[1] for each in given) / len(given)


def _preference(row: AnswerRow, example: Example) -> Preference:
    """The preference that a row is about: by its query, and where that states several, by the texts that were shown."""
    role = _role(row.query, example)
    asked = [one for one in example.preferences if one.query == role]
    if len(asked) == 1:
        return asked[0]
    shown = {_plain(row.first), _plain(row.second)}
    about = [one for one in asked if {_plain(document.text) for document in _documents(one, example)} == shown]
    if len(about) != 1:
        raise _Fault(
            f"{example.id} compares several texts under this query; the columns first and second must hold the two as shown"
        )
    return about[0]


def _documents(preference: Preference, example: Example) -> tuple[ExampleDocument, ExampleDocument]:
    return example.document(preference.better), example.document(preference.worse)


def _role(query: str, example: Example) -> QueryRole:
    asked = dict.fromkeys(preference.query for preference in example.preferences)
    names: dict[str, QueryRole] = {_plain(text): role for role, text in reversed(example.queries.items())}
    names |= {role: role for role in example.queries}
    role = names.get(query) or names.get(_plain(query)) if query else "query"
    if role is None or role not in asked:
        named = ", ".join(asked)
        raise _Fault(
            f"{query!r} is no query of {example.id} that has a right answer; there are: {named}, or their texts"
        )
    return role


def _shares(row: AnswerRow, example: Example, preference: Preference, question: PairQuestion) -> tuple[float, float]:
    choice, documents = row.choice.lower(), _documents(preference, example)
    if choice == "tie":
        return 0.5, 0.5
    chosen = _shown(row, documents) if choice in ("first", "second") else _named(row.choice, documents)
    return (1.0, 0.0) if chosen.text == question.texts[0] else (0.0, 1.0)


def _shown(row: AnswerRow, documents: Sequence[ExampleDocument]) -> ExampleDocument:
    """The document that stands in the column `first` or `second`."""
    by_text = {_plain(document.text): document for document in documents}
    first, second = by_text.get(_plain(row.first)), by_text.get(_plain(row.second))
    if first is None or second is None or first is second:
        raise _Fault("first and second can be understood only if columns of these names hold the two texts as shown")
    return first if row.choice.lower() == "first" else second


def _named(choice: str, documents: Sequence[ExampleDocument]) -> ExampleDocument:
    sides = {name: document for document in documents for name in (document.id, document.role)}
    found = sides.get(choice) or sides.get(choice.lower())
    if found is None or all(choice == document.id for document in documents):
        roles = ", ".join(sorted(document.role for document in documents))
        raise _Fault(f"choice is {choice!r}; expected first, second, tie, {roles} or the id of one of the documents")
    return found


def _plain(text: str) -> str:
    """Spreadsheets change line ends and spaces."""
    return " ".join(text.split())


def _order(one: float, other: float) -> int:
    return (one > other) - (one < other)


def _means(verdicts: Mapping[PairQuestion, tuple[float, float]]) -> dict[str, float]:
    got: dict[str, list[float]] = {}
    for question, shares in verdicts.items():
        for text, share in zip(question.texts, shares, strict=True):
            got.setdefault(text, []).append(share)
    return {text: sum(each) / len(each) for text, each in got.items()}


def _levels(query: str, verdicts: Mapping[PairQuestion, tuple[float, float]]) -> dict[str, float]:
    group = {text: text for question in verdicts for text in question.texts}
    for question, shares in verdicts.items():
        if shares[0] == shares[1]:
            one, other = (group[text] for text in question.texts)
            group = {text: other if head == one else head for text, head in group.items()}
    above: dict[str, set[str]] = {head: set() for head in group.values()}
    for question, shares in verdicts.items():
        if shares[0] != shares[1]:
            winner, loser = question.texts if shares[0] > shares[1] else question.texts[::-1]
            above[group[winner]].add(group[loser])
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError:
        raise UserError(
            f"The answers to {query!r} are circular: a text is preferred to another, and that one, in the end, to "
            "it. One score per text cannot express that. Leave one of these answers out, and pass --allow-missing."
        ) from None
    level: dict[str, int] = {}
    for head in order:
        level[head] = 1 + max((level[below] for below in above[head]), default=-1)
    return {text: level[head] / max(1, *level.values()) for text, head in group.items()}
