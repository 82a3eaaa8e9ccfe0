"""What people prefer, as a run like any other: questions on a sheet, answers in a file, scores."""
