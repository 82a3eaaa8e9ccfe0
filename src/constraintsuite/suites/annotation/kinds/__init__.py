"""Kinds of items that people judge: examples, proposals, written queries. Private cases are in `memory/private`."""
