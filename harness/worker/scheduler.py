"""The scheduler of ps-lite, from MXNet's library alone: it runs no Python, whose part of MXNet costs a second."""

import ctypes
import importlib.util
import os


def serve():
    """Serve until all nodes have left, by the calls of `import mxnet` for it (python/mxnet/kvstore_server.py)."""
    library = _library()
    store = ctypes.c_void_p()
    _check(library, library.MXKVStoreCreate(b"dist", ctypes.byref(store)))
    unused = _CONTROLLER(lambda head, body, _: None)  # commands go to servers (src/kvstore/kvstore_dist.h)
    _check(library, library.MXKVStoreRunServer(store, unused, None))
    _check(library, library.MXKVStoreFree(store))


_CONTROLLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


def _library():
    """The library that `import mxnet` would load, found by MXNet's own rule. ModuleNotFoundError without MXNet."""
    package = importlib.util.find_spec("mxnet")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("No module named 'mxnet'", name="mxnet")  # as Python says it: it may be told first
    where = os.path.join(os.path.dirname(package.origin), "libinfo.py")
    spec = importlib.util.spec_from_file_location("mxnet_libinfo", where)
    libinfo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(libinfo)
    library = ctypes.CDLL(libinfo.find_lib_path()[0], ctypes.RTLD_LOCAL)
    library.MXGetLastError.restype = ctypes.c_char_p
    return library


def _check(library, code):
    if code != 0:
        raise RuntimeError(library.MXGetLastError().decode(errors="replace"))
