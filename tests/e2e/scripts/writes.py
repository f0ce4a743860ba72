"""Two workers that write files of the same names to where they run, one of which was there, and remove another."""

from pathlib import Path

import mxnet as mx

kvstore = mx.kv.create("dist_sync")
net = mx.gluon.nn.Dense(3, in_units=4)
net.initialize(mx.init.One())
trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=kvstore)
for _ in range(20):
    with mx.autograd.record():
        loss = net(mx.nd.ones((8, 4))).square().sum(axis=1)
    loss.backward()
    trainer.step(8)
mx.nd.waitall()
if Path("old.txt").exists():
    Path("old.txt").unlink()
Path("out").mkdir(exist_ok=True)
net.save_parameters("out/net.params")
with open("log.txt", "a") as log:
    log.write(str(kvstore.rank) + "\n")
kvstore._barrier()
with open("log.txt") as log:
    print("read", log.read().split(), Path("old.txt").exists(), flush=True)
