"""What the keyless extractors yield, by rule: python tests/bench/yield.py FOLDER … [--guards] [--out FILE]

Each FOLDER is a corpus of documents of one kind. For each: chunks, mentions and triples for 1,000 chunks, and chunks
for a second of CPU; then the triples for 1,000 chunks of every module that makes some, with its lines. With --guards,
which takes ten times as long, each function of extraction, names and English: how often it was called, and how often it
decided anything, that is, answered neither nothing, nor False, nor what it was given. --out writes the triples as JSON
lines {corpus, document, subject, predicate, object, quote}, to compare two versions.
"""

import argparse
import inspect
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from mcp_graphrag import extract
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.extract import DocumentExtractor
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_bytes
from mcp_graphrag.model import Candidate, Chunk, Document

PACKAGE = Path(extract.__file__).parent.parent
WATCHED = ("extract", "mentions", "english")
LIMITS = (30, 40)
FEW = 5
RECORDS = {"findings.py", "draft_triple.py", "whole_document.py"}  # which only pass triples on


def documents(folder: Path) -> Iterator[tuple[Document, list[Chunk]]]:
    """The documents of a corpus with their chunks; what has no reader is left out."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            document = read_bytes(path.read_bytes(), uri=path.name, name=path.name)
        except GraphragError:
            continue
        yield document, chunk_document(document)


class Watch:
    """How often each function of the packages was called, and how often it decided something."""

    def __init__(self) -> None:
        self.called: Counter[tuple[str, str]] = Counter()
        self.acted: Counter[tuple[str, str]] = Counter()
        self.given: dict[int, tuple[Any, ...]] = {}

    def __call__(self, frame: FrameType, event: str, answer: Any) -> None:
        """The profiler of `sys.setprofile`."""
        code = frame.f_code
        if event not in {"call", "return"} or not code.co_filename.startswith(str(PACKAGE)):
            return
        module = str(Path(code.co_filename).relative_to(PACKAGE))
        if module.partition("/")[0] not in WATCHED:
            return
        key = module, code.co_qualname
        if event == "call":
            self.called[key] += 1
            self.given[id(frame)] = tuple(frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
        else:
            given = self.given.pop(id(frame), ())
            is_nothing = answer is None or answer is False or (hasattr(answer, "__len__") and not len(answer))
            self.acted[key] += not is_nothing and not any(answer is each for each in given)

    def report(self, few: int) -> None:
        """Print what was called and decided nothing, or a few times."""
        rare = sorted((self.acted[key], *key, count) for key, count in self.called.items() if self.acted[key] <= few)
        for acted, module, name, count in rare:
            print(f"{acted:4} of {count:7}  {module}  {name}")
        print(f"{len(rare)} of {len(self.called)} functions that were called acted at most {few} times")


def watch_makers(makers: dict[tuple[str, str, str], str]) -> None:
    """Note which module makes each draft of a triple and each candidate, by its names and predicate."""
    make_draft, make_candidate = DraftTriple.__new__, Candidate.__post_init__

    def draft(cls: Any, *values: Any, **named: Any) -> Any:
        one: DraftTriple = make_draft(cls, *values, **named)
        makers.setdefault((one.subject.name, one.predicate, one.object.name), _maker())
        return one

    def candidate(one: Candidate) -> None:
        make_candidate(one)
        makers.setdefault((one.subject, one.predicate, one.object), _maker())

    setattr(DraftTriple, "__new__", draft)  # noqa: B010  # a method of a class that is not to be assigned to
    setattr(Candidate, "__post_init__", candidate)  # noqa: B010


def _maker() -> str:
    """The module that makes a record: of the nearest frame outside of this file and of what passes records on."""
    frame = inspect.currentframe()
    while frame is not None:
        module = Path(frame.f_code.co_filename).name
        if module not in {*RECORDS, Path(__file__).name} and not module.startswith("<"):
            return module
        frame = frame.f_back
    return "?"


def main() -> None:
    """Measure the corpora that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--guards", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    makers: dict[tuple[str, str, str], str] = {}
    watch_makers(makers)
    extractors = DocumentExtractor(*LIMITS), LiteExtractor(*LIMITS)
    watch, rows, total = Watch(), list[dict[str, str]](), Counter[str]()
    chunks_in_all = 0
    for folder in given.folders:
        read = list(documents(folder))
        if given.guards:
            sys.setprofile(watch)
        start = time.process_time()
        found = [
            (document, each)
            for one in extractors
            for document, chunks in read
            for each in one.extract(document, chunks)
        ]
        spent = time.process_time() - start
        sys.setprofile(None)
        triples = [(document, triple) for document, each in found for triple in each.triples]
        chunks = sum(len(each) for _, each in read)
        mentions = sum(len(each.mentions) for _, each in found)
        chunks_in_all += chunks
        by_module = Counter(makers.get((one.subject, one.predicate, one.object), "?") for _, one in triples)
        total += by_module
        print(
            f"{folder.name:20} {len(read):4} documents {chunks:5} chunks; for 1,000: {mentions / chunks * 1000:6.0f}"
            f" mentions {len(triples) / chunks * 1000:6.0f} triples; {chunks / spent:5.0f} chunks a CPU second"
        )
        rows += [
            {
                "corpus": folder.name,
                "document": document.uri,
                "subject": one.subject,
                "predicate": one.predicate,
                "object": one.object,
                "quote": one.quote or "",
            }
            for document, one in triples
        ]
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    for module, count in total.most_common():
        share = count / chunks_in_all * 1000
        print(f"{module:28} {lines.get(module, 0):4} lines {count:6} triples {share:7.1f} for 1,000 chunks")
    if given.guards:
        watch.report(FEW)
    if given.out:
        given.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
