"""Transformers on ONNX Runtime, without torch: graphs written from safetensors, or ONNX files as they are."""
