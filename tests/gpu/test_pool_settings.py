"""Settings of pools, refused as MXNet refuses them."""

from __future__ import annotations

import json
import re

import pytest

from harness.base.errors import InputError
from harness.gpu import pool_settings
from harness.gpu.pool_settings import PoolSettings
from tests.conftest import ROOT

REFUSALS = json.loads((ROOT / "tests" / "recorded" / "h100" / "refusals.json").read_text())
VARIABLES = {"MXNET_GPU_MEM_POOL_TYPE": "Round", "MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF": "28"}


def test_variables_there_and_back() -> None:
    settings = pool_settings.from_environment(VARIABLES)
    assert settings == PoolSettings("Round", cutoff=28)
    assert settings.environment == VARIABLES
    assert pool_settings.from_environment({}) == PoolSettings()
    assert PoolSettings().environment == {}


@pytest.mark.parametrize("recorded", REFUSALS, ids=lambda recorded: recorded["words"][:60])
def test_what_the_real_library_refused(recorded: dict[str, dict[str, object]]) -> None:
    asked = {name: str(value) for name, value in recorded["settings"].items()}
    with pytest.raises(InputError):
        pool_settings.from_environment(asked)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (PoolSettings("Round", cutoff=19), "smaller than 20 or greater than 34"),
        (PoolSettings("Round", page_size=5000), "must be a power of 2"),
        (PoolSettings("Round", page_size=1 << 21, cutoff=20), "smaller than log2 of"),
        (PoolSettings(page_size=16), "smaller than 32"),
        (PoolSettings(large_round=0), "a value <= 0"),
    ],
)
def test_its_words(settings: PoolSettings, words: str) -> None:
    assert words in str(settings.refusal())


def test_what_a_pool_does_not_use_it_does_not_refuse() -> None:
    assert PoolSettings("Naive", cutoff=3).refusal() is None
    assert PoolSettings("Naive", page_size=5000).refusal() is None
    assert PoolSettings("Unpooled", page_size=1).refusal() is None


def test_what_is_empty_is_not_set() -> None:
    empty = {"MXNET_GPU_MEM_POOL_TYPE": "", "MXNET_GPU_MEM_POOL_RESERVE": ""}
    assert pool_settings.from_environment(empty) == PoolSettings()


def test_what_the_chosen_pool_does_not_read_is_told() -> None:
    cutoff, steps = "MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF", "MXNET_GPU_MEM_LARGE_ALLOC_ROUND_SIZE"
    told = f"{cutoff} does nothing with the pool Naive; give MXNET_GPU_MEM_POOL_TYPE=Round too"
    assert pool_settings.unused({cutoff: "32"}) == [told]
    assert pool_settings.unused({cutoff: "32", "MXNET_GPU_MEM_POOL_TYPE": "Round"}) == []
    assert len(pool_settings.unused({steps: "4096", cutoff: "24", "MXNET_GPU_MEM_POOL_TYPE": "Unpooled"})) == 2


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"MXNET_GPU_MEM_POOL_TYPE": "round"}, "unknown memory pool; allowed are Naive, Round, Unpooled"),
        ({"MXNET_GPU_MEM_POOL_RESERVE": "many"}, "=many: MXNet expects a whole number"),
        ({"MXNET_GPU_MEM_POOL_RESERVE": "1_0"}, "=1_0: MXNet expects a whole number"),
        (
            {"MXNET_GPU_MEM_LARGE_ALLOC_ROUND_SIZE": "4294967296"},
            "=4294967296: MXNet expects a whole number below 2^31",
        ),
        ({"MXNET_GPU_MEM_POOL_RESERVE": "-5"}, "=-5: MXNet would take it for 2^64-5; give 0 or more"),
        ({"MXNET_GPU_MEM_POOL_TYP": "Round"}, "MXNET_GPU_MEM_POOL_TYP is no setting of MXNet's pools"),
    ],
)
def test_mistakes(variables: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        pool_settings.from_environment(variables)
