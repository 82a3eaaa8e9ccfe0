"""A model of your own: a function of (query, text) pairs, or an object with a method `score`, `predict` or `encode`.

A CrossEncoder or SentenceTransformer of sentence-transformers is such an object: `cs.evaluate(CrossEncoder(...), suite)`.
Run this script in an empty folder: it writes `suite` and `runs` there.
"""

import re

import constraintsuite as cs

NEGATION = re.compile(r"\b(?:without|excluding|no|not|except)\b")


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def overlap(pairs: list[tuple[str, str]]) -> list[float]:
    """The share of the query's words that are in the text."""
    return [len(words_of(query) & words_of(text)) / len(words_of(query)) for query, text in pairs]


class ObeysNegation:
    """The same, but words after a negation count against a text."""

    name = "obeys"  # what the run is called; without it, the name of the class

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [self._score(query, text) for query, text in pairs]

    def _score(self, query: str, text: str) -> float:
        wanted, *unwanted = NEGATION.split(query.lower())
        held = words_of(text)
        return len(words_of(wanted) & held) - len(words_of(" ".join(unwanted)) & held)


class LetterCounts:
    """Vectors in place of scores: they are compared by the similarity that the object names."""

    similarity = "dot"  # cosine, if it names none

    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[text.lower().count(letter) / len(text) for letter in "etaoinshrdlu"] for text in texts]


def main() -> None:
    suite = cs.build("sample", "suite", size=100, constraints=["exclude", "number"], analyser="rules", quiet=True)
    first = cs.evaluate(overlap, suite, quiet=True)
    second = cs.evaluate(ObeysNegation(), suite, quiet=True)
    print(first)
    print(second)
    print(cs.evaluate(LetterCounts(), suite, quiet=True))
    # Counting words against a text helps where Y is left out, and hurts where the text denies Y by name.
    print(cs.compare(first, second, by="slice").table())


if __name__ == "__main__":
    main()
