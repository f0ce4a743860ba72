"""One process that trains by turns: a window by the harness's worker, a window by a loop as a user would write it.

Both train the same network with the same trainer, so that nothing but the loop around them differs. Run by the target's
interpreter under a real agent: ``duet.py WORKER PLAN PAIRS``.
"""

import sys
import time


def main(archive, plan, pairs):
    """Report each window as an event, the harness's as role ``worker/0`` and the other as role ``bare``."""
    sys.path.insert(0, archive)
    import mxnet as mx
    import numpy as np
    from _harness_worker import job as jobs
    from _harness_worker import trainings
    from _harness_worker.batches import _digits
    from _harness_worker.channel import Channel
    from _harness_worker.memory import LiveBytes
    from _harness_worker.steps import Steps
    from mxnet import autograd

    job = jobs.load(plan, "main")
    ours, theirs = Channel("main", "worker/0"), Channel("main", "bare")
    live = LiveBytes(job.memory == "live")
    trained = trainings.find(job)(job, 0, ours.emit)
    steps = Steps(job, ours, trained, live, {})
    ours.until = None  # nobody gives credit here
    net, trainer, loss_of = trained.net, trained._update._trainer, trained._loss
    images, labels = _digits()
    if job.model == "mlp":
        images = images.reshape(len(images), -1)

    order = np.random.RandomState(0).permutation(len(images))

    def harness(first, end):
        steps.step = first
        while steps.step < end:
            steps.begin()
            losses = trained.compute(steps.step)
            steps.computed()
            if steps.updates():
                trained.update()
            steps.ended(losses)

    def bare(first, end):
        opened = time.monotonic()
        for step in range(first, end):
            chosen = order[np.arange(step * job.batch_size, (step + 1) * job.batch_size) % len(order)]
            data, label = mx.nd.array(images[chosen]), mx.nd.array(labels[chosen])
            with autograd.record():
                loss = loss_of(net(data), label)
            loss.backward()
            trainer.step(job.batch_size)
        mx.nd.waitall()
        seconds = time.monotonic() - opened
        theirs.emit("window", first=first, steps=end - first, seconds=round(seconds, 7))

    for pair in range(pairs):
        first = 2 * pair * job.window
        turns = [harness, bare] if pair % 2 else [bare, harness]
        for turn, act in enumerate(turns):
            act(first + turn * job.window, first + (turn + 1) * job.window)
    ours.emit("done", step=0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
