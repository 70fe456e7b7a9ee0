"""Records TensorFlow: eager ops as they run, GradientTapes, and every backward pass through them."""
