"""Records PyTorch: forward calls by a function mode, backward passes by the engine's one entry, node by node."""
