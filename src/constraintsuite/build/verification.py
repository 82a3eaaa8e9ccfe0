"""Everything a suite promises, checked again from its files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from constraintsuite.build.stages.mentions import get_analyser
from constraintsuite.build.stages.tagged import read_examples
from constraintsuite.records.examples import Example
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_document, judge_mentions


def verify_suite(folder: Path) -> list[str]:
    """One line a fault; empty when all is well. Reading the files checks each line against the schema."""
    artifact = Artifact.open(folder, "suite")
    examples = read_examples(folder)
    controls = list(read_jsonl(folder / "controls.jsonl", Example))
    gold = list(read_jsonl(folder / "gold.jsonl", Example))
    return [
        *artifact.verify(),
        *_ids(examples, controls, gold),
        *_couples(examples),
        *_splits(examples),
        *_verdicts(examples),
    ]


def _ids(examples: Sequence[Example], controls: Sequence[Example], gold: Sequence[Example]) -> Iterator[str]:
    counts = Counter(example.id for example in [*examples, *controls])
    yield from (f"{name}: this id stands {count} times" for name, count in counts.items() if count > 1)
    known = {example.id for example in examples}
    yield from (f"{example.id}: in gold.jsonl but not in examples.jsonl" for example in gold if example.id not in known)
    for control in controls:
        if control.control is not None and control.control.of and control.control.of not in known:
            yield f"{control.id}: made from {control.control.of}, which is not in the suite"


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
    """The analyser that made the suite reads both texts again."""
    by_analyser: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
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
