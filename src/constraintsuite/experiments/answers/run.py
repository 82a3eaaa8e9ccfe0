"""Turn people's answers about a suite into a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from constraintsuite.core.errors import UserError, first_of
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

_SEED = 0  # of the resampling for the intervals
_SHOWN_IDS = 10


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One person's answer: 1 for the chosen one of a question's two texts and 0 for the other, or one half each."""

    annotator: str
    role: QueryRole
    shares: tuple[float, float]


AnswersByQuestion = Mapping[PairQuestion, Sequence[GivenAnswer]]


def record_answers(
    suite: Path, file: Path, name: str, out: Path, reporter: Reporter, *, allow_missing: bool = False
) -> Artifact:
    """Write the run `human:NAME` of the answers in a file, in its own folder under `out`.

    Raises UserError if an example is not answered, unless `allow_missing` leaves it out.
    """
    if not (name.isprintable() and name.strip()):
        raise UserError(f"--name {name!r}: give the run a name that can be printed.")
    model = f"human:{name}"
    loaded = load_suite(suite)
    given = _read_answers(file, loaded.all_examples)
    answered = _keep_answered(loaded, given, file, allow_missing=allow_missing)
    left_out = len(loaded.all_examples) - len(answered.all_examples)
    origin = run_origin(loaded, model, {"allow_missing": allow_missing}, _SEED, {"answers": sha256_of(file)})
    asked = dict.fromkeys(question for e in answered.all_examples for question in questions_of(e).values())
    content = RunContent(
        answered,
        scores_of({question: given[question] for question in asked}),
        facts={**_facts(given), "examples_left_out": left_out},
        left_out={"unanswered": left_out} if left_out else {},
    )
    folder = run_folder(out, suite.resolve().name, model)
    return record_run(loaded, origin, folder, lambda: content, reporter=reporter)


def _keep_answered(suite: Suite, given: AnswersByQuestion, file: Path, *, allow_missing: bool) -> Suite:
    """The suite with those examples and queries that were answered.

    If nobody answered any query of a role, people were not asked about that role. Under the other roles, every example must
    be answered.
    """
    roles = _answered_roles(suite, given)
    if "query" not in roles:
        raise UserError(
            f"{file}: there is no answer to a query itself, only to opposites or restatements. Every figure needs answers to "
            "queries: add some."
        )
    examples, controls = (
        tuple(keep_queries(one, {preference.query for preference in one.preferences} & roles) for one in part)
        for part in (suite.examples, suite.controls)
    )
    asked = replace(suite, examples=examples, controls=controls)
    missing = [e.id for e in asked.all_examples if any(q not in given for q in questions_of(e).values())]
    if missing and not allow_missing:
        raise UserError(
            f"{file}: {len(missing)} of {len(asked.all_examples)} examples are not answered, or not under each of their "
            f"queries: {', '.join(first_of(missing, _SHOWN_IDS))}. Answer them, or pass --allow-missing to leave them out."
        )
    answered = asked.without(set(missing))
    if not answered.examples:
        raise UserError(
            f"{file}: none of the suite's {len(examples)} main examples is answered completely. Answer at least one."
        )
    return answered


def _answered_roles(suite: Suite, given: AnswersByQuestion) -> set[QueryRole]:
    """The query roles that people answered, directly or because the same question was asked under another role."""
    asked: dict[QueryRole, list[bool]] = {}
    for example in suite.all_examples:
        for preference, question in questions_of(example).items():
            asked.setdefault(preference.query, []).append(question in given)
    return {each.role for answer in given.values() for each in answer} | {r for r, done in asked.items() if all(done)}


def _facts(given: AnswersByQuestion) -> Mapping[str, ModelFact]:
    everything = [each for answer in given.values() for each in answer]
    several = [answer for answer in given.values() if len(answer) > 1]
    agreed = sum(len({each.shares for each in answer}) == 1 for answer in several)
    return {
        "answers": len(everything),
        "questions": len(given),
        "annotators": len({each.annotator for each in everything}),
        "roles": sorted({each.role for each in everything}),
        "questions_answered_more_than_once": len(several),
        "share_of_these_with_one_voice": agreed / len(several) if several else None,
    }


def _read_answers(file: Path, examples: Sequence[Example]) -> AnswersByQuestion:
    """Read the answers to each question. Raises UserError that names all rows that cannot be understood."""
    known = {example.id: example for example in examples}
    given: dict[PairQuestion, list[GivenAnswer]] = {}
    faults: list[RowFault] = []
    lines: dict[tuple[str, str, Preference], int] = {}
    for line in read_rows(file):
        row = line.record
        if row is None:
            faults.append(RowFault(line.number, line.fault))
            continue
        if not row.choice:
            continue
        try:
            if row.example not in known:
                raise UserError(f"the suite has no example {row.example!r}.")
            example = known[row.example]
            preference = _find_preference(row, example)
            before = lines.setdefault((row.annotator, example.id, preference), line.number)
            if before != line.number:
                advice = "" if row.annotator else " If two people answered, add a column `annotator`."
                raise UserError(f"already answered in line {before}{row.annotator and f' by {row.annotator}'}.{advice}")
            question = questions_of(example)[preference]
            answer = GivenAnswer(row.annotator, preference.query, _shares(row, example, preference, question))
            given.setdefault(question, []).append(answer)
        except UserError as fault:
            faults.append(RowFault(line.number, str(fault)))
    refuse(file, faults)
    return given


def _find_preference(row: AnswerRow, example: Example) -> Preference:
    """The preference that a row is about: by its query, and if that states several, by the texts that were shown."""
    role = _find_role(row.query, example)
    asked = [one for one in example.preferences if one.query == role]
    if len(asked) == 1:
        return asked[0]
    shown = {_plain(row.first), _plain(row.second)}
    about = [one for one in asked if {_plain(document.text) for document in _documents(one, example)} == shown]
    if len(about) != 1:
        raise UserError(
            f"{example.id} compares several texts under this query; the columns first and second must hold the two as shown."
        )
    return about[0]


def _documents(preference: Preference, example: Example) -> tuple[ExampleDocument, ExampleDocument]:
    return example.document(preference.better), example.document(preference.worse)


def _find_role(query: str, example: Example) -> QueryRole:
    asked = dict.fromkeys(preference.query for preference in example.preferences)
    names: dict[str, QueryRole] = {_plain(text): role for role, text in reversed(example.queries.items())}
    names |= {role: role for role in example.queries}
    role = names.get(query) or names.get(_plain(query)) if query else "query"
    if role is None or role not in asked:
        named = ", ".join(asked)
        raise UserError(
            f"{query!r} is not a query of {example.id} with a right answer; there are: {named}, or their texts."
        )
    return role


def _shares(row: AnswerRow, example: Example, preference: Preference, question: PairQuestion) -> tuple[float, float]:
    choice, documents = row.choice.lower(), _documents(preference, example)
    if choice == "tie":
        return 0.5, 0.5
    if choice in ("first", "second"):
        by_text = {_plain(document.text): document for document in documents}
        first, second = by_text.get(_plain(row.first)), by_text.get(_plain(row.second))
        if first is None or second is None or first is second:
            raise UserError(
                "first and second can be understood only if columns of these names hold the two texts as shown."
            )
        chosen = first if choice == "first" else second
    else:
        sides = {name: document for document in documents for name in (document.id, document.role)}
        found = sides.get(row.choice) or sides.get(choice)
        if found is None or all(row.choice == document.id for document in documents):
            roles = ", ".join(sorted(document.role for document in documents))
            expected = f"expected first, second, tie, {roles} or the id of one of the documents"
            raise UserError(f"choice is {row.choice!r}; {expected}.")
        chosen = found
    return (1.0, 0.0) if chosen.text == question.texts[0] else (0.0, 1.0)


def _plain(text: str) -> str:
    """The text with single spaces, because spreadsheets change line ends and spaces."""
    return " ".join(text.split())


_Verdicts = Mapping[PairQuestion, tuple[float, float]]
"""The mean shares of the two texts of each question."""


def scores_of(answers: AnswersByQuestion) -> dict[tuple[str, str], float]:
    """A number from 0 to 1 for each text under its query: the mean of its shares.

    If a query has several questions about one text, these means may contradict an answer about two texts. Then the texts
    get levels instead, which keep every answer. Raises UserError if the answers form a cycle.
    """
    by_query: dict[str, dict[PairQuestion, tuple[float, float]]] = {}
    for question, given in answers.items():
        first, second = (sum(shares) / len(given) for shares in zip(*(each.shares for each in given), strict=True))
        by_query.setdefault(question.query, {})[question] = first, second
    scores: dict[tuple[str, str], float] = {}
    for query, verdicts in by_query.items():
        numbers = _means(verdicts)
        if any(_order(*shares) != _order(*(numbers[text] for text in q.texts)) for q, shares in verdicts.items()):
            numbers = _levels(query, verdicts)
        scores |= {(query, text): number for text, number in numbers.items()}
    return scores


def _order(one: float, other: float) -> int:
    return (one > other) - (one < other)


def _means(verdicts: _Verdicts) -> dict[str, float]:
    got: dict[str, list[float]] = {}
    for question, shares in verdicts.items():
        for text, share in zip(question.texts, shares, strict=True):
            got.setdefault(text, []).append(share)
    return {text: sum(each) / len(each) for text, each in got.items()}


def _levels(query: str, verdicts: _Verdicts) -> dict[str, float]:
    """The height of each text in the order of preferences, from 0 to 1; texts that tie share a level."""
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
            f"The answers to {query!r} form a cycle (such as A over B, B over C, C over A), which no set of scores can "
            "express. Leave one of these answers out, and pass --allow-missing."
        ) from None
    level: dict[str, int] = {}
    for head in order:
        level[head] = 1 + max((level[below] for below in above[head]), default=-1)
    return {text: level[head] / max(1, *level.values()) for text, head in group.items()}
