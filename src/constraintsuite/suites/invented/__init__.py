"""Passages about real things with all names replaced by invented ones, so that an edit says nothing false of anybody."""
