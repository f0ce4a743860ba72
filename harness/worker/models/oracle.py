"""No network: parameters with known gradients, so that every update can be counted (`harness/worker/oracle.py`)."""

INPUT = "flat"
SIZE = 8
SMALLEST = 8
VARIABLE = False


def build(classes):
    """A block that has nothing to learn; the oracle gives it its parameters."""
    from mxnet.gluon import Block

    return Block()
