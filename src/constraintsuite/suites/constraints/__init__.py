"""Constraint types, one file each; `core/records/constraints.py` names them."""
