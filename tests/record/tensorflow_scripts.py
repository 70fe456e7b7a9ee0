"""Small TensorFlow scripts, each with something that recording could show in."""

from __future__ import annotations

_HEAD = """
import hashlib, traceback
import numpy as np
import tensorflow as tf
tf.random.set_seed(3)
def show(*values):
    for value in values:
        value = tf.convert_to_tensor(value) if isinstance(value, tf.IndexedSlices) else value
        print(None if value is None else (value.shape, hashlib.sha256(value.numpy().tobytes()).hexdigest()))
"""
TENSORFLOW_SCRIPTS = {
    "tapes of every kind": _HEAD
    + """
v, c = tf.Variable(tf.random.normal([4, 3])), tf.random.normal([3, 4])
emb = tf.Variable(tf.random.normal([10, 3]))
for step in range(3):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(c)
        y = tf.tanh(v @ c) + 1.0
        z = tf.reduce_sum(y * y) / 3.0
        with tape.stop_recording():
            w = v * 2.0
    show(*tape.gradient(z, [v, c]), tape.gradient(w, v), tape.gradient(y, c, output_gradients=tf.ones_like(y) * 0.5))
    show(tape.gradient(w, v, unconnected_gradients="zero"))
    v.assign_sub(0.1 * tape.gradient(z, v))
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        z = tf.reduce_sum(v**3)
    d = inner.gradient(z, v)
    s = tf.reduce_sum(d * d)
show(outer.gradient(s, v))
with tf.GradientTape() as tape:
    o = tf.reduce_sum(tf.gather(emb, [1, 2, 1]))
show(tape.gradient(o, emb))
with tf.GradientTape() as tape:
    j = v[0] * v[1]
show(tape.jacobian(j, v))
@tf.custom_gradient
def clip(a):
    def grad(up):
        return tf.clip_by_value(up, -1.0, 1.0)
    return a * 2.0, grad
with tf.GradientTape() as tape:
    tape.watch(c)
    r = tf.reduce_sum(clip(c) * c)
show(tape.gradient(r, c), tf.random.normal([2]))
with tf.autodiff.ForwardAccumulator(v, tf.ones_like(v)) as forward:
    f = tf.reduce_sum(v * v)
show(forward.jvp(f))
block = tf.recompute_grad(lambda a: tf.tanh(a @ c))
with tf.GradientTape() as tape:
    s = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.reduce_sum(block(v))), [0, 0.0])[1]
show(tape.gradient(s, v))
""",
    "errors that are caught and one that isn't": _HEAD
    + """
v = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    y = v * v
def again():
    return tape.gradient(y, v)
def seeded():
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v, output_gradients=tf.ones([2]))
def shapes():
    return v @ tf.ones([2, 2])
@tf.custom_gradient
def broken(a):
    def grad(up):
        raise ValueError("mine")
    return a * 2.0, grad
def custom():
    with tf.GradientTape() as tape:
        y = broken(v)
    return tape.gradient(y, v)
again()
for work in (again, seeded, shapes, custom):
    try:
        work()
    except Exception:
        traceback.print_exc()
tape = tf.GradientTape()
with tape:
    tape.watch(tf.constant(3))
    layer = tf.keras.layers.Dense(3)
    layer(tf.ones([2, 2]))
try:
    layer(tf.ones([2, 7]))
except Exception:
    traceback.print_exc()
seeded()
""",
    "a keras model": _HEAD
    + """
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)
x, y = tf.random.normal([16, 6]), tf.random.normal([16, 1])
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    show(*grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
show(*model.get_weights() and [tf.constant(each) for each in model.get_weights()])
raise SystemExit(3)
""",
}
