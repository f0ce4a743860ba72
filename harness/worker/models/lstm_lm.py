"""A language model: LSTM layers over tokens, usually two of 128 units; each output foretells the next."""

INPUT = "tokens"
SIZE = 32
SMALLEST = 1
VARIABLE = True


def build(classes, layers=2, units=128):
    from mxnet.gluon import nn, rnn

    net = nn.HybridSequential()
    net.add(nn.Embedding(classes, 64), rnn.LSTM(units, layers, layout="NTC"), nn.Dense(classes, flatten=False))
    return net
