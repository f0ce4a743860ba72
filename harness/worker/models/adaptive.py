"""Control flow that depends on values: a layer is repeated until its output is large enough, read after each time.

As adaptive computation time has it (Graves, 2016). What reads a value waits for it, and no graph is cached across it.
"""

INPUT = "flat"
SIZE = 8
SMALLEST = 1
VARIABLE = False

ENOUGH, MOST = 0.9, 6


def build(classes):
    from mxnet import gluon
    from mxnet.gluon import nn

    class Adaptive(gluon.Block):
        """Dense layers around one that is repeated once to ``MOST`` times."""

        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.first, self.again, self.last = nn.Dense(64), nn.Dense(64, activation="relu"), nn.Dense(classes)

        def forward(self, x):
            hidden = self.first(x)
            for _ in range(MOST):
                hidden = hidden + self.again(hidden)
                if float(hidden.abs().mean().asscalar()) > ENOUGH:
                    break
            return self.last(hidden)

    return Adaptive()
