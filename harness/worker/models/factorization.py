"""A factorization machine (Rendle, 2010): two fields meet by the product of their vectors; row_sparse gradients."""

INPUT = "ids"
SIZE = 8
SMALLEST = 2
VARIABLE = True
UNITS = 16


def build(classes):
    from mxnet.gluon import nn

    from ..batches import IDS

    class Meetings(nn.HybridBlock):
        """(batch, fields) of ids to (batch, units): the sum of products over all pairs of fields."""

        def __init__(self):
            super(Meetings, self).__init__()
            with self.name_scope():
                self.table = nn.Embedding(IDS, UNITS, sparse_grad=True)

        def hybrid_forward(self, F, x):
            vectors = self.table(x)
            return (F.square(F.sum(vectors, axis=1)) - F.sum(F.square(vectors), axis=1)) / 2

    net = nn.HybridSequential()
    net.add(Meetings(), nn.Dense(classes))
    return net
