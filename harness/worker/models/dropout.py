"""A perceptron with batch normalization and dropout: statistics beside weights, and random numbers a step."""

INPUT = "flat"
SIZE = 8
SMALLEST = 1
VARIABLE = False


def build(classes):
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    for _ in range(2):
        net.add(nn.Dense(256, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), nn.Dropout(0.5))
    net.add(nn.Dense(classes))
    return net
