"""People as a system: sheets of questions to fill in, and the run that their answers give."""
