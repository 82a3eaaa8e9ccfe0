"""What can be asked of an answer: one function a check, None where the question does not arise."""
