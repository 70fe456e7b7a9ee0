"""Records HIPS autograd: VJPNodes as they are made, and every backward pass through them."""
