"""RNN, base: otherwise without oneDNN; MXNetError: MXNetError: Check failed: in_data.size() == num_inputs (4 vs. 3)
:."""
import ctypes
import os; os.environ.update({'MXNET_MKLDNN_ENABLED': '0', 'MXNET_ONEDNN_ENABLED': '0'})  # without this line as usual

import mxnet as mx
import numpy as np
from mxnet.base import _LIB, c_str, check_call
from mxnet.ndarray._internal import _imperative_invoke

version = tuple(map(int, mx.__version__.split('.')[:2]))
handle = ctypes.c_void_p()
check_call(_LIB.NNGetOpHandle(c_str('RNN'), ctypes.byref(handle)))
mx.random.seed(11)
values = [np.asarray(np.random.RandomState(1211579259).standard_normal((3, 2, 4))).astype('float32'), np.asarray(np.random.RandomState(1060113389).standard_normal((108,))).astype('float32'), np.asarray(np.random.RandomState(641292887).standard_normal((1, 2, 3))).astype('float32'), np.asarray(np.random.RandomState(1363045057).standard_normal((1, 2, 3))).astype('float32')]
arrays = [mx.nd.array(each, dtype=each.dtype) for each in values]
for each in arrays: each.attach_grad('write'); each.grad[:] = 1  # what is not written stays
with mx.autograd.record():
    found = _imperative_invoke(handle.value, arrays, ['state_size', 'num_layers', 'mode'], ['3', '1', 'lstm'], None, *[False, False][: 2 if version >= (1, 7) else 1 if version >= (1, 6) else 0])
outputs = list(found) if isinstance(found, (list, tuple)) else [found]
weights = np.linspace(0.5, 1.5, outputs[0].size).reshape(outputs[0].shape)
front = mx.np if 'numpy' in type(outputs[0]).__module__ else mx.nd
head = front.array(weights, dtype=outputs[0].dtype)
mx.autograd.backward(outputs[:1], [head])
print('gradients', *[each.grad.asnumpy() for each in arrays if each.grad is not None], sep='\n')
print('mxnet', mx.__version__)
print('outputs', *[each.asnumpy() for each in outputs], sep='\n')
print('arguments afterwards', *[each.asnumpy() for each in arrays], sep='\n')
