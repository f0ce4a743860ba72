"""The wire: moves packets between the hosts of a pocket cluster, as late, as slowly and as many as the plan says.

A process of its own (``python -m harness.agent.wire``), with one TUN device for each host.
"""
