"""Sentences as spans of prose and as pieces of a text."""

import pytest

from mcp_graphrag.english.sentences import MAX_SENTENCE_LENGTH, sentence_spans, split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Mr. A. B. Lee of the U.S. Army met Ann Lee e.g. in Oslo.",
            ["Mr. A. B. Lee of the U.S. Army met Ann Lee e.g. in Oslo."],
        ),
        ("Acme Inc. Redis is ours.", ["Acme Inc. Redis is ours."]),
        ("We left Acme Inc. The rest stayed.", ["We left Acme Inc.", "The rest stayed."]),
        (
            "See art. 7 of the law. It is about art. Nobody reads it.",
            ["See art. 7 of the law.", "It is about art.", "Nobody reads it."],
        ),
        ('"Really?" he asked.', ['"Really?" he asked.']),
        ("It is late. parse_config() fails.", ["It is late.", "parse_config() fails."]),
        ("Redis runs on node-1. node-2 runs Kafka.", ["Redis runs on node-1.", "node-2 runs Kafka."]),
        ("It uses Redis. npm and systemd do not.", ["It uses Redis.", "npm and systemd do not."]),
        ("It costs max. ten euros, incl. tax.", ["It costs max. ten euros, incl. tax."]),
        ("All the stars... are here.", ["All the stars... are here."]),
        ('"It ends." he said.', ['"It ends." he said.']),
        ("First line\nSecond line; Ann left; so did we", ["First line", "Second line;", "Ann left; so did we"]),
    ],
)
def test_spans_end_at_sentence_ends_semicolons_and_line_breaks(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_sentence_without_end_is_cut_at_spaces() -> None:
    found = sentences("word " * 1000)

    assert all(len(sentence) <= MAX_SENTENCE_LENGTH for sentence in found)
    assert " ".join(found).split() == ["word"] * 1000


def test_pieces_rejoin_to_the_text_and_keep_wrapped_lines_and_list_numbers_together() -> None:
    text = "A wrapped\nline ends here. Next one. (Ann)\nNo stop\n\n1. First item. It is\n2. Second item.\n"

    assert list(split_sentences(text)) == [
        "A wrapped\nline ends here. ",
        "Next one. (Ann)\n",
        "No stop\n\n",
        "1. First item. ",
        "It is\n2. Second item.\n",
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Das gilt bzw. Docker startet. Danach endet es.", 2),
        ("¿Quién lo hace? Hay más en la pág. 12 del libro. ¡Ya!", 3),
        ("これは文です。次の文です！「終わりです。」", 3),
        ("यह पहला है। यह दूसरा है।", 2),
        ("هل هذا صحيح؟ نعم هذا صحيح.", 2),
    ],
)
def test_sentences_end_by_the_marks_of_other_languages_too(text: str, sentences: int) -> None:
    found = list(split_sentences(text))

    assert "".join(found) == text
    assert len(found) == sentences
