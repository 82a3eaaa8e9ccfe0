"""Reads one document: its class, the facts that it states of its subject, and its nouns."""
