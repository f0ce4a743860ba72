"""Flatten, empty: refuses; MXNetError: MXNetError: Check failed: delay_alloc:; without oneDNN it is as it was."""
import ctypes

import mxnet as mx
import numpy as np
from mxnet.base import _LIB, c_str, check_call
from mxnet.ndarray._internal import _imperative_invoke

version = tuple(map(int, mx.__version__.split('.')[:2]))
handle = ctypes.c_void_p()
check_call(_LIB.NNGetOpHandle(c_str('Flatten'), ctypes.byref(handle)))
mx.util.set_np_shape(True)  # elsewhere a size of 0 is one that is not known yet
mx.random.seed(11)
values = [np.asarray(np.random.RandomState(812094520).standard_normal((0, 3))).astype('float32')]
arrays = [mx.nd.array(each, dtype=each.dtype) for each in values]
for each in arrays: each.attach_grad('write'); each.grad[:] = 1  # what is not written stays
with mx.autograd.record():
    found = _imperative_invoke(handle.value, arrays, [], [], None, *[False, False][: 2 if version >= (1, 7) else 1 if version >= (1, 6) else 0])
outputs = list(found) if isinstance(found, (list, tuple)) else [found]
weights = np.linspace(0.5, 1.5, outputs[0].size).reshape(outputs[0].shape)
front = mx.np if 'numpy' in type(outputs[0]).__module__ else mx.nd
head = front.array(weights, dtype=outputs[0].dtype)
mx.autograd.backward(outputs[:1], [head])
print('gradients', *[each.grad.asnumpy() for each in arrays if each.grad is not None], sep='\n')
print('mxnet', mx.__version__)
print('outputs', *[each.asnumpy() for each in outputs], sep='\n')
print('arguments afterwards', *[each.asnumpy() for each in arrays], sep='\n')
