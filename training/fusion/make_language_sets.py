"""Make sets of questions in several languages: python training/fusion/make_language_sets.py PACKAGES OUT

PACKAGES is where the packages of Debian that README.md names were unpacked. A heading is the question for the text
below it, which is stored without it. `faq-de` has texts and questions in German; `faq-de-by-en` asks these in English,
and `faq-en-by-de` asks the English ones in German. What is taken is drawn with a fixed seed.
"""

import argparse
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from make_sets import LEAST, MOST, write
from selectolax.lexbor import LexborHTMLParser, LexborNode

PAGES, QUESTIONS = 300, 200  # at most, of a set
LANGUAGES = {
    "faq": ("en", "de", "fr", "it", "ja", "ko", "nl", "pt", "ru", "zh-cn"),
    "guides": ("en-US", "de", "es", "fr", "ja", "ko", "pl", "ru", "tr", "zh-CN"),
}
NUMBER = re.compile(r"^[\d.]+\s+")

Pages = Mapping[str, tuple[str, str]]  # heading and text by the id that a page has in every language


def main() -> None:
    """Write the sets and tell how many documents and questions each has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    share = given.packages / "usr/share"
    for kind, languages in LANGUAGES.items():
        read = faq if kind == "faq" else guides
        found = {language[:2]: dict(read(share, language)) for language in languages}
        # What is not translated stands there in English.
        english = found["en"]
        for language, pages in found.items():
            if language != "en":
                found[language] = {at: page for at, page in pages.items() if page[0] != english.get(at, page)[0]}
        for language, pages in found.items():
            make(given.out / f"{kind}-{language}", pages, pages)
            if language != "en":
                make(given.out / f"{kind}-{language}-by-en", pages, english)
                make(given.out / f"{kind}-en-by-{language}", english, pages)


def make(folder: Path, texts: Pages, asked: Pages) -> None:
    """The set of the headings of some pages, asked for in the texts of others."""
    draw = random.Random(1)
    ids = sorted(texts)
    ids = draw.sample(ids, min(PAGES, len(ids)))
    corpus = [{"id": at, "title": "", "text": texts[at][1]} for at in ids]
    both = [at for at in ids if at in asked]
    queries = [
        {"id": at, "question": asked[at][0], "answers": [], "gold": [at], "type": "heading"}
        for at in draw.sample(both, min(QUESTIONS, len(both)))
    ]
    write(folder, corpus, queries)


def faq(share: Path, language: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The sections of the questions asked about Debian."""
    folder = share / "doc/debian/FAQ" / ("" if language == "en" else language)
    for path in sorted(folder.glob(f"*.{language}.html")):
        for section in LexborHTMLParser(path.read_text(encoding="utf-8")).css("div.section"):
            heading = section.css_first("h2.title")
            place = heading.css_first("a[id]") if heading else None
            if heading and place:
                yield from _page(str(place.attributes["id"]), NUMBER.sub("", _words(heading)), section, ".titlepage")


def guides(share: Path, language: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The pages of LibreOffice's help that tell how something is done."""
    folder = share / "libreoffice/help" / language / "text"
    for path in sorted(folder.glob("*/guide/*.html")):
        body = LexborHTMLParser(path.read_text(encoding="utf-8")).css_first("#DisplayArea")
        heading = body.css_first("h1") if body else None
        if body and heading:
            yield from _page(path.relative_to(folder).as_posix(), _words(heading), body, "h1, script, style")


def _page(at: str, heading: str, body: LexborNode, left_out: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in body.css(left_out):
        node.decompose()
    text = _words(body)[:MOST]
    if len(text.encode()) >= LEAST and heading:
        yield at, (heading, text)


def _words(node: LexborNode) -> str:
    lines = (" ".join(line.split()) for line in node.text().splitlines())
    return "\n".join(line for line in lines if line)


if __name__ == "__main__":
    main()
