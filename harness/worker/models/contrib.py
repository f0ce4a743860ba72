"""Layers of gluon.contrib: branches side by side, synchronized batch normalization, shuffled pixels."""

INPUT = "image"
SIZE = 8
SMALLEST = 2
VARIABLE = False


def build(classes):
    from mxnet.gluon import contrib, nn

    branches = contrib.nn.HybridConcurrent(axis=1)
    branches.add(nn.Conv2D(8, 3, padding=1), contrib.nn.Identity(), nn.Conv2D(8, 1))
    net = nn.HybridSequential()
    net.add(
        branches,
        contrib.nn.SyncBatchNorm(num_devices=1),
        nn.Activation("relu"),
        contrib.cnn.DeformableConvolution(16, kernel_size=(3, 3), padding=(1, 1), activation="relu"),
        nn.Conv2D(32, 3, padding=1),
        contrib.nn.PixelShuffle2D(2),
        nn.Dense(classes),
    )
    return net
