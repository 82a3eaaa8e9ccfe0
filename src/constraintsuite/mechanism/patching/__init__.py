"""Activations of one run put into another: stacked in the batch, from the layer that is patched upwards."""
