"""A perceptron that decides by what it computes: a layer is passed or left out, and another is repeated so often."""

INPUT = "flat"
SIZE = 8
SMALLEST = 1
VARIABLE = False
REPEATS = 3


def build(classes):
    from mxnet.gluon import nn

    class Deciding(nn.HybridBlock):
        """By `contrib.cond` and `contrib.foreach`, which a hybridized network keeps as they are."""

        def __init__(self):
            super(Deciding, self).__init__()
            with self.name_scope():
                self.first = nn.Dense(128, activation="relu")
                self.detour = nn.Dense(128, activation="tanh", in_units=128)
                self.again = nn.Dense(128, activation="relu", in_units=128)
                self.last = nn.Dense(classes)

        def hybrid_forward(self, F, x):
            hidden = self.first(x)
            taken = F.contrib.cond(
                F.mean(hidden) > 0.5 * F.max(hidden), lambda: self.detour(hidden), lambda: F.identity(hidden)
            )
            rounds = F.zeros((REPEATS,))
            _, repeated = F.contrib.foreach(lambda _, state: (state.mean(), self.again(state)), rounds, taken)
            return self.last(repeated)

    return Deciding()
