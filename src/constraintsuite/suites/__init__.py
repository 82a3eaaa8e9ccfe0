"""Suites of test examples: how they are built, checked, audited, exported, imported and judged by people."""
