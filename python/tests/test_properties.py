"""Random kernels against numpy: element-wise and reduction expressions, and products, on the CPU and the simulator.

500 examples in all, the same ones every time. By hand, more of them, and others:

    TILEKILN_RANDOM_EXAMPLES=20000 TILEKILN_RANDOM_SEED=7 pytest -n 2 python/tests/test_properties.py

What a run finds is printed as a whole kernel, shrunk with TILEKILN_RANDOM_SHRINK=1, which takes minutes; mended,
it goes into test_found_kernels.py.
"""

import os

import expressions as ex
import numpy as np
import property_checks
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from random_products import products
from random_vectors import programs

# Read when the file is, before the tests' environment is cleaned.
EXAMPLES = int(os.environ.get("TILEKILN_RANDOM_EXAMPLES", "500"))
SEED = os.environ.get("TILEKILN_RANDOM_SEED")
PHASES = [Phase.generate, *([Phase.shrink] if os.environ.get("TILEKILN_RANDOM_SHRINK") else [])]


def examples(share: float):
    """Settings for this share of all examples."""
    common = settings(max_examples=max(1, round(EXAMPLES * share)), deadline=None, database=None,
                      derandomize=SEED is None, report_multiple_bugs=False, phases=PHASES,
                      suppress_health_check=list(HealthCheck))
    return lambda test: common(test if SEED is None else seed(f"{SEED} {test.__name__}")(test))


# Several tests, so that workers share them.

@examples(0.2)
@given(programs())
def test_expressions(program):
    property_checks.check(program)


@examples(0.2)
@given(programs(ranks=(1, 2), reductions=False))
def test_elementwise_expressions(program):
    property_checks.check(program)


@examples(0.2)
@given(programs(ranks=(2,), reductions=True))
def test_reduction_expressions(program):
    property_checks.check(program)


@examples(0.2)
@given(products(symbolic=False))
def test_products(product):
    property_checks.check(product)


@examples(0.2)
@given(products(symbolic=True))
def test_products_of_symbolic_sizes(product):
    property_checks.check(product)


# The reference itself.

@pytest.mark.parametrize(("dtype", "off"), [("float32", 1e-6), ("float16", 2e-3), ("bfloat16", 2e-2), ("int32", 1)])
def test_a_wrong_value_is_seen(dtype, off):
    exact = ex.value(dtype, np.array([1.0]) if dtype in ex.FLOATS else np.array([1]))
    property_checks.compare("y", exact.exact.copy(), exact, "")
    with pytest.raises(AssertionError, match="1 of 1 wrong"):
        property_checks.compare("y", exact.exact + off, exact, "")


def test_bounds_grow_with_the_operations():
    x = ex.value("float32", np.array([0.5]))
    assert ex.FLOAT["add"].meaning("float32", x, x).bound == 0
    once = ex.FLOAT["exp"].meaning("float32", x)
    assert 0 < once.bound[0] < 1e-6
    twice = ex.FLOAT["mul"].meaning("float32", once, once)
    assert 2 * once.bound[0] < twice.bound[0] < 1e-5
    # What the bound leaves open, no comparison decides.
    near = ex.COMPARISONS["lt"].meaning("bool", once, ex.value("float32", once.exact + once.bound / 2))
    assert np.isinf(near.bound).all()


def test_a_constant_is_rounded_to_its_type():
    assert ex.value("float16", np.array(0.1)).exact == np.float16(0.1)
    assert ex.value("int8", np.array(200)).exact == -56
