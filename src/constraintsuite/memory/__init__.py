"""Memory as a graph of units: ingesting documents, searching them, and measuring searches at equal budgets."""
