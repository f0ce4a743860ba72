from __future__ import annotations

from harness.vocabulary.filled_in import asking_for_nccl, nccl_of, with_folder, with_ports


def test_ports_are_filled_in() -> None:
    env = {"A": "{port}", "B": "x:{own_port}", "C": "1"}
    assert with_ports(env, "9000", "9001") == {"A": "9000", "B": "x:9001", "C": "1"}


def test_another_nccl_is_asked_for_and_found_before_others() -> None:
    env = asking_for_nccl({"A": "1"}, "2.13.4")
    assert nccl_of(env) == "2.13.4"
    assert nccl_of({"LD_LIBRARY_PATH": "/usr/lib"}) is None
    assert nccl_of({}) is None
    assert with_folder(env, "/nccl", "/cuda:/usr/lib") == {"A": "1", "LD_LIBRARY_PATH": "/nccl:/cuda:/usr/lib"}
    assert with_folder(env, "/nccl", "") == {"A": "1", "LD_LIBRARY_PATH": "/nccl"}
