"""Put activations of one run into another: many patches per batch, computed from the patched layer upwards."""
