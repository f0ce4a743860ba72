"""The first steps, one operation after the other, where sides take turns.

MXNet's engine takes and frees arrays in a thread of its own, while Python already gives back others: which is first
decides where all that comes later lies, and so how fast a process is for as long as it lives.
"""

STEPS = 2
"""By then there is all that a step takes; pairs do not count so many (`WARMUP_TURNS` in `harness/studies/pairs.py`)."""

_CALLS = (
    "MXImperativeInvokeEx", "MXInvokeCachedOpEx", "MXAutogradBackwardEx", "MXNDArraySyncCopyFromCPU", "MXNDArrayFree",
)  # fmt: skip
"""Of MXNet's C API (`include/mxnet/c_api.h`), by which Python takes and gives back arrays."""


class OpByOp:
    """For so many ``steps``, these calls wait for all that was issued; what a wait finds wrong is theirs."""

    def __init__(self, mx, steps):
        self._library, self._steps = mx.base._LIB, steps
        names = [name for name in _CALLS if steps and hasattr(self._library, name)]
        self._plain = {name: getattr(self._library, name) for name in names}
        for name, call in self._plain.items():
            setattr(self._library, name, _waiting(call, self._library.MXNDArrayWaitAll))

    def after(self, taken):
        """Issue operations as usual once the steps are ``taken``."""
        if self._plain and taken >= self._steps:
            for name, call in self._plain.items():
                setattr(self._library, name, call)
            self._plain = {}


def _waiting(call, wait):
    return lambda *arguments: call(*arguments) or wait()
