"""Is one model better than another, or is that chance? Paired tests on the same examples.

Run it in an empty folder: it writes `suite` and `runs` there.
"""

import constraintsuite as cs


def main() -> None:
    suite = cs.build("sample", "suite", size=100, constraints=["exclude", "number"], analyser="rules", quiet=True)
    plain = cs.evaluate("bm25", suite, quiet=True)  # its stop list deletes "no" and "not"
    words = cs.evaluate("bm25:words", suite, quiet=True)

    # Second less first, with intervals and tests; by slice, all tests together corrected by Holm's method.
    comparison = cs.compare(plain, words, by="slice", changed=3)
    print(comparison)

    overall = comparison.tests[0]
    if overall.holm is not None and overall.holm < 0.05:
        print("The difference is more than chance.")
    else:
        print("This suite does not tell the two apart.")

    # For a paper:
    print(comparison.table().to_latex())


if __name__ == "__main__":
    main()
