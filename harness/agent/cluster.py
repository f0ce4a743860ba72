"""The hosts of a pocket cluster: a network namespace each, with a TUN device that the wire holds the other end of.

Everything belongs to the agent's user namespace and ends with its processes; nothing is left to remove.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.agent import namespaces
from harness.vocabulary.instructions import INTERFACE, Connect, Host

TUN_DEVICE = "/dev/net/tun"
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_PREFIX = 24
_UNREAD_PACKETS = 10_000
"""So many wait for the wire before the kernel drops any; its own 500 are few where processors are short."""


@dataclass(frozen=True)
class ClusterHost:
    """A host that is there: its network namespace and its device, as descriptors."""

    name: str
    namespace: int
    device: int

    def enter(self) -> None:
        """Move this process onto the host (setns(2)), with the host's name as its own."""
        namespaces.join(self.namespace, namespaces.NEW_NETWORK, f"host {self.name}")
        namespaces.unshare(namespaces.NEW_NAME, f"host {self.name}")
        socket.sethostname(self.name)


def build(wanted: Connect) -> list[ClusterHost]:
    """Make every host; OSError with what failed. Needs a user, a mount and a network namespace of our own."""
    _resolve_names(wanted)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        return [_build_host(host, wanted.mtu) for host in wanted.hosts]
    finally:
        namespaces.join(home, namespaces.NEW_NETWORK, "network namespace")
        os.close(home)


def _build_host(host: Host, mtu: int) -> ClusterHost:
    """The device stays in the namespace in which it was made, wherever its descriptor goes."""
    namespaces.unshare(namespaces.NEW_NETWORK, "network namespace")
    namespace = os.open("/proc/self/ns/net", os.O_RDONLY)
    device = os.open(TUN_DEVICE, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH14x", INTERFACE.encode(), _IFF_TUN | _IFF_NO_PI))
    _bring_up(host, mtu)
    return ClusterHost(host.name, namespace, device)


def _bring_up(host: Host, mtu: int) -> None:
    from pyroute2 import IPRoute, NetlinkError  # 0.2 s that only clusters pay

    try:
        with IPRoute() as route:
            loopback, link = route.link_lookup(ifname="lo")[0], route.link_lookup(ifname=INTERFACE)[0]
            route.link("set", index=loopback, state="up")
            route.link("set", index=link, mtu=mtu, txqlen=_UNREAD_PACKETS, state="up")
            route.addr("add", index=link, address=host.address, prefixlen=_PREFIX)
    except NetlinkError as error:
        raise OSError(error.code, str(error), INTERFACE) from error


def _resolve_names(wanted: Connect) -> None:
    """Give our mount namespace an ``/etc/hosts`` that knows every host."""
    lines = ["127.0.0.1 localhost", *(f"{host.address} {host.name}" for host in wanted.hosts)]
    with tempfile.NamedTemporaryFile("w") as file:  # the mount keeps it when its name is gone
        file.write("\n".join(lines) + "\n")
        file.flush()
        Path(file.name).chmod(0o644)
        namespaces.mount(file.name, "/etc/hosts", "/etc/hosts", flags=namespaces.BIND)
