"""Checks a suite from its files: hashes, lines, ids, couples, splits, labels and controls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from constraintsuite.core.records.examples import ADVERSARIAL, NONFLIP, RESTATED_PREFERENCE, Example
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_lines
from constraintsuite.suites.constraints.base import types_of
from constraintsuite.suites.tags import Y_KIND

FILES = ("examples.jsonl", "controls.jsonl", "gold.jsonl")


def verify_suite(folder: Path) -> list[str]:
    """One line per fault, none if all is well; examples are compared with each other only if every line can be read."""
    artifact = Artifact.open_unverified(folder, "suite")
    faults = artifact.verify()
    broken: list[str] = []
    examples, controls, gold = (_read(folder / name, broken) for name in FILES)
    missing = [name for name in FILES if name in artifact.manifest.files and not (folder / name).is_file()]
    if broken or missing:
        return [*faults, *broken]
    return [
        *faults,
        *_ids(examples, controls, gold),
        *_places(examples, controls),
        *_couples(examples),
        *_splits(examples),
        *_labels(examples),
        *_controls(controls, {example.id: example for example in examples}),
    ]


def _read(path: Path, broken: list[str]) -> list[Example]:
    """The examples of a file; lines that do not fit the schema go to `broken`. An imported suite need not have every file."""
    lines = list(read_lines(path, Example)) if path.is_file() else []
    broken += [f"{path.name}:{line.number}: {line.fault}" for line in lines if line.record is None]
    return [line.record for line in lines if line.record is not None]


def _ids(examples: Sequence[Example], controls: Sequence[Example], gold: Sequence[Example]) -> Iterator[str]:
    counts = Counter(example.id for example in [*examples, *controls])
    yield from (f"{name}: this id occurs {count} times" for name, count in counts.items() if count > 1)
    known = {example.id for example in examples}
    yield from (f"{example.id}: in gold.jsonl but not in examples.jsonl" for example in gold if example.id not in known)


def _places(examples: Sequence[Example], controls: Sequence[Example]) -> Iterator[str]:
    for name, part, main in (("examples.jsonl", examples, True), ("controls.jsonl", controls, False)):
        for example in part:
            if (example.control is None) != main:
                yield f"{example.id}: {'a control' if main else 'a main example'}, which does not belong into {name}"


def _couples(examples: Sequence[Example]) -> Iterator[str]:
    couples: dict[tuple[str, bool], list[Example]] = defaultdict(list)
    for example in examples:
        if example.couple:
            couples[example.couple, example.is_edited].append(example)
    for (name, _), members in couples.items():
        if len(members) != 2:
            yield f"couple {name}: {len(members)} example(s), expected 2"
        elif (
            members[0].satisfying.text != members[1].violating.text
            or members[0].violating.text != members[1].satisfying.text
        ):
            yield f"couple {name}: the roles of the two documents are not exchanged"


def _splits(examples: Sequence[Example]) -> Iterator[str]:
    """Clusters of documents, and names, that are in more than one split.

    Closed values and attributes may be in several: they are asked of different documents.
    """
    found: dict[tuple[int, str, str], set[str]] = defaultdict(set)
    for example in examples:
        constraint = example.constraint
        names = [constraint.value.lower()] if constraint is not None and example.tags.get(Y_KIND) == "name" else []
        for place, (title, keys) in enumerate((("cluster", example.clusters), ("name", names))):
            for key in keys:
                found[place, title, key].add(example.split)
    for (_, title, name), splits in sorted(found.items()):
        if len(splits) > 1:
            yield f"{title} {name!r}: is in {', '.join(sorted(splits))}"


def _labels(examples: Sequence[Example]) -> Iterator[str]:
    """The faults that each constraint type finds in its examples."""
    for name, found in types_of(examples).items():
        yield from found.faults([one for one in examples if one.constraint is not None and one.constraint.type == name])


def _controls(controls: Sequence[Example], originals: Mapping[str, Example]) -> Iterator[str]:
    for control in controls:
        if control.control is None or not control.control.original:
            continue  # no control, which `_places` reports, or an imported control without its original
        original = originals.get(control.control.original)
        if original is None:
            yield f"{control.id}: made from {control.control.original}, which is not in the suite"
            continue
        if control.split != original.split:
            yield f"{control.id}: is in {control.split}, its original {original.id} in {original.split}"
        check = {NONFLIP: _nonflip, ADVERSARIAL: _adversarial}.get(control.slice)
        if check is not None:
            yield from (f"{control.id}: {fault}" for fault in check(control, original))


def _nonflip(control: Example, original: Example) -> Iterator[str]:
    """It must have the preferences of its original, and another wording."""
    if control.preferences != original.preferences:
        yield f"its preferences differ from its original {original.id}"
    if (control.query, *_texts(control)) == (original.query, *_texts(original)):
        yield f"query and texts are the same as in its original {original.id}: nothing was changed"


def _adversarial(control: Example, original: Example) -> Iterator[str]:
    """Its plain query must be the one of its original, or its query must state no constraint and the roles be exchanged."""
    texts = _texts(original)
    if control.restated != original.query:
        texts = texts[::-1]
        if control.constraint is None or control.constraint.stated_by != "opposite":
            yield "its query states no constraint, so its opposite must be the one that does"
    if not control.is_paired:
        yield "the opposite query is missing"
    elif control.opposite == control.query:
        yield "the opposite query is the control's own"
    if RESTATED_PREFERENCE not in control.preferences:
        yield "the query in plain words is missing, or prefers neither document"
    if _texts(control) != texts:
        yield f"its texts are not the texts of its original {original.id}, with the roles exchanged if its query states no constraint"


def _texts(example: Example) -> tuple[str, str]:
    return example.satisfying.text, example.violating.text
