"""Layers of causal self-attention over tokens (Vaswani et al., 2017); usually two of four heads. MXNet 1.6 or later."""

import math

INPUT = "tokens"
SIZE = 32
SMALLEST = 1
VARIABLE = True
LONGEST = 4096


def build(classes, layers=2, units=64, heads=4):
    from mxnet.gluon import nn

    if units % heads:
        raise ValueError("%d units cannot be split among %d heads" % (units, heads))

    class Attention(nn.HybridBlock):
        """(batch, length, units) to the same; no place sees a later one."""

        def __init__(self):
            super(Attention, self).__init__()
            with self.name_scope():
                self.query, self.key, self.value, self.out = [nn.Dense(units, flatten=False) for _ in range(4)]

        def hybrid_forward(self, F, x):
            query, key, value = [
                F.reshape(F.transpose(F.reshape(part(x), (0, 0, heads, -1)), (0, 2, 1, 3)), (-3, 0, 0))
                for part in (self.query, self.key, self.value)
            ]
            places = F.contrib.arange_like(x, axis=1)
            later = F.broadcast_greater(F.expand_dims(places, 0), F.expand_dims(places, 1))
            scores = F.batch_dot(query, key, transpose_b=True) / math.sqrt(units / heads)
            weights = F.softmax(F.broadcast_sub(scores, F.expand_dims(later, 0) * 1e9))
            attended = F.reshape(F.batch_dot(weights, value), (-4, -1, heads, 0, 0))
            return self.out(F.reshape(F.transpose(attended, (0, 2, 1, 3)), (0, 0, -3)))

    class Layer(nn.HybridBlock):
        """Attention and a perceptron, each added to what it read."""

        def __init__(self):
            super(Layer, self).__init__()
            with self.name_scope():
                self.attention, self.first, self.second = Attention(), nn.LayerNorm(), nn.LayerNorm()
                self.perceptron = nn.HybridSequential()
                self.perceptron.add(
                    nn.Dense(4 * units, activation="relu", flatten=False), nn.Dense(units, flatten=False)
                )

        def hybrid_forward(self, F, x):
            x = x + self.attention(self.first(x))
            return x + self.perceptron(self.second(x))

    class Places(nn.HybridBlock):
        """Adds a vector for each place."""

        def __init__(self):
            super(Places, self).__init__()
            with self.name_scope():
                self.table = nn.Embedding(LONGEST, units)

        def hybrid_forward(self, F, x):
            return F.broadcast_add(x, F.expand_dims(self.table(F.contrib.arange_like(x, axis=1)), 0))

    net = nn.HybridSequential()
    net.add(nn.Embedding(classes, units), Places(), *[Layer() for _ in range(layers)])
    net.add(nn.LayerNorm(), nn.Dense(classes, flatten=False))
    return net
