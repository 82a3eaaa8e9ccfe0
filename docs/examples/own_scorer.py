"""A scorer of your own: any function of (query, text) pairs, or any object with a method `score`.

Run it in an empty folder: it writes `suite` and `runs` there.
"""

import re

import constraintsuite as cs

NEGATION = re.compile(r"\b(?:without|excluding|no|not|except)\b")


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def overlap(pairs: list[tuple[str, str]]) -> list[float]:
    """Share of the query's words that stand in the text."""
    return [len(words_of(query) & words_of(text)) / len(words_of(query)) for query, text in pairs]


class ObeysNegation:
    """The same, but words behind a negation count against a text."""

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [self._score(query, text) for query, text in pairs]

    def _score(self, query: str, text: str) -> float:
        wanted, *unwanted = NEGATION.split(query.lower())
        held = words_of(text)
        return len(words_of(wanted) & held) - len(words_of(" ".join(unwanted)) & held)


def main() -> None:
    suite = cs.build("sample", "suite", size=200, analyser="rules", quiet=True)
    first = cs.evaluate(overlap, suite, quiet=True)
    second = cs.evaluate(ObeysNegation(), suite, name="obeys", quiet=True)
    print(first)
    print(second)
    # Counting words against a text helps where Y is left out, and hurts where the text denies Y by name.
    print(cs.compare(first, second, by="slice").table())


if __name__ == "__main__":
    main()
