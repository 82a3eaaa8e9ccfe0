"""Kinds of items that are made from what a build leaves; other folders bring their own (`memory/private`)."""
