"""Train models: tasks one after the other, evaluated after every epoch; each checkpoint is a model folder."""
