"""What everything rests on: records, the store, execution, statistics, errors and catalogues."""
