"""Sentences of unpacked Debian packages and of the Wikipedia articles in gensim's test data, a file a source.

Run: collect_text.py PACKAGES GENSIM_TEST_DATA OUT, where PACKAGES holds one folder a package (see README.md).
"""

import bz2
import gzip
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import mwparserfromhell
from selectolax.lexbor import LexborHTMLParser

from mcp_graphrag.english.sentences import split_sentences

# Words taken at most from each source, so that no kind of text outweighs the others.
MAX_WORDS = {
    "wikipedia": 800_000,
    "anarchism": 350_000,
    "dict-foldoc": 350_000,
    "jargon-text": 120_000,
    "wesnoth-1.16-data": 150_000,
    "debian-handbook": 250_000,
    "python3.11-doc": 250_000,
    "wordnet-base": 60_000,
}
MAX_WORDS_OF_OTHERS = 130_000
HTML_BLOCKS = "p, li, dd, blockquote, td, h2, h3"
_SPACE = re.compile(r"\s+")
_ODD = re.compile(r"[{}|\\<>=_^~]|\s{3}|[Ѐ-￿]")


def html_blocks(path: Path) -> Iterator[str]:
    tree = LexborHTMLParser(path.read_text("utf-8", "replace"))
    tree.strip_tags(["script", "style", "pre", "nav", "footer", "sup"], recursive=True)
    for node in tree.css(HTML_BLOCKS):
        if node.css_first("p, li, dd, td, table, ul, ol") is node or len(node.css("p, li, dd, td")) <= 1:
            yield node.text(separator="").replace("¶", "")


def text_blocks(text: str) -> Iterator[str]:
    yield from re.split(r"\n\s*\n", text)


def wikipedia(path: Path) -> Iterator[str]:
    articles = bz2.decompress(path.read_bytes()).decode("utf-8")
    for page in re.findall(r"<text[^>]*>(.*?)</text>", articles, re.DOTALL):
        source = page.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
        source = re.sub(r"<ref[^>/]*/>|<ref.*?</ref>|\{\|.*?\|\}|<!--.*?-->", "", source, flags=re.DOTALL)
        source = source.replace("&nbsp;", " ").replace("&ndash;", "–").replace("&mdash;", "—")
        plain = mwparserfromhell.parse(source).strip_code()
        for line in plain.splitlines():
            if len(line) > 60 and not line.startswith(("thumb", "|", "left|", "right|", "Category:", "[[")):
                yield line


def foldoc(path: Path) -> Iterator[str]:
    for block in text_blocks(unzipped(path)):
        if block.startswith("   "):
            plain = re.sub(r"[{}]", "", _SPACE.sub(" ", block))
            yield re.sub(r"^\s*(?:\d+\.\s*)?(?:<[^>]*>\s*)?", "", plain)


def unzipped(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")


def sources(packages: Path, gensim_data: Path) -> Iterator[tuple[str, Iterator[str]]]:
    yield "wikipedia", wikipedia(next(gensim_data.glob("enwiki-latest*.bz2")))
    for package in sorted(packages.iterdir()):
        yield package.name, package_blocks(package)


def package_blocks(package: Path) -> Iterator[str]:  # noqa: C901 - one branch a format
    for path in shuffled(package.rglob("*")):
        if not path.is_file() or re.search(
            r"/(?:es|de|fr|it|ja|pt|ru|zh|nl|pl|cs|sv|da|fi|ko|ro|vi|uk|el|id)[-_./]|"
            r"\.(?:es|de|fr|it|ja|pt|ru|zh|nl|pl|cs|sv|da|fi|ko|ro|vi|uk|el|tr)[-_.]|"
            r"genindex|copyright|_static|/src/",
            str(path),
        ):
            continue
        if path.suffix == ".html" or path.name.endswith(".en.utf8") or path.name.endswith(".html.en"):
            yield from html_blocks(path)
        elif path.name == "foldoc.dict.dz":
            yield from foldoc(path)
        elif path.suffixes[-2:] == [".txt", ".gz"] or path.name.endswith(
            ("changelog.gz", "changelog.Debian.gz", "NEWS.gz")
        ):
            yield from text_blocks(re.sub(r"(?m)^\s+[*-]\s", "\n\n", unzipped(path)[:400_000]))
        elif path.suffix in {".txt", ".rst", ".adoc", ".page"} and path.stat().st_size > 500:
            text = path.read_text("utf-8", "replace")
            if path.suffix == ".page":
                text = re.sub(r"<[^>]+>", "", re.sub(r"</p>|</title>", "\n\n", text))
            yield from (block for block in text_blocks(text) if not block.startswith(("  ", "\t", "----", "..")))
        elif path.suffix == ".cfg" and "scenarios" in path.parts:
            yield from re.findall(r'(?:message|story)= ?_ ?"([^"]{30,})"', path.read_text("utf-8", "replace"))
        elif path.name.startswith("data.") and "wordnet" in path.parts:
            for line in path.read_text("utf-8").splitlines():
                yield from re.findall(r'"([^"]{20,})"', line.partition("|")[2])


def shuffled(paths: Iterator[Path]) -> list[Path]:
    found = sorted(paths)
    random.Random(7).shuffle(found)
    return found


def usable(sentence: str) -> bool:
    words = sentence.split()
    letters = sum(map(str.isalpha, sentence))
    return (
        4 <= len(words) <= 70
        and letters > 0.68 * len(sentence)
        and sum(map(str.islower, words)) >= 2
        and len(_ODD.findall(sentence)) <= 2
        and not re.search(
            r"\b(?:der|und|que|les|della|nicht|pour|een)\b.*\b(?:der|und|que|les|della|nicht|pour|een)\b", sentence
        )
    )


def main() -> None:
    packages, gensim_data, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    for name, blocks in sources(packages, gensim_data):
        limit = MAX_WORDS.get(name, MAX_WORDS_OF_OTHERS)
        words = 0
        kept: list[str] = []
        for block in blocks:
            for piece in split_sentences(_SPACE.sub(" ", block).strip()):
                sentence = piece.strip()
                key = sentence.casefold()
                # A line without a mark at its end is mostly a heading or an item of a list: a tenth of them is enough.
                if key in seen or not usable(sentence) or (sentence[-1].isalnum() and random.random() > 0.1):
                    continue
                seen.add(key)
                kept.append(sentence)
                words += len(sentence.split())
            if words >= limit:
                break
        if kept:
            (out / f"{name}.txt").write_text("\n".join(kept) + "\n", "utf-8")
        print(f"{name}: {len(kept)} sentences, {words} words", flush=True)


if __name__ == "__main__":
    random.seed(7)
    main()
