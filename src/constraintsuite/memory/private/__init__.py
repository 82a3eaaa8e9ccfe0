"""A private benchmark of one's own documents: inventory, frozen versions, blind labels, agreement, export, drift.

pilot/inventory.csv        which documents there are, and which were chosen; people fill it
pilot/cases.csv            what is asked of them; people write it
pilot/versions/1/          the chosen documents as they were, with their units and hashes
pilot/batches/1/           what annotators said of the cases of that version
"""
