"""Bundles in the forms that others read."""
