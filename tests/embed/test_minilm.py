import sys
from importlib.util import find_spec

import numpy as np
import pytest

from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.minilm import PACKAGES, MinilmEmbedder
from mcp_graphrag.errors import PartMissing

MISSING = [name for name in PACKAGES if find_spec(name) is None]
needs_packages = pytest.mark.skipif(bool(MISSING), reason=f"minilm is not installed: no {', '.join(MISSING)}")


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
