"""Wide and deep (Cheng et al., 2016): tables with gradients of the rows that a batch needs, and a perceptron beside."""

INPUT = "ids"
SIZE = 8
SMALLEST = 1
VARIABLE = True
UNITS = 16


def build(classes):
    from mxnet.gluon import nn

    from ..batches import IDS

    class WideDeep(nn.HybridBlock):
        """(batch, fields) of ids to (batch, classes)."""

        def __init__(self):
            super(WideDeep, self).__init__()
            with self.name_scope():
                self.wide = nn.Embedding(IDS, classes, sparse_grad=True)
                self.table = nn.Embedding(IDS, UNITS, sparse_grad=True)
                self.deep = nn.HybridSequential()
                self.deep.add(nn.Dense(64, activation="relu"), nn.Dense(classes))

        def hybrid_forward(self, F, x):
            return F.sum(self.wide(x), axis=1) + self.deep(F.mean(self.table(x), axis=1))

    return WideDeep()
