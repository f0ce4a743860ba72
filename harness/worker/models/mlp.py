"""A perceptron with two hidden layers, usually of 256: steps of about a millisecond, so that overheads show."""

INPUT = "flat"
SIZE = 8
SMALLEST = 1
VARIABLE = False
STAGES = 3


def build(classes, units=256):
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(nn.Dense(units, activation="relu"), nn.Dense(units, activation="relu"), nn.Dense(classes))
    return net
