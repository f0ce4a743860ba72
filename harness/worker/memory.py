"""Bytes this process holds and bytes MXNet's arrays take, as the kernel and MXNet's profiler count them."""

import os
import re
import shutil
import tempfile

_STATUS = re.compile(r"^(VmRSS|VmHWM|RssAnon):\s+(\d+) kB", re.M)
_COUNTER = re.compile(r"^Memory: (\S+)\s+\d+\s+([\d.]+)\s+([\d.]+)", re.M)
_NOTHING = {"live": None, "live_low": None, "live_by_device": None}


def resident():
    """``resident``, ``peak`` and ``anonymous`` bytes from ``/proc/self/status``."""
    with open("/proc/self/status") as file:
        kilobytes = {key: int(value) for key, value in _STATUS.findall(file.read())}
    return {
        "resident": kilobytes["VmRSS"] * 1024,
        "peak": kilobytes["VmHWM"] * 1024,
        "anonymous": kilobytes["RssAnon"] * 1024,
    }


def tell_of_gpus(channel, step, contexts):
    """What MXNet says is free on each GPU that is trained on; nothing without one."""
    numbers = sorted({context.device_id for context in contexts if context.device_type == "gpu"})
    if numbers:
        import mxnet as mx

        free = {"gpu/%d" % number: mx.context.gpu_memory_info(number)[0] for number in numbers}
        channel.emit("gpu_pool", step=step, free=free)


def counted(job, role, contexts, folder=os.curdir):
    """The live bytes of a job, as far as it asks for them."""
    keep = "allocations-%s.json" % role.replace("/", "-") if job.memory == "allocations" else ""
    return LiveBytes(job.memory != "resident", contexts, folder, keep)


class LiveBytes:
    """Bytes of live arrays, counted by MXNet's profiler from before the first allocation.

    Only the memory counters are switched on: with operators too, a step of 0.7 ms was seen to take 30 % longer.
    The aggregate table gives the highest and lowest level since it was last read, in decimal kB
    (`src/profiler/aggregate_stats.cc`).
    """

    def __init__(self, wanted, contexts=(), folder=os.curdir, keep=""):
        """``keep``: a file in ``folder`` for every allocation and free, as the profiler writes them, if it is named."""
        self._profiler = None
        self._keep = os.path.join(folder, keep) if keep else ""
        self._trace = ""
        self._contexts = contexts
        if not wanted:
            self.reason = "not asked for; set workload.memory: live"
            return
        import mxnet as mx

        # Never a device: MXNet unlinks the file that it is given, as root even /dev/null.
        self._trace = os.path.join(tempfile.mkdtemp(prefix="profile-", dir=folder), "trace.json")
        try:
            mx.profiler.set_config(
                filename=self._trace,
                aggregate_stats=True,
                profile_memory=True,
                profile_all=False,
                profile_symbolic=False,
                profile_imperative=False,
                profile_api=False,
            )
            mx.profiler.set_state("run")
            mx.profiler.dumps(reset=True)
        except (mx.MXNetError, AttributeError, TypeError) as error:
            self.reason = "this MXNet's profiler refuses: %s" % str(error).split("\n")[0]
            return
        self._profiler = mx.profiler
        self.reason = ""

    def read(self):
        """Highest and lowest level in bytes since the last call, and the highest of each device.

        None for all where there is no count.
        """
        if self._profiler is None:
            return _NOTHING
        self._touch()
        levels = _COUNTER.findall(self._profiler.dumps(reset=True))
        if os.path.exists(self._trace) and not self._keep:
            os.truncate(self._trace, 0)  # reading also appends every allocation to it
        if not levels:
            return _NOTHING
        return {
            "live": int(sum(float(high) for _, _, high in levels) * 1000),
            "live_low": int(sum(float(low) for _, low, _ in levels) * 1000),
            "live_by_device": {device: int(float(high) * 1000) for device, _, high in levels},
        }

    def _touch(self):
        """A device on which nothing was allocated since the last reading is not in the table; so allocate a number."""
        if self._contexts:
            import mxnet as mx

            for context in self._contexts:
                mx.nd.zeros((1,), ctx=context).wait_to_read()

    def stop(self):
        """Switch the profiler off and leave no trace behind."""
        if self._profiler is not None:
            self._profiler.set_state("stop")
            if self._keep:
                self._profiler.dumps(reset=True)
                os.replace(self._trace, self._keep)
            shutil.rmtree(os.path.dirname(self._trace))
