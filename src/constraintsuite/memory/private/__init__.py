"""A private benchmark from your own documents: inventory, frozen versions, cases, agreement on evidence, export, drift.

pilot/inventory.csv        all documents; people select some of them
pilot/cases.csv            questions about them; people write these
pilot/versions/1/          copies of the selected documents, with their units and hashes
pilot/batches/1/           the batch of the cases of that version, which people judge with `csuite gold`
"""
