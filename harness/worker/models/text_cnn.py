"""Convolutions over tokens before (van den Oord et al., 2016); each output foretells the next. Any length will do."""

INPUT = "tokens"
SIZE = 32
SMALLEST = 1
VARIABLE = True
WIDTH = 3


def build(classes):
    from mxnet.gluon import nn

    class Past(nn.HybridBlock):
        """(batch, channels, length) to the same, by the last ``WIDTH`` places."""

        def __init__(self, channels):
            super(Past, self).__init__()
            with self.name_scope():
                self.convolution = nn.Conv1D(channels, WIDTH, padding=WIDTH - 1, activation="relu")

        def hybrid_forward(self, F, x):
            return F.slice_like(self.convolution(x), x, axes=(2,))

    class Turned(nn.HybridBlock):
        """(batch, a, b) to (batch, b, a)."""

        def hybrid_forward(self, F, x):
            return F.swapaxes(x, 1, 2)

    net = nn.HybridSequential()
    net.add(nn.Embedding(classes, 64), Turned(), Past(128), Past(128), Turned(), nn.Dense(classes, flatten=False))
    return net
