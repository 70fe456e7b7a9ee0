"""The program of 'A seed of the wrong shape' in TensorFlow, where it works.

A GradientTape writes down what is computed inside its with block. It follows tf.Variable by itself,
here z; w and G are constants for it. gradient(target, sources) names both ends, so there is no
argument that could be taken for a seed: that would be output_gradients=, and it is left out.
Were out not a scalar, TensorFlow would sum it without a word.
"""

import tensorflow as tf

tf.random.set_seed(3)
n, rows, keep = 164, 79, 3
w = tf.random.uniform([n, n], dtype=tf.float64)
w = (w + tf.transpose(w)) / 2
G = tf.random.normal([rows, n], dtype=tf.float64)
z = tf.Variable(tf.random.normal([n], dtype=tf.float64))

with tf.GradientTape() as tape:
    lap = tf.linalg.diag(2 * z - tf.reduce_sum(w, 1)) + w
    e, v = tf.linalg.eigh(lap)
    top = e[-keep:] * v[:, -keep:]
    y = tf.reduce_sum(tf.square(top), 1)
    out = tf.reduce_sum(tf.linalg.matvec(G, y))

print(tape.gradient(out, z).shape)
