"""Make three sets of questions from public data: python training/fusion/make_sets.py DOWNLOADS OUT

DOWNLOADS holds what README.md names: a clone of the repository of the questions people ask, `bert-faq`, and the
unpacked packages of manuals, `manuals`. Each set is a folder of corpus.jsonl and queries.jsonl, as
tests/bench/retrieval.py reads them. Which questions and distracting sections are taken is drawn with a fixed seed.
"""

import argparse
import html
import json
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

MOST = 2_500  # characters of a section
LEAST = 120
REPHRASED = 2  # questions of one thread
ANSWERS = 3  # of one thread
POD_MARKUP = re.compile(r"[A-Z]<{1,2} ?((?:[^<>]|[A-Z]<[^<>]*>)*?) ?>{1,2}")
MARKUP_LINE = re.compile(r"^\.\. (?:_|index|module|sectionauthor).*$|^ +(?:single|pair|:synopsis).*$", re.MULTILINE)
RST_ROLE = re.compile(r":[\w:+-]+:`~?\.?([^`<]*?)(?: ?<[^`]*>)?`")
DIRECTIVE = re.compile(
    r"^\.\. (?:function|method|class|data|exception|attribute|classmethod|decorator):: *(.+)$", re.MULTILINE
)
ASKED_OF_A_NAME = (
    "What does {} do?",
    "arguments of {}",
    "What does {} return?",
    "When was {} added or changed?",
    "how to use {}",
)
ASKED_OF_A_VERSION = ("What changed in SQLite {}?", "what is new in {}", "bugs fixed in version {}", "{} release date")

Row = dict[str, Any]


def main() -> None:
    """Write the sets and tell how many documents and questions each has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("downloads", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    docs = given.downloads / "manuals/usr/share"
    perl = next((docs / "perl").iterdir()) / "pod"
    python = next((docs / "doc").glob("python3*/html/_sources"))
    sqlite = docs / "doc/sqlite3"
    write(given.out / "asked-faq", *asked_faq(given.downloads / "bert-faq"))
    write(given.out / "howto-manuals", *howto_manuals(perl, python, sqlite))
    write(given.out / "identifiers", *identifiers(python, sqlite))


def write(folder: Path, corpus: Sequence[Row], queries: Sequence[Row]) -> None:
    """The two files of a set."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{folder.name}: {len(corpus)} documents, {len(queries)} questions")


def asked_faq(clone: Path) -> tuple[list[Row], list[Row]]:
    """Answers of StackExchange threads and about an epidemic; the questions are as other people put them."""
    draw = random.Random(1)
    corpus: list[Row] = []
    queries: list[Row] = []
    for at, thread in enumerate(_committed(clone, "data/StackFAQ/stackExchange-FAQ.json")["root"]["qapair"]):
        answers = thread["answer"] if isinstance(thread["answer"], list) else [thread["answer"]]
        gold = [f"thread{at}-{number}" for number in range(min(ANSWERS, len(answers)))]
        corpus += [
            {"id": id_, "title": "", "text": text[:MOST]} for id_, text in zip(gold, answers, strict=False) if text
        ]
        asked = [text for text in thread["rephr"] if text and text.strip() not in {"*", ""}]
        queries += [_query(text, gold, "thread") for text in draw.sample(asked, min(REPHRASED, len(asked)))]
    pairs: dict[str, list[str]] = {}
    for row in _committed(clone, "data/CovidFAQ/query_answer_pairs.json"):
        if row["query_type"] == "user_query":
            pairs.setdefault(row["answer"], []).append(row["question"])
    for at, (answer, asked) in enumerate(pairs.items()):
        corpus.append({"id": f"health{at}", "title": "", "text": answer[:MOST]})
        queries += [_query(text, [f"health{at}"], "health") for text in draw.sample(asked, min(REPHRASED, len(asked)))]
    return corpus, queries


def _committed(clone: Path, path: str) -> Any:
    shown = subprocess.run(["git", "-C", str(clone), "show", f"HEAD:{path}"], check=True, capture_output=True)
    return json.loads(shown.stdout)


def _query(question: str, gold: list[str], kind: str) -> Row:
    return {"id": f"{kind}-{question}", "question": question, "answers": [], "gold": gold, "type": kind}


def howto_manuals(perl: Path, python: Path, sqlite: Path) -> tuple[list[Row], list[Row]]:
    """Sections of three manuals; the questions are the headings of their FAQs, which the corpus does not have."""
    draw = random.Random(2)
    corpus: list[Row] = []
    queries: list[Row] = []
    asked = [
        *(("Perl", *pair) for path in sorted(perl.glob("perlfaq[2-9].pod")) for pair in pod_sections(path)),
        *(("Python", *pair) for path in sorted((python / "faq").glob("*.rst.txt")) for pair in rst_sections(path)),
        *(("SQLite", *pair) for pair in sqlite_faq(sqlite / "faq.html")),
    ]
    draw.shuffle(asked)
    for at, (manual, heading, text) in enumerate(asked):
        if heading.endswith("?"):
            corpus.append({"id": f"faq{at}", "title": f"{manual} manual", "text": text})
            queries.append(_query(heading, [f"faq{at}"], manual))
    pods = [path for path in sorted(perl.glob("perl*.pod")) if not re.match(r"perl(faq|\d|toc|dsc)", path.stem)]
    others = [("Perl", *pair) for path in pods for pair in pod_sections(path)]
    texts = [
        path for folder in ("tutorial", "howto", "library") for path in sorted((python / folder).glob("*.rst.txt"))
    ]
    others += [("Python", *pair) for path in texts for pair in rst_sections(path)]
    for at, (manual, heading, text) in enumerate(draw.sample(others, min(900, len(others)))):
        corpus.append({"id": f"section{at}", "title": f"{manual} manual", "text": f"{heading}\n\n{text}"[:MOST]})
    return corpus, queries[:250]


def pod_sections(path: Path) -> Iterator[tuple[str, str]]:
    """(heading, text) of a page of Perl's manual."""
    parts = re.split(r"^=head[12] (.+)$", path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        plain = re.sub(r"^=\w+.*$", "", text, flags=re.MULTILINE)
        for _ in range(3):
            plain = POD_MARKUP.sub(r"\1", plain)
        yield from _section(POD_MARKUP.sub(r"\1", heading), plain)


def rst_sections(path: Path) -> Iterator[tuple[str, str]]:
    """(heading, text) of a page of Python's manual."""
    found = path.read_text(encoding="utf-8", errors="replace")
    parts = re.split(r"^(\S.+)\n([-=~*^\"']{4,})$", found, flags=re.MULTILINE)
    for heading, text in zip(parts[1::3], parts[3::3], strict=True):
        yield from _section(_plain_rst(heading), _plain_rst(text))


def _plain_rst(text: str) -> str:
    text = RST_ROLE.sub(r"\1", text)
    return re.sub(
        r"^\.\. (?:_|index|module|sectionauthor).*$|^ +(?:single|pair|:synopsis).*$", "", text, flags=re.MULTILINE
    )


def sqlite_faq(path: Path) -> Iterator[tuple[str, str]]:
    """(question, answer) of the FAQ of SQLite."""
    found = path.read_text(encoding="utf-8", errors="replace")
    for heading, text in re.findall(r"<b>\(\d+\) (.*?)</b>(.*?)(?=<b>\(\d+\)|\Z)", found, re.DOTALL):
        yield from _section(_plain_html(heading), _plain_html(text))


def _plain_html(text: str) -> str:
    return html.unescape(re.sub(r"[ \t]*\n\s*\n+", "\n\n", re.sub(r"<[^>]+>", "", text)))


def _section(heading: str, text: str) -> Iterator[tuple[str, str]]:
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    if len(text) >= LEAST:
        yield " ".join(heading.split()), text[:MOST]


def identifiers(python: Path, sqlite: Path) -> tuple[list[Row], list[Row]]:
    """The entry of each name of Python's library, and the releases of SQLite; asked for by name or number."""
    draw = random.Random(3)
    entries: dict[str, str] = {}
    for path in sorted((python / "library").glob("*.rst.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        module = path.name.removesuffix(".rst.txt")
        found = list(DIRECTIVE.finditer(text))
        for one, following in zip_longest(found, found[1:]):
            entry = _plain_rst(text[one.end() : following.start() if following else len(text)])
            name = one[1].split("(")[0].strip()
            qualified = name if "." in name else f"{module}.{name}"
            if len(entry.strip()) >= LEAST and re.fullmatch(r"[\w.]+", qualified):
                entries.setdefault(qualified, f"{one[1]}\n{entry.strip()}"[:1_200])
    names = draw.sample(sorted(entries), 900)
    corpus = [{"id": name, "title": name.rpartition(".")[0], "text": entries[name]} for name in names]
    queries = [
        _query(draw.choice(ASKED_OF_A_NAME).format(name.rpartition(".")[2] if at % 2 else name), [name], "name")
        for at, name in enumerate(names[:130])
    ]
    releases = (sqlite / "changes.html").read_text(encoding="utf-8", errors="replace")
    parts = re.split(r"<h3>(\S+ \([\d.]+\))</h3>", releases)
    versions: list[str] = []
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        version = heading.split("(")[1].rstrip(")")
        corpus.append(
            {"id": f"sqlite-{version}", "title": heading, "text": _plain_html(text).strip()[:MOST] or heading}
        )
        versions.append(version)
    queries += [
        _query(draw.choice(ASKED_OF_A_VERSION).format(version), [f"sqlite-{version}"], "version")
        for version in draw.sample(versions, 70)
    ]
    return corpus, queries


if __name__ == "__main__":
    main()
