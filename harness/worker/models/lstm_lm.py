"""A language model: two LSTM layers of 128 units over tokens; each output foretells the next. Any length will do."""

INPUT = "tokens"
SIZE = 32
SMALLEST = 1
VARIABLE = True


def build(classes):
    from mxnet.gluon import nn, rnn

    net = nn.HybridSequential()
    net.add(nn.Embedding(classes, 64), rnn.LSTM(128, 2, layout="NTC"), nn.Dense(classes, flatten=False))
    return net
