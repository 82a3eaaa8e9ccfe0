"""Large corpora for benchmarks: sentences of Debian's long package descriptions, recombined by seed."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LISTS = Path("/var/lib/apt/lists")
APT_HELPER = Path("/usr/lib/apt/apt-helper")
MIN_WORDS, MAX_WORDS = 30, 90
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])")


class NoDescriptionsError(Exception):
    """This machine has no list of package descriptions."""


@dataclass(frozen=True)
class Sentences:
    """Distinct sentences: those that open a description (they say what a thing is), and all others."""

    openers: Sequence[str]
    others: Sequence[str]


def write_passages(path: Path, count: int, *, seed: int, lists: Path = LISTS) -> None:
    """Write `count` passages as JSON lines; a smaller count gives the beginning of a larger one."""
    sentences = collect_sentences(read_descriptions(lists))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    with partial.open("w", encoding="utf-8") as file:
        for number, text in enumerate(recombine(sentences, count, random.Random(seed))):
            file.write(json.dumps({"id": f"p{number:06d}", "text": text}, ensure_ascii=False) + "\n")
    partial.replace(path)


def require_lists(lists: Path = LISTS) -> list[Path]:
    """The lists of descriptions here; none is an error that says how to get them."""
    files = sorted(lists.glob("*Translation-en*"))
    if not files or not APT_HELPER.is_file():
        raise NoDescriptionsError(
            f"no Translation-en list in {lists}. On Debian and its kin `apt-get -o Acquire::Languages=en update` "
            "fetches them (container images switch them off)."
        )
    return files


def read_descriptions(lists: Path = LISTS) -> Iterator[str]:
    """The long descriptions of all packages as running text, files in the order of their names."""
    for file in require_lists(lists):
        # apt's own helper reads whatever packing apt chose (lz4, xz, gz, none).
        done = subprocess.run([APT_HELPER, "cat-file", file], check=True, capture_output=True)
        for stanza in done.stdout.decode("utf-8", "replace").split("\n\n"):
            _, found, body = stanza.partition("Description-en:")
            if found:
                yield _prose(body.splitlines()[1:])


def _prose(lines: Iterable[str]) -> str:
    """Paragraphs only: lists and verbatim lines are indented further, and a lone dot parts paragraphs."""
    return " ".join(line.strip() for line in lines if line.startswith(" ") and line[1:2] not in (" ", "."))


def collect_sentences(descriptions: Iterable[str]) -> Sentences:
    """The whole sentences of 5 to 45 words, each once."""
    openers: dict[str, None] = {}
    others: dict[str, None] = {}
    for description in descriptions:
        for place, sentence in enumerate(_SENTENCE_END.split(description)):
            if sentence.endswith((".", "!", "?")) and 5 <= len(sentence.split()) <= 45:
                (openers if place == 0 else others)[sentence] = None
    return Sentences(tuple(openers), tuple(sentence for sentence in others if sentence not in openers))


def recombine(sentences: Sentences, count: int, rng: random.Random) -> Iterator[str]:
    """Distinct passages of 30 to 90 words: an opener, then sentences from anywhere."""
    openers, others = sentences.openers, sentences.others
    seen: set[tuple[int, ...]] = set()
    while len(seen) < count:
        target = rng.randint(MIN_WORDS, MAX_WORDS)
        chosen = [rng.randrange(len(openers))]
        parts = [openers[chosen[0]]]
        words = len(parts[0].split())
        while words < target:
            chosen.append(rng.randrange(len(others)))
            parts.append(others[chosen[-1]])
            words += len(parts[-1].split())
        if words <= MAX_WORDS and tuple(chosen) not in seen:
            seen.add(tuple(chosen))
            yield " ".join(parts)
