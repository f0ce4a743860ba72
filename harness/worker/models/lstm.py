"""One LSTM layer of 64 units over rows of pixels; the last output decides the class. Any length will do."""

INPUT = "sequence"
SIZE = 8
SMALLEST = 1
VARIABLE = True
STAGES = 2


def build(classes):
    from mxnet.gluon import nn, rnn

    class LastOutput(nn.HybridBlock):
        """(batch, time, units) to (batch, units)."""

        def hybrid_forward(self, F, x):
            return F.squeeze(F.slice_axis(x, axis=1, begin=-1, end=None), axis=1)

    net = nn.HybridSequential()
    net.add(rnn.LSTM(64, layout="NTC"), LastOutput(), nn.Dense(classes))
    return net
