"""Annotation by people: batches of items, blind queues, stored answers, agreement, rulings, labels."""
