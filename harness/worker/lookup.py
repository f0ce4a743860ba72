"""A network that looks up one vector for each grey level at each place: a table of which a batch needs few rows.

Places repeat after 64; images have at most 64 by 64 pixels.
"""

PLACES, LEVELS, UNITS, MOST = 64, 17, 32, 64 * 64


def lookup(classes, sparse):
    """The network; with ``sparse``, gradients have only the rows that a batch needs."""
    from mxnet.gluon import nn

    class Tokens(nn.HybridBlock):
        """(batch, pixels) from 0 to 1 to the numbers of rows, (batch, pixels)."""

        def hybrid_forward(self, F, x):
            places = F.expand_dims(F.arange(start=0, stop=MOST), axis=0) % PLACES
            return F.broadcast_add(F.round(x * (LEVELS - 1)), F.slice_like(places, x, axes=(1,)) * LEVELS)

    class Mean(nn.HybridBlock):
        """(batch, pixels, units) to (batch, units)."""

        def hybrid_forward(self, F, x):
            return F.mean(x, axis=1)

    net = nn.HybridSequential()
    table = nn.Embedding(PLACES * LEVELS, UNITS, sparse_grad=sparse)
    net.add(Tokens(), table, Mean(), nn.Dense(classes))
    return net
