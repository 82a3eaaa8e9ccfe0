"""How people judge: batches of items, blind queues, events that are only ever added, agreement, adjudication, labels."""
