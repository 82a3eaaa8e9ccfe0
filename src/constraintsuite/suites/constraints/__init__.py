"""What a query may ask of a document: one file for each constraint type, named in `core/records/constraints.py`."""
