"""Tells when a module is imported, by whomever, and changes nothing about how it is found."""

import importlib.util
import sys
import time


def when(name, then):
    """Call ``then(module, seconds)`` once, as soon as the module is there and before its importer goes on."""
    sys.meta_path.insert(0, _Finder(name, then))


class _Finder:
    """Finds nothing itself: asks the others, and listens to the loader that they find."""

    def __init__(self, name, then):
        self._name, self._then, self._asks = name, then, False

    def find_spec(self, name, path=None, target=None):
        if name != self._name or self._asks:
            return None
        self._asks = True
        try:
            spec = importlib.util.find_spec(name)  # who only asks whether it is there does not load it
        finally:
            self._asks = False
        if spec is not None and spec.loader is not None:
            self._listen(spec.loader)
        return spec

    def _listen(self, loader):
        load = loader.exec_module

        def exec_module(module):
            vars(loader).pop("exec_module", None)  # another who listens may have been here before
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            began = time.monotonic()
            load(module)
            self._then(module, time.monotonic() - began)

        loader.exec_module = exec_module
