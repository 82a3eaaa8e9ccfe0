"""Everything a suite promises, checked again from its files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from constraintsuite.records.examples import CONTROL_SLICES, Example
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import read_lines
from constraintsuite.text import ANALYSERS
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_document, judge_mentions

FILES = ("examples.jsonl", "controls.jsonl", "gold.jsonl")


class _Part(NamedTuple):
    examples: list[Example]
    faults: list[str]


def verify_suite(folder: Path) -> list[str]:
    """One line a fault; empty when all is well. Hashes first, then every line, then what the lines promise together."""
    artifact = Artifact.open_unverified(folder, "suite")
    faults = artifact.verify()
    parts = [_read(folder / name) for name in FILES]
    misfits = [fault for part in parts for fault in part.faults]
    gone = [name for name in FILES if name in artifact.manifest.files and not (folder / name).is_file()]
    if misfits or gone:  # what the lines promise together cannot be told from some of them
        return [*faults, *misfits]
    examples, controls, gold = (part.examples for part in parts)
    return [
        *faults,
        *_ids(examples, controls, gold),
        *_places(examples, controls),
        *_couples(examples),
        *_splits(examples),
        *_verdicts(examples),
        *_controls(controls, {example.id: example for example in examples}),
    ]


def _read(path: Path) -> _Part:
    """The examples of a file, each line checked against the schema; an imported suite need not have every file."""
    if not path.is_file():
        return _Part([], [])
    lines = list(read_lines(path, Example))
    faults = [f"{path.name}:{line.number}: {line.fault}" for line in lines if line.record is None]
    return _Part([line.record for line in lines if line.record is not None], faults)


def _ids(examples: Sequence[Example], controls: Sequence[Example], gold: Sequence[Example]) -> Iterator[str]:
    counts = Counter(example.id for example in [*examples, *controls])
    yield from (f"{name}: this id stands {count} times" for name, count in counts.items() if count > 1)
    known = {example.id for example in examples}
    yield from (f"{example.id}: in gold.jsonl but not in examples.jsonl" for example in gold if example.id not in known)


def _places(examples: Sequence[Example], controls: Sequence[Example]) -> Iterator[str]:
    for name, part, main in (("examples.jsonl", examples, True), ("controls.jsonl", controls, False)):
        for example in part:
            if (example.suite not in CONTROL_SLICES) != main:
                yield f"{example.id}: of the slice {example.suite}, which does not belong into {name}"


def _couples(examples: Sequence[Example]) -> Iterator[str]:
    couples: dict[tuple[str, bool], list[Example]] = defaultdict(list)
    for example in examples:
        if example.couple:
            couples[example.couple, example.edit is not None].append(example)
    for (name, _), members in couples.items():
        if len(members) != 2:
            yield f"couple {name}: {len(members)} example(s), expected 2"
        elif (
            members[0].docs.pos.text != members[1].docs.neg.text or members[0].docs.neg.text != members[1].docs.pos.text
        ):
            yield f"couple {name}: the roles of the two documents are not exchanged"


def _splits(examples: Sequence[Example]) -> Iterator[str]:
    for title, key in (("cluster", _clusters), ("Y", _y), ("template family", _family)):
        found: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            for value in key(example):
                found[value].add(example.split)
        yield from (
            f"{title} {value!r}: stands in {', '.join(sorted(splits))}"
            for value, splits in sorted(found.items())
            if len(splits) > 1
        )


def _clusters(example: Example) -> Sequence[str]:
    return example.clusters


def _y(example: Example) -> Sequence[str]:
    return (f"{example.constraint.y.lower()}",) if example.query.template_family != "given" else ()


def _family(example: Example) -> Sequence[str]:
    return () if example.query.template_family in ("given", "slot") else (example.query.template_family,)


def _verdicts(examples: Sequence[Example]) -> Iterator[str]:
    """The analyser that made the suite reads both texts again; what people judged stays as they did."""
    by_analyser: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if example.analyser in ANALYSERS.names():
            by_analyser[example.analyser].append(example)
    for name, part in by_analyser.items():
        texts = sorted({text for e in part for text in (e.docs.pos.text, e.docs.neg.text)})
        scopes = {analysis.text: analysis.scopes for analysis in get_analyser(name).analyse(texts)}
        for example in part:
            forms = example.constraint.y_surface_forms
            pos = judge_document(
                judge_mentions(find_forms(example.docs.pos.text, forms), scopes[example.docs.pos.text])
            )
            neg = judge_document(
                judge_mentions(find_forms(example.docs.neg.text, forms), scopes[example.docs.neg.text])
            )
            if pos not in ("negates", "omits") or neg != "affirms":
                yield f"{example.id}: the satisfier {pos} Y and the violator {neg} it"


def _controls(controls: Sequence[Example], originals: Mapping[str, Example]) -> Iterator[str]:
    for control in controls:
        if control.control is None:
            yield f"{control.id}: does not say what it controls"
            continue
        original = originals.get(control.control.of)
        if original is None:
            yield f"{control.id}: made from {control.control.of or 'nothing'}, which is not in the suite"
            continue
        if control.split != original.split:
            yield f"{control.id}: stands in {control.split}, its original {original.id} in {original.split}"
        check = _nonflip if control.suite == "controls_nonflip" else _adversarial
        yield from (f"{control.id}: {fault}" for fault in check(control, original))


def _nonflip(control: Example, original: Example) -> Iterator[str]:
    """The same preference as the original's, of another wording."""
    if control.labels != original.labels:
        yield f"its labels are not those of its original {original.id}"
    if control.control is not None and control.control.twin_query:
        yield "a non-flip control has no twin query"
    if (control.query.neg, *_texts(control)) == (original.query.neg, *_texts(original)):
        yield f"query and texts are those of its original {original.id}: nothing was changed"


def _adversarial(control: Example, original: Example) -> Iterator[str]:
    """The original's documents, exchanged, under a query that excludes nothing; the twin query does exclude."""
    if control.labels.pairwise_preference_for_query_base != "pos_over_neg" or control.constraint.type != "none":
        yield "its query excludes nothing, so label and constraint must be pos_over_neg and none"
    twin = control.control.twin_query if control.control is not None else ""
    if not twin.strip():
        yield "the twin query is missing"
    elif twin == control.query.neg:
        yield "the twin query is the control's own"
    if _texts(control) != _texts(original)[::-1]:
        yield f"its texts are not those of its original {original.id} with the roles exchanged"


def _texts(example: Example) -> tuple[str, str]:
    return example.docs.pos.text, example.docs.neg.text
