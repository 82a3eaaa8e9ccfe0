"""Dates in a text: calendar expressions, what bounds them, and the event that they date."""
