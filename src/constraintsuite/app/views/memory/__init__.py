"""Memories and their runs, shown."""
