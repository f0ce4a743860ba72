"""adam_update, not finite: other arguments afterwards; arguments 1, 2, 3 were changed, now 2, 3."""
import ctypes

import mxnet as mx
import numpy as np
from mxnet.base import _LIB, c_str, check_call
from mxnet.ndarray._internal import _imperative_invoke

version = tuple(map(int, mx.__version__.split('.')[:2]))
handle = ctypes.c_void_p()
check_call(_LIB.NNGetOpHandle(c_str('adam_update'), ctypes.byref(handle)))
mx.random.seed(11)
values = [np.asarray(np.r_[[np.nan, np.inf, -np.inf], np.random.RandomState(910084746).standard_normal((2, 3)).ravel()[3:]][:6].reshape((2, 3))).astype('float32'), np.asarray(np.random.RandomState(1094318620).standard_normal((2, 3))).astype('float32'), np.asarray(np.random.RandomState(1479584678).standard_normal((2, 3))).astype('float32'), np.asarray(np.random.RandomState(792173360).standard_normal((2, 3))).astype('float32')]
arrays = [mx.nd.array(each, dtype=each.dtype) for each in values]
with mx.autograd.train_mode():
    found = _imperative_invoke(handle.value, arrays, ['lr'], ['0.1'], None, *[False, False][: 2 if version >= (1, 7) else 1 if version >= (1, 6) else 0])
outputs = list(found) if isinstance(found, (list, tuple)) else [found]
print('mxnet', mx.__version__)
print('outputs', *[each.asnumpy() for each in outputs], sep='\n')
print('arguments afterwards', *[each.asnumpy() for each in arrays], sep='\n')
