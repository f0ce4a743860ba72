"""No trainer: pushes and pulls two keys itself, as MXNet's nightly test of dist_sync does; saves one to a file."""

import sys

import mxnet as mx

store = mx.kv.create(sys.argv[2] if len(sys.argv) > 2 else "local")
shape = (4, 4)
for key in (3, 5):
    store.init(key, mx.nd.zeros(shape))
store.set_optimizer(mx.optimizer.create("test", rescale_grad=1.0))
value = mx.nd.zeros(shape)
for _ in range(25):
    for key in (3, 5):
        store.push(key, mx.nd.ones(shape) * (store.rank + 1))
    store.pull(3, out=value)
value.wait_to_read()
if store.rank == 0:
    mx.nd.save(sys.argv[1], [value])
