# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Models for the tests: a tiny one (NXS_TINY_MODEL, which test.sh writes) and, when NXS_TEST_MODEL names it, a real
one."""

import os
import random

import pytest

import libnxs

PATHS = {"tiny": os.environ["NXS_TINY_MODEL"], "real": os.environ.get("NXS_TEST_MODEL", "")}


def prompt(number, n):
    """n token ids that repeat themselves here and there, so that drafts are accepted and rejected both."""
    rng = random.Random(number)
    tokens = [rng.randrange(250) for _ in range(n)]
    for _ in range(n // 16):
        start, at, size = rng.randrange(n), rng.randrange(n), rng.randrange(2, 12)
        tokens[at : at + size] = tokens[start : start + size]
    return tokens[:n]


@pytest.fixture(scope="session")
def tiny():
    return libnxs.Model(PATHS["tiny"])


@pytest.fixture(scope="session", params=list(PATHS))
def model(request, tiny):
    """Each model in turn."""
    if request.param == "tiny":
        return tiny
    if not os.path.isfile(PATHS["real"]):
        if os.environ.get("CI") == "true":
            pytest.fail("NXS_TEST_MODEL names no model, and CI=true")
        pytest.skip("NXS_TEST_MODEL names no model")
    return libnxs.Model(PATHS["real"])


@pytest.fixture
def session(tiny):
    with tiny.session(n_threads=1) as session:
        yield session


@pytest.fixture
def seq(session):
    return session.sequence()
