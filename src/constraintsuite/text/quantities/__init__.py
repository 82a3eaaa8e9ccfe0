"""Quantities of a text, such as prices, times, sizes, shares and numbers of things, with unit and bounds."""
