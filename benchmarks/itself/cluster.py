"""The pocket cluster: what its wire carries, how well it keeps to what was asked, and what it costs a job."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

from harness.execution.backends.local import LocalBackend
from harness.storage import history
from harness.targets import environment
from harness.vocabulary import events
from harness.vocabulary.instructions import Connect, Direction, Host, Spawn

RECEIVER = """
import socket, sys, time
server = socket.create_server(("10.77.0.1", 5000))
peer, _ = server.accept()
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while data := peer.recv(1):
    peer.sendall(data)
peer, _ = server.accept()
buffer, received, began = bytearray(1 << 20), 0, None
while count := peer.recv_into(buffer):
    began = began or time.monotonic()
    received += count
print(received / (time.monotonic() - began), flush=True)
"""
SENDER = """
import socket, sys, time
trips, seconds = int(sys.argv[1]), float(sys.argv[2])
def connect():
    for _ in range(500):
        try:
            peer = socket.create_connection(("10.77.0.1", 5000))
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return peer
        except ConnectionRefusedError:
            time.sleep(0.01)
with connect() as peer:
    for _ in range(trips):
        began = time.monotonic()
        peer.sendall(b"x")
        peer.recv(1)
        print(time.monotonic() - began, flush=True)
with connect() as peer:
    chunk, until = bytes(1 << 20), time.monotonic() + seconds
    while time.monotonic() < until:
        peer.sendall(chunk)
"""


def _carry(link, mtu, trips, seconds):
    """Round trips in seconds, then bytes a second of one stream as the receiver sees them."""
    with tempfile.TemporaryDirectory() as name, LocalBackend(Path(name)).open("main", networked=True) as agent:
        hosts = (Host("left", "10.77.0.1", link, _back(link)), Host("right", "10.77.0.2", link, _back(link)))
        agent.send(Connect("", hosts, mtu, 1))
        env = {"PATH": os.environ["PATH"]}
        for host, script in (("left", RECEIVER), ("right", SENDER)):
            argv = (sys.executable, "-c", script, str(trips), str(seconds))
            agent.send(Spawn(host, argv, env, name, str(Path(name) / host), host))
        ended = 0
        while ended < 2 and not agent.ended:
            ended += sum(isinstance(events.decode(line), events.Exited) for line in agent.read(1.0).splitlines())
        times = [float(line) for line in (Path(name) / "right").read_text().splitlines()]
        return times, float((Path(name) / "left").read_text())


def _back(link):
    return Direction(link.bandwidth, 0.0, 0.0, link.queue)


def _link(bandwidth=None, latency=0.0):
    return Direction(bandwidth, latency, 0.0, 1000)


class Wire:
    """Untouched links with packets of 65000 bytes."""

    timeout = 300
    seconds, trips, times = 2.0, 500, 5
    tiny = {"seconds": 0.2, "trips": 20, "times": 1}

    def track_seconds_per_gigabit(self):
        """5 Gbit/s at least."""
        rates = [_carry(_link(), 65000, 1, self.seconds)[1] for _ in range(self.times)]
        return {"samples": [1e9 / (8 * rate) for rate in rates], "number": 1}

    track_seconds_per_gigabit.unit, track_seconds_per_gigabit.limit = "seconds", 0.2

    def track_round_trip(self):
        """Of one byte."""
        trips = [_carry(_link(), 65000, self.trips, 0.1)[0] for _ in range(self.times)]
        return {"samples": [median(times) for times in trips], "number": 1}

    track_round_trip.unit, track_round_trip.limit = "seconds", 0.0005


class AskedLatency:
    """Half a round trip over the latency that was asked: within 5 % and a millisecond."""

    timeout, unit, limit = 300, "ratio", 1.25  # a millisecond of 5 is a fifth
    params, param_names = [0.005, 0.02, 0.1], ["latency"]
    trips = 20
    tiny = {"trips": 3, "params": [0.02]}

    def track_ratio(self, latency):
        times, _ = _carry(_link(latency=latency), 9000, self.trips, 0.1)
        return {"samples": [time / 2 / latency for time in times], "number": 1}


class AskedBandwidth:
    """The bandwidth that was asked, less headers, over that of one stream."""

    timeout, unit, limit = 300, "ratio", 1.05
    params, param_names = [50e6, 200e6, 1e9], ["bandwidth"]
    seconds, times = 3.0, 3
    tiny = {"seconds": 0.3, "times": 1, "params": [200e6]}

    def track_ratio(self, bandwidth):
        payload = (9000 - 52) / 9000
        rates = [_carry(_link(bandwidth), 9000, 1, self.seconds)[1] for _ in range(self.times)]
        return {"samples": [bandwidth * payload / (8 * rate) for rate in rates], "number": 1}


def _run(text, folder, *options):
    """The verdict on a scenario, as JSON."""
    scenario = Path(folder) / "question.yaml"
    scenario.write_text(text)
    argv = [sys.executable, "-m", "harness", "run", str(scenario), "--json", "--results", str(folder), *options]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["verdicts"][0]


def _quantity(verdict, arm, name, subject=""):
    measures = next(judged for judged in verdict["arms"] if judged["arm"] == arm)["measures"]
    return next(measure for measure in measures if (measure["name"], measure["subject"]) == (name, subject))


BOUND_BY_LINK = """\
title: 8 MB of gradients a step
workload:
  {{model: mlp, shapes: {{distribution: fixed, value: 88}}, batch_size: 8, steps: {steps}, warmup: {warmup}, window: 2}}
topology: {{kvstore: dist_sync, workers: 2, servers: 2, bigarray_bound: 1000, network: {{bandwidth: 200mbit}}}}
"""


class StepBoundByLink:
    """Seconds of a step over gradient bytes out and weight bytes in at the link's bandwidth."""

    timeout, unit, limit, steps, warmup = 600, "ratio", 1.1, 24, 4
    tiny = {"steps": 4, "warmup": 2}
    bytes = 4 * (88 * 88 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10)

    def track_ratio(self):
        floor = 2 * self.bytes * 8 / 200e6
        with tempfile.TemporaryDirectory() as folder:
            verdict = _run(BOUND_BY_LINK.format(steps=self.steps, warmup=self.warmup), folder)
            cost = _quantity(verdict, "main", "seconds_per_sample")
        return {"samples": [sample * 16 / floor for sample in cost["samples"]], "number": 1}


SMALL = """\
title: 340 kB of gradients a step
workload: {{model: mlp, steps: {steps}, warmup: 100, window: 100}}
topology: {{kvstore: dist_sync, workers: 2, servers: 1}}
variants: {{{variants}}}
"""
PLACES = ("loopback: {}", "hosts: {topology.network: {mtu: 65000}}")


class SmallGradients:
    """Training time on untouched links over that on loopback, by turns, each first in every other pair."""

    timeout, unit, limit, pairs, steps = 1800, "ratio", 1.11, 16, 800
    tiny = {"pairs": 1, "steps": 200}

    def track_ratio(self):
        samples = []
        for pair in range(self.pairs):
            variants = ", ".join(PLACES if pair % 2 else reversed(PLACES))
            with tempfile.TemporaryDirectory() as folder:
                verdict = _run(SMALL.format(steps=self.steps, variants=variants), folder)
            hosts, loopback = (_quantity(verdict, arm, "training_time")["value"] for arm in ("hosts", "loopback"))
            samples.append(hosts / loopback)
        return {"samples": samples, "number": 1}


MANY = """\
title: 21 processes
workload: {{model: lenet, batch_size: 256, steps: {steps}, warmup: 2, window: 2}}
topology: {{kvstore: dist_sync, workers: {workers}, servers: {servers}, network: {{}}}}
startup_timeout: 120s
stall_timeout: 120s
"""


class Many:
    """16 workers, 4 servers and a scheduler, a host each."""

    timeout = 900
    workers, servers, steps = 16, 4, 40
    tiny = {"workers": 2, "servers": 1, "steps": 8}

    def setup_cache(self):
        """One run for both numbers: seconds until all were ready, and the cores that agent and wire took after."""
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder) / "question.yaml"
            scenario.write_text(MANY.format(workers=self.workers, servers=self.servers, steps=self.steps))
            argv = [sys.executable, "-m", "harness", "run", str(scenario), "--results", folder]
            began = time.monotonic()
            with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as controller:
                started = self._started(Path(folder), controller)
                used, at = self._used(controller), time.monotonic()
                share = 0.0
                while controller.poll() is None:
                    time.sleep(0.5)
                    if now := self._used(controller):
                        share = (now - used) / (time.monotonic() - at)
            return started - began, share

    def _started(self, folder, controller):
        while controller.poll() is None:
            time.sleep(0.2)
            for path in folder.glob("runs/*/history.jsonl"):
                for event in history.read(path):
                    if isinstance(event, events.Started):
                        return event.t
        raise RuntimeError("the run ended before its first step")

    def _used(self, controller):
        """Processor seconds of agent and wire so far; nothing when they are gone."""
        try:
            ours = [
                process
                for process in psutil.Process(controller.pid).children(recursive=True)
                if "harness.agent" in " ".join(process.cmdline()) and "unshare" not in process.name()
            ]
            return sum(sum(process.cpu_times()[:2]) for process in ours)
        except psutil.Error:
            return 0.0

    def track_seconds_to_start(self, cached):
        """Until all were ready."""
        return cached[0]

    track_seconds_to_start.unit, track_seconds_to_start.limit = "seconds", 60

    def track_cores_of_agent_and_wire(self, cached):
        """While the workers train."""
        return cached[1]

    track_cores_of_agent_and_wire.unit, track_cores_of_agent_and_wire.limit = "cores", 0.1


SMALL_JOB = """\
title: start
workload: {{model: mlp, steps: 20}}
topology: {{kvstore: dist_sync, workers: {each}, servers: {each}, network: {{}}}}
"""
BARE = """
export DMLC_PS_ROOT_URI=127.0.0.1 DMLC_PS_ROOT_PORT=$2 DMLC_NODE_HOST=127.0.0.1 DMLC_NUM_WORKER=$4 DMLC_NUM_SERVER=$4
export OMP_NUM_THREADS=1
DMLC_ROLE=scheduler $1 -c 'import mxnet' &
for _ in $(seq $4); do DMLC_ROLE=server $1 -c 'import mxnet' & done
for _ in $(seq $4); do DMLC_ROLE=worker $1 $3 & done
wait
"""
TRAIN = """
import os, time
import mxnet as mx
from mxnet import autograd, gluon
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(256, activation="relu"), gluon.nn.Dense(256, activation="relu"), gluon.nn.Dense(10))
net.initialize(mx.init.Xavier())
net.hybridize()
store = mx.kv.create("dist_sync")
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01}, kvstore=store)
os.write(1, b"%f\\n" % time.monotonic())  # whole, whoever else writes now
data = mx.nd.zeros((32, 64))
for _ in range(20):
    with autograd.record():
        loss = net(data).sum()
    loss.backward()
    trainer.step(64)
mx.nd.waitall()
"""


class StartOfCluster:
    """Seconds from `harness run` to the first step on hosts over those of a bare script on loopback.

    ``each``: how many workers, and how many servers.
    """

    timeout, unit, limit, pairs, warming, each = 600, "ratio", 1.5, 6, 1, 2
    tiny = {"pairs": 1, "warming": 0, "each": 1}

    def track_ratio(self):
        """The first pair is not counted: it warms the disk's cache."""
        with tempfile.TemporaryDirectory() as folder:
            pairs = range(self.pairs + self.warming)
            samples = [self._harness(Path(folder)) / self._bare(Path(folder), pair) for pair in pairs]
        return {"samples": samples[self.warming :], "number": 1}

    def _harness(self, folder):
        began = time.monotonic()
        _run(SMALL_JOB.format(each=self.each), folder)
        newest = sorted((folder / "runs").iterdir())[-1]
        past = history.read(newest / "history.jsonl")
        return next(event.t for event in past if isinstance(event, events.Started)) - began

    def _bare(self, folder, pair):
        script = folder / "train.py"
        script.write_text(TRAIN)
        python = environment.ensure(environment.recipe(environment.DEFAULT_MXNET), lambda line: None).interpreter.python
        began = time.monotonic()
        argv = ["sh", "-c", BARE, "sh", str(python), str(9600 + pair), str(script), str(self.each)]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        return max(float(line) for line in done.stdout.splitlines()) - began
