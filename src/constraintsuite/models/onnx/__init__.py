"""Transformers on ONNX Runtime, without torch: from graphs that are written from safetensors, or from ONNX files."""
