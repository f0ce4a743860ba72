"""A trace of one training: rnn (lengths vary), cnn (image sizes vary), fixed."""
import ctypes, sys, random
import mxnet as mx
from mxnet import gluon, autograd, nd
kind, steps, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
random.seed(7)
class Lm(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.e = gluon.nn.Embedding(2000, 200); self.r = gluon.rnn.LSTM(200, 2, layout='TNC', input_size=200); self.d = gluon.nn.Dense(2000, flatten=False)
    def hybrid_forward(self, F, x): return self.d(self.r(self.e(x)))
hyb = dict(rnn={}, rnns=dict(static_alloc=True), cnn={}, fixed={})[kind]
if kind.startswith('rnn'): net = Lm()
else: net = gluon.model_zoo.vision.resnet18_v1(classes=10)
net.initialize(); net.hybridize(**hyb) if not kind.startswith('rnn') else None
tr = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': .01, 'momentum': .9}); loss = gluon.loss.SoftmaxCrossEntropyLoss()
def step(i):
    if kind.startswith('rnn'):
        n = max(5, min(120, int(random.lognormvariate(3.4, .6)))); x = nd.zeros((n, 16)); y = nd.zeros((n, 16))
    else:
        n = 64 if kind == 'fixed' else random.choice((48, 56, 64, 72, 80, 96)); x = nd.zeros((8, 3, n, n)); y = nd.zeros((8,))
    with autograd.record(): l = loss(net(x), y)
    l.backward(); tr.step(16); nd.waitall()
r = ctypes.CDLL(None); r.rec_open(out.encode())
for i in range(steps): step(i)
r.rec_close()
