"""LeNet-5 with ReLU and max pooling (LeCun et al., 1998), for images of 12 pixels a side or more."""

INPUT = "image"
SIZE = 32
SMALLEST = 12
VARIABLE = False


def build(classes):
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, padding=2, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(16, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Dense(120, activation="relu"),
        nn.Dense(84, activation="relu"),
        nn.Dense(classes),
    )
    return net
